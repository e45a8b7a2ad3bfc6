/** Adds up the sample sizes in the index of an MP4 file, which can list the same bytes many times, for hours of noise. */
import { open, type FileHandle } from "node:fs/promises";

/** The scan stops after this number of boxes. The limits on the output apply to larger files, too. */
const BOXES_MAX = 65_536;
const DEPTH_MAX = 8;
const READ_BYTES = 64 * 1024;
/** The boxes that contain the boxes with sample sizes. */
const CONTAINER = /^(moov|trak|mdia|minf|stbl|mvex|moof|traf)$/;

type Box = { readonly type: string; readonly begin: number; readonly end: number };
type Mp4Scan = {
  readonly file: FileHandle;
  readonly fileSizeBytes: number;
  boxes: number;
  /** The sum for all video tracks and fragments. */
  totalBytes: number;
  /** The sum for the current track, which is added to the total if it turns out to be a video track. */
  trackBytes: number;
  isVideo: boolean;
  /** The default sample size of the current fragment, and of each track by its id. */
  sampleBytes: number;
  readonly sampleBytesByTrack: Map<number, number>;
};

/** True if the samples of the video tracks are larger in total than the file. Uses constant memory. */
export async function sharesSamples(path: string): Promise<boolean> {
  await using file = await open(path, "r");
  const { size: fileSizeBytes } = await file.stat();
  const found = { boxes: 0, totalBytes: 0, trackBytes: 0, isVideo: false, sampleBytes: 0, sampleBytesByTrack: new Map() };
  const scan: Mp4Scan = { file, fileSizeBytes, ...found };
  await walk(scan, 0, fileSizeBytes, 0);
  return isOver(scan);
}

const isOver = ({ totalBytes, fileSizeBytes }: Mp4Scan) => totalBytes > fileSizeBytes;

async function walk(scan: Mp4Scan, begin: number, end: number, depth: number): Promise<void> {
  for (let at = begin; at + 8 <= end && scan.boxes < BOXES_MAX && !isOver(scan); scan.boxes += 1) {
    const header = await read(scan, at, 16);
    if (header.length < 8) return;
    const declared = header.readUInt32BE(0);
    const isLarge = declared === 1 && header.length === 16;
    const sizeBytes = declared === 0 ? end - at : isLarge ? Number(header.readBigUInt64BE(8)) : declared;
    if (sizeBytes < 8) return;
    const box = { type: header.toString("latin1", 4, 8), begin: at + (isLarge ? 16 : 8), end: Math.min(end, at + sizeBytes) };
    await visit(scan, box, depth);
    at += sizeBytes;
  }
}

async function visit(scan: Mp4Scan, { type, begin, end }: Box, depth: number): Promise<void> {
  if (type === "trak") Object.assign(scan, { trackBytes: 0, isVideo: false });
  if (CONTAINER.test(type)) {
    if (depth < DEPTH_MAX) await walk(scan, begin, end, depth + 1);
    // Old QuickTime files declare audio sizes in another unit.
    if (type === "trak" && scan.isVideo) scan.totalBytes += scan.trackBytes;
    return;
  }
  if (!/^(hdlr|stsz|stz2|trex|tfhd|trun)$/.test(type)) return;
  const head = await read(scan, begin, Math.min(end - begin, 32));
  const at = (offset: number) => (offset + 4 <= head.length ? head.readUInt32BE(offset) : 0);
  if (type === "hdlr") scan.isVideo ||= head.toString("latin1", 8, 12) === "vide";
  if (type === "stsz") scan.trackBytes += at(4) > 0 ? at(4) * at(8) : await sum(scan, begin + 12, end, at(8), 32);
  if (type === "stz2") scan.trackBytes += await sum(scan, begin + 12, end, at(8), head[7] ?? 0);
  if (type === "trex" && scan.sampleBytesByTrack.size < BOXES_MAX) scan.sampleBytesByTrack.set(at(4), at(16));
  const flags = at(0) & 0xff_ffff;
  if (type === "tfhd") {
    const before = 8 + (flags & 0x1 ? 8 : 0) + (flags & 0x2 ? 4 : 0) + (flags & 0x8 ? 4 : 0);
    scan.sampleBytes = flags & 0x10 ? at(before) : (scan.sampleBytesByTrack.get(at(4)) ?? 0);
  }
  if (type === "trun") {
    const entries = begin + 8 + (flags & 0x1 ? 4 : 0) + (flags & 0x4 ? 4 : 0);
    const fields = [0x100, 0x200, 0x400, 0x800].filter((it) => (flags & it) !== 0);
    const of = { stride: 4 * fields.length, skip: flags & 0x100 ? 4 : 0 };
    scan.totalBytes += flags & 0x200 ? await sum(scan, entries, end, at(4), 32, of) : at(4) * scan.sampleBytes;
  }
}

/** Adds up to `count` numbers of 4, 8, 16 or 32 bits within the box. Stops when the sum exceeds the size of the file. */
async function sum(
  scan: Mp4Scan,
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
  for (let at = begin; at + step <= last && total <= scan.fileSizeBytes; at += partBytes) {
    const part = await read(scan, at, Math.min(partBytes, last - at));
    for (let offset = skip; offset + width <= part.length; offset += step) {
      const value = part.readUIntBE(offset, width);
      total += bits === 4 ? (value >> 4) + (value & 0xf) : value;
    }
    if (part.length < Math.min(partBytes, last - at)) break;
  }
  return total;
}

async function read({ file }: Mp4Scan, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
