/** Files that are hostile, or damaged in transit. Each is made from a real clip, or written here. */
import { createHash } from "node:crypto";
import { derive, makeClip, makeWith } from "../../support/media.ts";
import { declaringInMatroska } from "./clip-bytes.ts";
import { changed } from "./clip-film.ts";

const small = { durationSeconds: 2, width: 320, height: 240 } as const;
const SMALL = () => makeClip({ ...small, container: "mp4" });

/** The first part of a clip with the length of its media data corrected, so that only decoding shows that data is missing. */
export const forgedTruncatedClip = changed(SMALL, "forged-truncated", (bytes) => {
  const cut = bytes.subarray(0, Math.floor(bytes.length * 0.6));
  const at = cut.indexOf("mdat") - 4;
  cut.writeUInt32BE(cut.length - at, at);
  return cut;
});

/** A clip of one second where two were expected. Nothing in it is damaged. */
export const cleanlyCutClip = () => makeClip({ ...small, durationSeconds: 1, container: "mp4" });

/** A clip with the second half of its media data overwritten and its container unchanged. */
export const damagedClip = changed(SMALL, "damaged", (bytes) =>
  bytes.fill(0xa7, Math.floor((bytes.indexOf("mdat") + bytes.length) / 2)),
);

/** A clip with every third byte of its media data changed. */
export const riddledClip = changed(SMALL, "riddled-3", (bytes) => {
  for (let at = bytes.indexOf("mdat") + 4; at < bytes.length; at += 3) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  return bytes;
});

/** A clip with an intact container and media data of only zeros. */
export const undecodableClip = changed(SMALL, "zeros", (bytes) => bytes.fill(0, bytes.indexOf("mdat") + 4));

const withIndex = (name: string, index: Buffer) =>
  changed(SMALL, name, (bytes) => {
    const at = bytes.indexOf("moov") - 4;
    return Buffer.concat([bytes.subarray(0, at), index, bytes.subarray(at + bytes.readUInt32BE(at))]);
  });
export const clipWithoutIndex = withIndex("no-moov", Buffer.alloc(0));
export const clipWithEmptyIndex = withIndex("empty-moov", Buffer.from("\0\0\0\x08moov", "latin1"));

/** A WebM with a size of 0x0 in its header. */
export const sizelessClip = () => withPictureSize(0, 0);

/** A small file whose container and codec claim pictures with sides of this many pixels. */
export const giantPictureClip = (side: 8191 | 16383) => withPictureSize(side, side);

/** Five hours in a few kilobytes, with one picture every ten minutes. */
export async function fiveHourClip(): Promise<string> {
  return makeClip({ durationSeconds: 5 * 3600, width: 64, height: 64, container: "mp4", audio: false, framesPerSecond: 1 / 600 });
}

const withTimes = (name: string, value: number, offset: number) =>
  changed(SMALL, name, (bytes) => {
    bytes.writeUInt32BE(value, bytes.indexOf("stts") + offset);
    return bytes;
  });
/** An index that claims a quarter of a billion entries and has a few. */
export const swollenIndexClip = withTimes("stts-bomb", 0x0fffffff, 8);
/** A few entries for a very large number of frames without data. */
export const denseIndexClip = withTimes("dense-index", 0x7fffffff, 12);

/**
 * Five pictures of noise over and over, one a second. A decoder that keeps all five needs a few bytes for each that follows. Our
 * encoder keeps fewer, and writes each of them again: 0.5 MB for 500 pictures become 28 MB.
 */
export function loopingNoiseClip(pictures: number): Promise<string> {
  return makeWith(noiseArgs(pictures, "ref=6:keyint=infinite:scenecut=0:weightp=0:mbtree=0:rc-lookahead=0", "matroska"), "mkv");
}

/** The same, in a file that declares a duration of one second. */
export const understatedNoiseClip = (pictures: number) =>
  changed(() => loopingNoiseClip(pictures), "understated", declaringInMatroska(1))();

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
  };
}

async function withPictureSize(width: number, height: number): Promise<string> {
  // At this size, the container uses two bytes for each number.
  const clip = await makeClip({ durationSeconds: 1, width: 320, height: 272, container: "webm", audio: false });
  return derive(clip, `${width}x${height}`, (bytes) => {
    const file = Buffer.from(bytes);
    file.writeUInt16BE(width, file.indexOf(Buffer.from("b0820140", "hex")) + 2);
    file.writeUInt16BE(height, file.indexOf(Buffer.from("ba820110", "hex")) + 2);
    // Every VP8 key frame has the size again, after its start code.
    const startCode = Buffer.from("9d012a", "hex");
    for (let at = file.indexOf(startCode); at !== -1; at = file.indexOf(startCode, at + 1)) {
      file.writeUInt16LE(width, at + 3);
      file.writeUInt16LE(height, at + 5);
    }
    return file;
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
