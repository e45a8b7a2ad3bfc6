/**
 * Checks whether a file is as long as its outermost boxes. A truncated video often has its index at the front and looks complete.
 */
import { open, type FileHandle } from "node:fs/promises";
import type { Container } from "./container.ts";

/** The check stops after this number of boxes. A long fragmented recording has two per second. */
const BOXES_MAX = 65_536;
const EBML_HEADER_MAX_BYTES = 4096;

/** True if the file ends inside a box that it needs. */
export async function isTruncated(path: string, container: Container): Promise<boolean> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  // Awaited here, because the file is closed when this function returns.
  if (container === "mp4" || container === "mov") return await endsInsideBox(file, size);
  if (container === "webm" || container === "mkv") return await endsInsideSegment(file, size);
  return container === "avi" && (await endsInsideMovie(file, size)); // MPEG-TS declares no length.
}

async function endsInsideBox(file: FileHandle, fileSizeBytes: number): Promise<boolean> {
  const header = Buffer.alloc(16);
  let offset = 0;
  for (let count = 0; count < BOXES_MAX && offset + 8 <= fileSizeBytes; count += 1) {
    const { bytesRead } = await file.read(header, 0, 16, offset);
    const declared = header.readUInt32BE(0);
    const isLarge = declared === 1 && bytesRead === 16;
    const sizeBytes = isLarge ? Number(header.readBigUInt64BE(8)) : declared;
    if (sizeBytes < 8) return false; // Zero means "to the end". Other sizes below 8 are left to the demuxer.
    offset += sizeBytes;
    // Truncated padding or appended metadata doesn't matter.
    if (offset > fileSizeBytes) return /^(mdat|moov|moof)$/.test(header.toString("latin1", 4, 8));
  }
  return false;
}

/** AVI: RIFF lists of type `movi` have the frames. A recorder that loses power declares no length. */
async function endsInsideMovie(file: FileHandle, fileSizeBytes: number): Promise<boolean> {
  const header = Buffer.alloc(12);
  let offset = 0;
  for (let count = 0; count < BOXES_MAX && offset + 12 <= fileSizeBytes; count += 1) {
    await file.read(header, 0, 12, offset);
    const [id, sizeBytes, type] = [header.toString("latin1", 0, 4), header.readUInt32LE(4), header.toString("latin1", 8)];
    if (id === "LIST" && type === "movi" && offset + 8 + sizeBytes > fileSizeBytes) return true;
    offset += id === "RIFF" ? 12 : 8 + sizeBytes + (sizeBytes % 2);
  }
  return false;
}

/** Matroska and WebM: one EBML header, then one segment with all data. */
async function endsInsideSegment(file: FileHandle, fileSizeBytes: number): Promise<boolean> {
  const head = Buffer.alloc(EBML_HEADER_MAX_BYTES);
  const { bytesRead } = await file.read(head, 0, EBML_HEADER_MAX_BYTES, 0);
  const bytes = head.subarray(0, bytesRead);
  const header = readVint(bytes, 4);
  if (header === null) return false;
  const segmentAt = header.end + header.value;
  if (segmentAt + 4 > bytes.length || bytes.readUInt32BE(segmentAt) !== 0x18538067) return false;
  const segment = readVint(bytes, segmentAt + 4);
  return segment !== null && segment.end + segment.value > fileSizeBytes; // Live recordings declare no length.
}

/** Reads a variable-length integer. `end` is the offset after it. Null if it is truncated, or all ones, which means "unknown". */
function readVint(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | null {
  // The number of leading zero bits, plus one.
  const length = Math.clz32(bytes[at] ?? 0) - 23;
  if (length > 8 || at + length > bytes.length) return null;
  const ones = (1n << BigInt(7 * length)) - 1n;
  const value = BigInt(`0x${bytes.toString("hex", at, at + length)}`) & ones;
  return value === ones ? null : { value: Number(value), end: at + length };
}
