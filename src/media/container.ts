import type { FileHandle } from "node:fs/promises";

/** The accepted containers, with the names in the contract. */
export type Container = "mp4" | "mov" | "webm" | "mkv" | "avi" | "ts";

/** How many bytes at the beginning of a file are examined. */
const CONTAINER_PROBE_BYTES = 4096;

const MP4_BRAND = /^(isom|iso[2-9]|mp4[12]|avc1|M4V |M4VH|M4VP|MSNV|mmp4|dash|cmf[2cs]|3g[epr2][0-9a-z]|f4v |XAVC)$/;
const IMAGE_BRAND = /^(heic|heix|hevc|heim|heis|mif1|msf1|avif|avis|crx |jxl )$/;

/** Boxes with which a QuickTime file from before `ftyp` begins. */
const OLD_BOX = /^(moov|mdat|wide|free|skip|junk|pnot|PICT|pict|udta|uuid|prfl)$/;

/** Recognises the container of a file. Null for anything else. */
export async function containerOf(file: FileHandle): Promise<Container | "empty" | null> {
  const read = async (at: number, bytes: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, at);
    return buffer.subarray(0, bytesRead);
  };
  const head = await read(0, CONTAINER_PROBE_BYTES);
  if (head.length === 0) return "empty";
  const container = recogniseContainer(head);
  if (container !== null || head.length < 8 || head.toString("latin1", 4, 8) !== "mdat") return container;
  // Media data of 16 MiB or more. Text could begin like that, but has no other box at its end.
  const next = await read(head.readUInt32BE(0), 8);
  return OLD_BOX.test(next.toString("latin1", 4)) ? "mov" : null;
}

/** Recognises a container by its first bytes, never by a name or header from the client. Null for anything else, such as text. */
export function recogniseContainer(head: Uint8Array): Container | null {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, CONTAINER_PROBE_BYTES));
  if (bytes.length < 12) return null;
  if (bytes.readUInt32BE(0) === 0x1a45dfa3) return ebmlDocType(bytes);
  if (/^RIFF[^]{4}AVI /.test(bytes.toString("latin1", 0, 12))) return "avi";
  // Packets of 188 bytes. Cameras and Blu-ray discs add a timestamp of four bytes before each.
  if (isTransportStream(bytes, 0, 188) || isTransportStream(bytes, 4, 192) || isCutTransportStream(bytes)) return "ts";
  const boxType = bytes.toString("latin1", 4, 8);
  if (boxType === "ftyp") return ftypContainer(bytes);
  // QuickTime from before `ftyp`. The first byte is zero (a first box below 16 MiB), and no text begins with zero.
  return bytes[0] === 0 && OLD_BOX.test(boxType) ? "mov" : null;
}

/** A recording can begin in the middle of a packet, and have 16 bytes of error correction after each. */
function isCutTransportStream(bytes: Buffer): boolean {
  if (bytes.length < CONTAINER_PROBE_BYTES) return false;
  return [188, 192, 204].some((packetBytes) => {
    for (let first = 0; first < packetBytes; first += 1) if (isTransportStream(bytes, first, packetBytes)) return true;
    return false;
  });
}

/** Whether every packet has a valid header (ISO/IEC 13818-1, 2.4.3.2): sync byte, no error, payload or adaptation field. */
function isTransportStream(bytes: Buffer, first: number, packetBytes: number): boolean {
  if (bytes.length < first + 3 * packetBytes) return false;
  for (let at = first; at + 4 <= bytes.length; at += packetBytes)
    if (bytes[at] !== 0x47 || (bytes[at + 1]! & 0x80) !== 0 || (bytes[at + 3]! & 0x30) === 0) return false;
  return true;
}

function ftypContainer(bytes: Buffer): Container | null {
  const end = Math.min(bytes.readUInt32BE(0), bytes.length);
  const major = bytes.toString("latin1", 8, 12);
  if (major === "qt  ") return "mov";
  if (IMAGE_BRAND.test(major)) return null;
  const brands = [major];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(bytes.toString("latin1", at, at + 4));
  return brands.some((brand) => MP4_BRAND.test(brand)) ? "mp4" : null;
}

function ebmlDocType(bytes: Buffer): Container | null {
  const found = /\x42\x82[\x84-\x88](webm|matroska)/.exec(bytes.toString("latin1"));
  if (found === null) return null;
  return found[1] === "webm" ? "webm" : "mkv";
}
