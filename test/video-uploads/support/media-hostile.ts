/** Files that are hostile, or damaged in transit. Each is made from a real clip, or written here. */
import { createHash } from "node:crypto";
import { derive, makeClip, makeWith, type ClipRecipe } from "../../support/media.ts";

export { wideClip } from "./media-wide.ts";

const small = { durationSeconds: 2, width: 320, height: 240 } as const;

/** The first part of a clip whose index is at the front, so that its metadata describe a complete clip. */
export async function truncatedClip(container: ClipRecipe["container"] = "mp4"): Promise<string> {
  return derive(await makeClip({ ...small, container }), "truncated", (bytes) =>
    bytes.subarray(0, Math.floor(bytes.length * 0.6)),
  );
}

/** The same, with the length of the media data corrected, so that only decoding shows that data is missing. */
export async function forgedTruncatedClip(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "forged-truncated", (bytes) => {
    const cut = Buffer.from(bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    const box = cut.indexOf("mdat") - 4;
    cut.writeUInt32BE(cut.length - box, box);
    return cut;
  });
}

/** A clip of one second where two were expected. Nothing in it is damaged. */
export async function cleanlyCutClip(): Promise<string> {
  return makeClip({ ...small, durationSeconds: 1, container: "mp4" });
}

/** A clip with the second half of its media data overwritten and its container unchanged. */
export async function damagedClip(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "damaged", (bytes) => {
    const damaged = Buffer.from(bytes);
    return damaged.fill(0xa7, Math.floor((damaged.indexOf("mdat") + damaged.length) / 2));
  });
}

/** An AVI or MPEG-TS file with a hundred bytes changed after its first kilobyte. */
export async function scratchedClip(container: "avi" | "ts"): Promise<string> {
  return derive(await makeClip({ ...small, container }), "scratched", (bytes) => {
    const scratched = Buffer.from(bytes);
    for (let count = 1; count <= 100; count += 1) {
      const at = 1_024 + ((count * 7_919) % (bytes.length - 1_024));
      scratched[at] = (scratched[at] ?? 0) ^ 0xff;
    }
    return scratched;
  });
}

/** A clip with every `everyBytes`-th byte of its media data changed. */
export async function riddledClip(everyBytes: number): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), `riddled-${everyBytes}`, (bytes) => {
    const riddled = Buffer.from(bytes);
    for (let at = riddled.indexOf("mdat") + 4; at < riddled.length; at += everyBytes) riddled[at] = (riddled[at] ?? 0) ^ 0xff;
    return riddled;
  });
}

/** A clip with an intact container and media data of only zeros. */
export async function undecodableClip(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "zeros", (bytes) => {
    const blank = Buffer.from(bytes);
    return blank.fill(0, blank.indexOf("mdat") + 4);
  });
}

/** Media data without an index. */
export async function clipWithoutIndex(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "no-moov", (bytes) => {
    const box = bytes.indexOf("moov") - 4;
    return Buffer.concat([bytes.subarray(0, box), bytes.subarray(box + bytes.readUInt32BE(box))]);
  });
}

/** An index that is present but empty. */
export async function clipWithEmptyIndex(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "empty-moov", (bytes) => {
    const box = bytes.indexOf("moov") - 4;
    const emptyIndex = Buffer.from("\0\0\0\x08moov", "latin1");
    return Buffer.concat([bytes.subarray(0, box), emptyIndex, bytes.subarray(box + bytes.readUInt32BE(box))]);
  });
}

/** A WebM with a size of 0x0 in its header. */
export async function sizelessClip(): Promise<string> {
  return withPictureSize(0, 0);
}

/** A small file whose container and codec claim pictures with sides of this many pixels. */
export async function giantPictureClip(side: 8191 | 16383): Promise<string> {
  return withPictureSize(side, side);
}

/** A small picture that a player must show wider than the contract allows. */
export async function stretchedClip(): Promise<string> {
  return makeClip({ durationSeconds: 1, width: 720, height: 80, container: "mkv", audio: false, pixelAspect: "100/1" });
}

/** Five hours in a few kilobytes, with one picture every ten minutes. */
export async function fiveHourClip(): Promise<string> {
  return makeClip({ durationSeconds: 5 * 3600, width: 64, height: 64, container: "mp4", audio: false, framesPerSecond: 1 / 600 });
}

/** An index that claims a quarter of a billion entries and has a few. */
export async function swollenIndexClip(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "stts-bomb", (bytes) => {
    const swollen = Buffer.from(bytes);
    swollen.writeUInt32BE(0x0fffffff, swollen.indexOf("stts") + 8);
    return swollen;
  });
}

/** A few entries for a very large number of frames without data. */
export async function denseIndexClip(): Promise<string> {
  return derive(await makeClip({ ...small, container: "mp4" }), "dense-index", (bytes) => {
    const dense = Buffer.from(bytes);
    dense.writeUInt32BE(0x7fffffff, dense.indexOf("stts") + 12);
    return dense;
  });
}

/**
 * Five pictures of noise over and over, one a second. A decoder that keeps all five needs a few bytes for each that follows. Our
 * encoder keeps fewer, and writes each of them again: 0.5 MB for 500 pictures become 28 MB.
 */
export function loopingNoiseClip(pictures: number): Promise<string> {
  return makeWith(noiseArgs(pictures, "ref=6:keyint=infinite:scenecut=0:weightp=0:mbtree=0:rc-lookahead=0", "matroska"), "mkv");
}

/** The same, in a file that declares a duration of one second. */
export async function understatedNoiseClip(pictures: number): Promise<string> {
  return derive(await loopingNoiseClip(pictures), "understated", (bytes) => {
    const understated = Buffer.from(bytes);
    understated.writeDoubleBE(1_000, understated.indexOf(Buffer.from("448988", "hex")) + 3);
    return understated;
  });
}

/** Five pictures of noise in an MP4 whose index lists them this often. */
export async function repeatedSamplesClip(times: number): Promise<string> {
  const five = await makeWith(noiseArgs(5, "keyint=1", "mp4"), "mp4");
  return derive(five, `repeated-${times}`, (bytes) => {
    const [sizesAt, ticksAt] = [bytes.indexOf("stsz"), bytes.indexOf("stts")];
    const sizes = Array.from({ length: 5 }, (_, index) => bytes.readUInt32BE(sizesAt + 16 + 4 * index));
    const offset = bytes.readUInt32BE(bytes.indexOf("stco") + 12);
    const count = 5 * times;
    const table = (type: string, ...values: readonly number[]) => box(type, uint32s(0, ...values));
    const tables = new Map([
      ["stts", table("stts", 1, count, bytes.readUInt32BE(ticksAt + 16))],
      ["stss", Buffer.alloc(0)],
      ["stsc", table("stsc", 1, 1, 5, 1)],
      ["stsz", table("stsz", 0, count, ...Array.from({ length: times }, () => sizes).flat())],
      ["stco", table("stco", times, ...Array.from({ length: times }, () => offset))],
    ]);
    const rebuilt = (part: Buffer): Buffer => {
      const found: Buffer[] = [];
      for (let at = 0; at < part.length; at += part.readUInt32BE(at)) {
        const [type, end] = [part.toString("latin1", at + 4, at + 8), at + part.readUInt32BE(at)];
        const isParent = /^(moov|trak|mdia|minf|stbl)$/.test(type);
        // Without its edit list, which has the old duration.
        if (type === "edts") continue;
        found.push(isParent ? box(type, rebuilt(part.subarray(at + 8, end))) : (tables.get(type) ?? part.subarray(at, end)));
      }
      return Buffer.concat(found);
    };
    const repeated = rebuilt(bytes);
    for (const [type, at] of [
      ["mvhd", 20],
      ["mdhd", 20],
      ["tkhd", 24],
    ] as const) {
      const field = repeated.indexOf(type) + at;
      repeated.writeUInt32BE(repeated.readUInt32BE(field) * times, field);
    }
    return repeated;
  });
}

/** Numbers as they are in an MP4 file. */
export const uint32s = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

/** A box of an MP4 file. */
export const box = (type: string, content: Buffer): Buffer =>
  Buffer.concat([uint32s(8 + content.length), Buffer.from(type, "latin1"), content]);

function noiseArgs(pictures: number, x264: string, format: string): string[] {
  const noise = "color=black:s=320x240:r=1,noise=alls=100:allf=t+u,format=yuv420p,loop=loop=-1:size=5:start=0";
  const coded = ["-c:v", "libx264", "-preset", "medium", "-threads", "1", "-bf", "0", "-crf", "18", "-x264-params", x264];
  return ["-f", "lavfi", "-i", noise, "-frames:v", String(pictures), "-an", ...coded, "-f", format];
}

/** A QuickTime clip with a reference to media data in another file, by path. */
export async function clipNamingAnotherFile(otherPath: string): Promise<string> {
  // The name depends on the other file, because later runs use the same cache.
  const suffix = `dref-${createHash("sha256").update(otherPath).digest("hex").slice(0, 16)}`;
  return derive(await makeClip({ ...small, container: "mov" }), suffix, (bytes) => {
    const reference = aliasRecord(otherPath);
    const file = Buffer.from(bytes);
    const at = file.indexOf("dref") - 4;
    const oldSize = file.readUInt32BE(at);
    const head = file.subarray(at, at + 16);
    head.writeUInt32BE(16 + reference.length, 0);
    const grownBy = 16 + reference.length - oldSize;
    for (const name of ["moov", "trak", "mdia", "minf", "dinf"]) {
      const box = file.indexOf(name) - 4;
      file.writeUInt32BE(file.readUInt32BE(box) + grownBy, box);
    }
    // The index is before the media data and has grown, so the offset of every chunk grows by the same number of bytes.
    for (let table = file.indexOf("stco"); table !== -1; table = file.indexOf("stco", table + 1)) {
      const entries = file.readUInt32BE(table + 8);
      for (let entry = table + 12; entry < table + 12 + 4 * entries; entry += 4)
        file.writeUInt32BE(file.readUInt32BE(entry) + grownBy, entry);
    }
    return Buffer.concat([file.subarray(0, at), head, reference, file.subarray(at + oldSize)]);
  });
}

/** Texts that make a careless tool open other files or URLs. `victim` is a local path. */
export function textsNamingOthers(victim: string, url: string): Record<string, string> {
  return {
    "HLS playlist of a file": `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://${victim}\n#EXT-X-ENDLIST\n`,
    "HLS playlist of an address": `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}/a.ts\n#EXT-X-ENDLIST\n`,
    "HLS playlist that joins both": `#EXTM3U\n#EXTINF:1,\nconcat:${url}/x|file://${victim}\n#EXT-X-ENDLIST\n`,
    "list of files": `ffconcat version 1.0\nfile '${victim}'\nfile '${url}/a.mp4'\n`,
    SDP: `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video ${new URL(url).port} RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
    "DASH manifest": `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${url}/</BaseURL></MPD>`,
    subtitles: `1\n00:00:00,000 --> 00:00:01,000\n${victim} ${url}\n`,
    "VobSub index": `# VobSub index file, v7\nid: en, index: 0\n# ${victim}\n`,
    text: "This is not a video.\n".repeat(50),
  };
}

async function withPictureSize(width: number, height: number): Promise<string> {
  // At this size, the container uses two bytes for each number.
  const clip = await makeClip({ durationSeconds: 1, width: 320, height: 272, container: "webm", audio: false });
  return derive(clip, `${width}x${height}`, (bytes) => {
    const changed = Buffer.from(bytes);
    changed.writeUInt16BE(width, changed.indexOf(Buffer.from("b0820140", "hex")) + 2);
    changed.writeUInt16BE(height, changed.indexOf(Buffer.from("ba820110", "hex")) + 2);
    // Every VP8 key frame has the size again, after its start code.
    const startCode = Buffer.from("9d012a", "hex");
    for (let at = changed.indexOf(startCode); at !== -1; at = changed.indexOf(startCode, at + 1)) {
      changed.writeUInt16LE(width, at + 3);
      changed.writeUInt16LE(height, at + 5);
    }
    return changed;
  });
}

/** A QuickTime alias record with only the fields that point to a file by its absolute path. */
function aliasRecord(path: string): Buffer {
  const fixed = Buffer.alloc(150);
  fixed.writeUInt16BE(150, 4);
  const name = Buffer.from(path);
  const text = Buffer.alloc(4 + name.length + (name.length % 2));
  text.writeUInt16BE(2, 0);
  text.writeUInt16BE(name.length, 2);
  name.copy(text, 4);
  const end = Buffer.from([0xff, 0xff, 0, 0]);
  const body = Buffer.concat([Buffer.alloc(4), fixed, text, end]);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length, 0);
  header.write("alis", 4, "latin1");
  return Buffer.concat([header, body]);
}
