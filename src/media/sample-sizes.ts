/**
 * Adds up the sizes of the pictures in the index of an MP4 or QuickTime file (ISO/IEC 14496-12, `stsz`, `stz2` and `trun`). An
 * index can list the same bytes many times, so that a megabyte decodes to hours of noise. Matroska has no such index.
 */
import { open, type FileHandle } from "node:fs/promises";

/** The look stops after this number of boxes and finds nothing: the limits on the output hold for such a file, too. */
const BOXES_MAX = 65_536;
const DEPTH_MAX = 8;
const READ_BYTES = 64 * 1024;
/** The boxes that hold others on the way to the sizes. */
const CONTAINER = /^(moov|trak|mdia|minf|stbl|mvex|moof|traf)$/;

type Box = { readonly type: string; readonly begin: number; readonly end: number };
type Look = {
  readonly file: FileHandle;
  readonly fileSizeBytes: number;
  boxes: number;
  /** Of all video tracks and fragments. */
  totalBytes: number;
  /** Of the track that the look is in, until its end tells what it holds. */
  trackBytes: number;
  isVideo: boolean;
  /** Of the fragment that the look is in, and of each track by its id. */
  sampleBytes: number;
  readonly sampleBytesByTrack: Map<number, number>;
};

/** True when the samples of the video tracks have more bytes together than the file. Reads with constant memory. */
export async function sharesSamples(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { size: fileSizeBytes } = await file.stat();
  const found = { boxes: 0, totalBytes: 0, trackBytes: 0, isVideo: false, sampleBytes: 0, sampleBytesByTrack: new Map() };
  const look: Look = { file, fileSizeBytes, ...found };
  await walk(look, 0, fileSizeBytes, 0);
  return isOver(look);
}

const isOver = ({ totalBytes, fileSizeBytes }: Look) => totalBytes > fileSizeBytes;

async function walk(look: Look, begin: number, end: number, depth: number): Promise<void> {
  for (let at = begin; at + 8 <= end && look.boxes < BOXES_MAX && !isOver(look); look.boxes += 1) {
    const header = await read(look, at, 16);
    if (header.length < 8) return;
    const declared = header.readUInt32BE(0);
    const isLarge = declared === 1 && header.length === 16;
    const sizeBytes = declared === 0 ? end - at : isLarge ? Number(header.readBigUInt64BE(8)) : declared;
    if (sizeBytes < 8) return;
    const box = { type: header.toString("latin1", 4, 8), begin: at + (isLarge ? 16 : 8), end: Math.min(end, at + sizeBytes) };
    await visit(look, box, depth);
    at += sizeBytes;
  }
}

async function visit(look: Look, { type, begin, end }: Box, depth: number): Promise<void> {
  if (type === "trak") Object.assign(look, { trackBytes: 0, isVideo: false });
  if (CONTAINER.test(type)) {
    if (depth < DEPTH_MAX) await walk(look, begin, end, depth + 1);
    // Old QuickTime files declare the sizes of sound in another unit.
    if (type === "trak" && look.isVideo) look.totalBytes += look.trackBytes;
    return;
  }
  if (!/^(hdlr|stsz|stz2|trex|tfhd|trun)$/.test(type)) return;
  const head = await read(look, begin, Math.min(end - begin, 32));
  const at = (offset: number) => (offset + 4 <= head.length ? head.readUInt32BE(offset) : 0);
  if (type === "hdlr") look.isVideo ||= head.toString("latin1", 8, 12) === "vide";
  if (type === "stsz") look.trackBytes += at(4) > 0 ? at(4) * at(8) : await sum(look, begin + 12, end, at(8), 32);
  if (type === "stz2") look.trackBytes += await sum(look, begin + 12, end, at(8), head[7] ?? 0);
  if (type === "trex" && look.sampleBytesByTrack.size < BOXES_MAX) look.sampleBytesByTrack.set(at(4), at(16));
  const flags = at(0) & 0xff_ffff;
  if (type === "tfhd") {
    const before = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0) + (flags & 0x8 ? 4 : 0);
    look.sampleBytes = flags & 0x10 ? at(before) : (look.sampleBytesByTrack.get(at(4)) ?? 0);
  }
  if (type === "trun") {
    const entries = begin + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
    const fields = [0x100, 0x200, 0x400, 0x800].filter((it) => (flags & it) !== 0);
    const of = { stride: 4 * fields.length, skip: flags & 0x100 ? 4 : 0 };
    look.totalBytes += flags & 0x200 ? await sum(look, entries, end, at(4), 32, of) : at(4) * look.sampleBytes;
  }
}

/** Adds up numbers of 4, 8, 16 or 32 bits, at most `count` and as many as the box holds. Stops beyond the size of the file. */
async function sum(
  look: Look,
  begin: number,
  end: number,
  count: number,
  bits: number,
  { stride, skip } = { stride: bits / 8, skip: 0 },
): Promise<number> {
  if (![4, 8, 16, 32].includes(bits)) return 0;
  const last = Math.min(end, begin + Math.ceil(count * stride));
  let total = 0;
  const step = stride < 1 ? 1 : stride;
  const width = Math.max(1, bits / 8);
  const partBytes = READ_BYTES - (READ_BYTES % step);
  for (let at = begin; at + step <= last && total <= look.fileSizeBytes; at += partBytes) {
    const part = await read(look, at, Math.min(partBytes, last - at));
    for (let offset = skip; offset + width <= part.length; offset += step) {
      const value = part.readUIntBE(offset, width);
      total += bits === 4 ? (value >> 4) + (value & 0xf) : value;
    }
    if (part.length < Math.min(partBytes, last - at)) break;
  }
  return total;
}

async function read({ file }: Look, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
