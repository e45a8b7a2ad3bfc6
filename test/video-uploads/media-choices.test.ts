/** What the media engine decides by itself, without ffmpeg. `clips.slow.test.ts` shows that it is right for files. */
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { resolve } from "../../src/contract/bundle.ts";
import { boundOutput } from "../../src/media/bounded-output.ts";
import { chooseVideo, rankSounds, requireDecodable, type Stream } from "../../src/media/choose-streams.ts";
import { shiftsOf, type Jump } from "../../src/media/clocks.ts";
import { coloursOf } from "../../src/media/colours.ts";
import { containerOf, recogniseContainer } from "../../src/media/container.ts";
import { spriteArgs } from "../../src/media/ffmpeg-args.ts";
import { fitFrame } from "../../src/media/frame-size.ts";
import { isTruncated } from "../../src/media/is-truncated.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { orientationOf, uprightFilters } from "../../src/media/orientation.ts";
import { createProgressReader } from "../../src/media/progress.ts";
import { sharesSamples } from "../../src/media/sample-sizes.ts";
import { planSprite } from "../../src/media/sprite-plan.ts";
import { renditionsOf } from "../../src/media/transcode.ts";
import { contract } from "../support/contract.ts";
import { anyEngine, makeClip, temporaryFolder } from "../support/media.ts";
import { sentence } from "../support/sentence.ts";
import { box, forgedTruncatedClip, uint32s } from "./support/media-hostile.ts";

const all = Buffer.concat;

describe("the renditions of a video", () => {
  it.each([
    ["landscape", 1920, 1080, ["480p 854x480", "720p 1280x720"]],
    ["portrait", 1080, 1920, ["480p 480x854", "720p 720x1280"]],
    ["exactly 720 lines", 1280, 720, ["480p 854x480", "720p 1280x720"]],
    ["one line less", 1278, 719, ["480p 854x480"]],
    ["smaller than all", 160, 120, ["480p 160x120"]],
    ["odd sides", 161, 121, ["480p 160x120"]],
    ["long and narrow", 4000, 100, ["480p 1920x48"]],
    ["high and narrow", 100, 4000, ["480p 48x1920"]],
  ])("keep its shape, and are never larger: %s", (_what, width, height, expected) => {
    expect(renditionsOf({ width, height }).map((it) => `${it.name} ${it.width}x${it.height}`)).toEqual(expected);
  });

  it("can have the largest sides in the contract", () => {
    const { width, height } = resolve<{ properties: Record<string, { maximum: number }> }>(contract, {
      $ref: "#/components/schemas/VideoResult",
    }).properties;
    expect([width!.maximum, height!.maximum]).toEqual(Array(2).fill(DEFAULT_MEDIA_LIMITS.frameSideMax));
  });

  it.each([
    [1080, 1920, 720, 720, 1280],
    [321, 241, 480, 320, 240],
    [1, 1, 480, 2, 2],
    [1, 3, 480, 2, 2],
    [8000, 2, 480, 8000, 2],
    [65_520, 16, 480, 8190, 2],
    [65_535, 2, 480, 16_384, 2],
    [3, 100, 480, 2, 66],
    [853, 481, 480, 852, 480],
  ])("have even sides: %dx%d with a shorter side of at most %d is %dx%d", (width, height, shortSide, fitWidth, fitHeight) => {
    expect(fitFrame({ width, height }, shortSide)).toEqual({ width: fitWidth, height: fitHeight });
  });
});

/** What ffmpeg is told to make of a video: the size of a tile, columns and rows, and how many tiles there are. */
function layoutOf(durationSeconds: number, width: number, height: number): string[] {
  const sprite = { ...planSprite({ durationMs: durationSeconds * 1_000, width, height }), path: "/made/sprite.jpg" };
  const args = spriteArgs({ path: "/made/480p.mp4", container: "mp4", limits: DEFAULT_MEDIA_LIMITS }, sprite);
  const tiled = args[args.indexOf("-vf") + 1]!;
  return ["fps=([^:]*)", "pad=(\\d+:\\d+)", "tile=(.*)"].map((it) => new RegExp(it).exec(tiled)![1]!);
}

const AT_MOST = sentence("A sprite is one JPEG with at most 100 tiles, from left to right and from top to bottom.");
it.each([
  [1, 640, 360, ["1/1", "160:90", "1x1:nb_frames=1"]],
  [10, 640, 360, ["1/1", "160:90", "10x1:nb_frames=10"]],
  [13, 640, 360, ["1/1", "160:90", "10x2:nb_frames=13"]],
  [100, 360, 640, ["1/1", "90:160", "10x10:nb_frames=100"]],
  [100.001, 360, 640, ["1/2", "90:160", "10x6:nb_frames=51"]],
  [14_400, 16, 65_535, ["1/144", "2:160", "10x10:nb_frames=100"]],
])(`a sprite: ${AT_MOST} %d s of a picture of %d × %d`, (seconds, width, height, layout) => {
  expect(layoutOf(seconds, width, height)).toEqual(layout);
});

describe("the streams of a file", () => {
  const video = (more: Partial<Stream> = {}): Stream => ({
    ...{ index: 0, codec_type: "video", codec_name: "h264", width: 200, height: 100 },
    ...more,
  });
  const sound = (more: Partial<Stream> = {}): Stream => ({ index: 0, codec_type: "audio", codec_name: "aac", ...more });
  const second = { index: 1 };
  const isDefault = { disposition: { default: 1 } };

  it.each<[string, Stream[], number]>([
    ["the first of two equal ones", [video(), video(second)], 0],
    ["the one with more pixels, though it is less wide", [video(), video({ ...second, width: 150, height: 140 })], 1],
    ["the default one, though it is smaller", [video(), video({ ...second, ...isDefault, width: 20, height: 10 })], 1],
    ["one that can be decoded, rather than the default one", [video({ ...isDefault, codec_name: "vvc" }), video(second)], 1],
    ["no still image, even if it is the default one", [video({ ...isDefault, codec_name: "mjpeg" }), video(second)], 1],
    ["no cover", [video({ disposition: { attached_pic: 1 } }), video({ ...second, width: 2, height: 2 })], 1],
    ["no thumbnails of chapters", [video({ disposition: { timed_thumbnails: 1 } }), video({ ...second, width: 2 })], 1],
    ["a still image if there is nothing else", [video({ codec_name: "mjpeg" })], 0],
  ])("the video is %s", (_what, streams, index) => {
    expect(chooseVideo(streams, anyEngine()).index).toBe(index);
  });

  it("are refused without a video, or with one that can't be decoded", () => {
    for (const streams of [[], [sound()], [video({ disposition: { attached_pic: 1 } })], [video({ codec_name: "vvc" })]])
      expect(() => chooseVideo(streams, anyEngine())).toThrow("unsupported_media");
  });

  it.each<[string, Stream[], number | undefined]>([
    ["the first of two equal ones", [sound(), sound(second)], 0],
    ["the default one", [sound(), sound({ ...second, ...isDefault })], 1],
    ["one that can be decoded, rather than the default one", [sound({ ...isDefault, codec_name: "dts" }), sound(second)], 1],
    ["one whose decoder opens, rather than the default one", [sound({ ...isDefault, isBroken: true }), sound(second)], 1],
    ["the main one, rather than a narration", [sound({ disposition: { visual_impaired: 1, default: 1 } }), sound(second)], 1],
    ["the main one, rather than a commentary", [sound({ disposition: { comment: 1 } }), sound(second)], 1],
    ["the default one, though it is dubbed", [sound(), sound({ ...second, disposition: { dub: 1, default: 1 } })], 1],
    ["the original, rather than a dubbed one", [sound({ disposition: { dub: 1 } }), sound(second)], 1],
    ["none without a codec name", [{ index: 0, codec_type: "audio" }], undefined],
    ["none in a silent video", [video()], undefined],
  ])("the sound is %s", (_what, streams, index) => {
    expect(rankSounds(streams, video({ index: 9 }), [])[0]?.index).toBe(index);
  });

  it.each<[string, string, number[]]>([
    ["of the programme of the picture", "0 1, 2 3", [3]],
    ["of two programmes, if the picture is in both", "2 1, 2 3", [1, 3]],
    ["of none, if the programme of the picture has none", "0 1 3, 2", []],
    ["of all, without programmes", "", [1, 3]],
  ])("the sounds are those %s", (_what, programs, indexes) => {
    const [small, large] = [video({ index: 0, width: 20 }), video({ index: 2 })];
    const all = [small, sound({ index: 1 }), large, sound({ index: 3 })];
    const listed = programs.split(", ").filter(Boolean);
    const of = listed.map((it) => ({ streams: it.split(" ").map((index) => ({ index: Number(index) })) }));
    expect(rankSounds(all, chooseVideo(all, anyEngine()), of).map((it) => it.index)).toEqual(indexes);
  });

  it("are refused if no sound can be decoded, because the result would be silent", () => {
    expect(() => requireDecodable(sound({ codec_name: "dts" }))).toThrow("unsupported_media");
    expect(() => requireDecodable(sound({ isBroken: true }))).toThrow("corrupt_media");
    expect(() => requireDecodable(sound({ channels: 65 }))).toThrow("The sound has 65 channels");
  });
});

const SDR = { matrix: 1, primaries: 1, transfer: 1, isFullRange: false, isRgb: false };
it.each([
  ["nothing, in standard definition", { height: 576 }, { ...SDR, matrix: 6 }],
  ["nothing, in high definition", { height: 577 }, SDR],
  ["its matrix", { height: 1080, color_space: 6 }, { ...SDR, matrix: 6 }],
  ["its primaries", { height: 1080, color_primaries: 5 }, { ...SDR, primaries: 5 }],
  ["PQ alone", { height: 480, color_transfer: 16 }, { ...SDR, matrix: 9, primaries: 9, transfer: 16 }],
  ["wide primaries alone", { height: 480, color_primaries: 9 }, { ...SDR, matrix: 9, primaries: 9 }],
  ["full range", { height: 1080, color_range: 1 }, { ...SDR, isFullRange: true }],
  ["limited range", { height: 1080, color_range: 0 }, SDR],
  ["full range by its format", { height: 1080, pix_fmt: "yuvj420p" }, { ...SDR, isFullRange: true }],
  ["PQ and its matrix", { height: 1080, color_space: 1, color_transfer: 16 }, { ...SDR, primaries: 9, transfer: 16 }],
  ...["gbrp", "gbrap12le", "rgb24", "bgra", "argb", "0bgr", "x2rgb10le"].map(
    (pix_fmt) => [`RGB by its format ${pix_fmt}`, { height: 1080, pix_fmt }, { ...SDR, isRgb: true }] as const,
  ),
])("the colours of a video that declares %s", (_what, declared, colours) => {
  expect(coloursOf(declared)).toEqual(colours);
});

describe("the clocks of MPEG-TS", () => {
  // Segments of 4 s that begin at 1.4 s again, with sound that ends 20 ms later.
  const picture = (packet: number, jump = -4) => ({ packet, jump, endBefore: 5.4, startAfter: 1.4 });
  const sound = (packet: number, jump = -4) => ({ packet, jump, endBefore: 5.42, startAfter: 1.39 });
  type Shifts = [packet: number, seconds: number][];
  const later = (shifts: Shifts) => shifts.map(([packet, seconds]) => ({ packet, seconds: expect.closeTo(seconds, 6) }));
  const twice = (packet: number): Shifts => [1, 2].map((time) => [time * packet, 4.03]);
  it.each<[string, Jump[], Jump[] | null, Shifts, Shifts]>([
    ["continue after both have ended", [picture(100), picture(200)], [sound(190), sound(380)], twice(100), twice(190)],
    ["that stop for the sound alone are a gap", [], [sound(190, 15)], [], []],
    ["that stop for the picture alone are a gap", [picture(100, 15)], [], [], []],
    ["that go back for the sound alone continue there", [], [sound(190)], [], [[190, 4.03]]],
    ["that begin again after a gap are found", [picture(100)], [sound(50, 15), sound(190)], [[100, 4.03]], [[190, 4.03]]],
    ["of a silent file continue at once", [picture(100, 3_600)], null, [[100, 4]], []],
  ])("%s", (_what, video, audio, ofVideo, ofAudio) => {
    expect(shiftsOf(video, audio)).toEqual({ video: later(ofVideo), audio: later(ofAudio) });
  });
});

/** The bytes of a box of an MP4 file, with a declared size. */
const boxOf = (type: string, content: string, declared = 8 + content.length) =>
  all([uint32s(declared), Buffer.from(type + content, "latin1")]);
/** Packets of MPEG-TS with this many bytes, after a part of one. */
const packets = (first: number, bytes: number, count = 3) => {
  const file = Buffer.alloc(first + count * bytes, 0x20);
  for (let at = first; at < file.length; at += bytes) Buffer.from([0x47, 0, 0, 0x10]).copy(file, at);
  return file;
};
/** Writes a file of these bytes, and returns what is found in it. */
async function inFile<T>(bytes: Buffer, find: (path: string) => Promise<T>): Promise<T> {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "video.mp4");
  await writeFile(path, bytes);
  return await find(path);
}

describe("a container", () => {
  const MEDIA = boxOf("mdat", "x".repeat(2 ** 24));
  it.each<[string | null, string | Buffer]>([
    ["mp4", boxOf("ftyp", "isom\0\0\0\0")],
    ["mp4", boxOf("ftyp", "????\0\0\0\0mp42")],
    ["mov", boxOf("ftyp", "qt  \0\0\0\0")],
    ["mov", boxOf("moov", "....")],
    ["mov", boxOf("pnot", "....")],
    ["webm", "\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm...."],
    ["mkv", "\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska"],
    ["avi", "RIFF....AVI LIST"],
    ["ts", packets(0, 188)],
    ["ts", packets(4, 192)],
    [null, packets(1, 188)],
    [null, packets(0, 190)],
    ["mov", "\0\0\0\x08wide\0\0\0\0mdat"],
    [null, boxOf("ftyp", "avif\0\0\0\0mif1")],
    [null, "\x1aE\xdf\xa3\x80\x42\x82\x84elbmrest"],
    [null, boxOf("ftyp", "isom").subarray(0, 11)],
    // A picture, although it also names a brand of videos.
    [null, boxOf("ftyp", "heic\0\0\0\0mp42")],
    [null, "RIFF....WAVEfmt "],
    [null, "moov or less"],
    [null, "short"],
  ])("is recognised by its first bytes: %s", (container, head) => {
    expect(recogniseContainer(Buffer.from(head as string, "latin1"))).toBe(container);
  });

  it.each<[string | null, string, Buffer]>([
    ["mov", "16 MiB of media data, with its index behind", all([MEDIA, boxOf("moov", "")])],
    [null, "such a box without another one behind", all([MEDIA, Buffer.from("and more text")])],
    [null, "a text that could be one", Buffer.from("The mdat of a file".repeat(20))],
    ["empty", "no bytes", Buffer.alloc(0)],
    ["ts", "the rest of a packet", packets(99, 188, 30)],
    ["ts", "the rest of a packet, and error correction after each", packets(99, 204, 30)],
    [null, "packets of another size", packets(99, 190, 30)],
  ])("is recognised in a file as %s if it begins with %s", async (container, _what, bytes) => {
    const found = inFile(bytes, async (path) => {
      await using file = await open(path, "r");
      return await containerOf(file);
    });
    expect(await found).toBe(container);
  });

  it.each([
    ["its data", "mdat", true],
    ["its index", "moov", true],
    ["padding", "free", false],
  ])("that ends inside of %s counts as truncated, or not", async (_what, type, expected) => {
    const at = (last: Buffer) => inFile(all([boxOf("ftyp", "isom"), last]), (path) => isTruncated(path, "mp4"));
    expect(await at(boxOf(type, "x".repeat(20)))).toBe(false);
    expect(await at(boxOf(type, "x".repeat(20), 29))).toBe(expected);
  });
});

it("the progress of ffmpeg advances with time or frames, and never goes back", () => {
  const times: number[] = [];
  const read = createProgressReader((ms) => void times.push(ms));
  const lines = "out_time_us=N/A frame=0 frame=1 out_time_us=1500 out_time_us=1500 frame=1 speed=2 out_time_us=9999".split(" ");
  expect(lines.map(read)).toEqual([false, false, true, true, false, false, false, true]);
  expect(times).toEqual([1, 9]);
});

const nested = (types: string, content: Buffer) => {
  const names = types.split(" ");
  const sizeAt = (depth: number) => content.length + 8 * (names.length - depth);
  return all([...names.flatMap((type, depth) => [uint32s(sizeAt(depth)), Buffer.from(type)]), content]);
};
const track = (kind: "vide" | "soun", ...tables: readonly Buffer[]): Buffer => {
  const handler = box("hdlr", all([uint32s(0, 0), Buffer.from(kind), uint32s(0, 0, 0)]));
  return nested("moov trak mdia", all([handler, nested("minf stbl", all(tables))]));
};
const sizes = (...values: readonly number[]) => box("stsz", uint32s(0, 0, values.length, ...values));
const fragment = (...boxes: readonly Buffer[]) => nested("moof traf", all(boxes));
const MEGABYTE = 1_000_000;

it.each([
  ["a table of sizes", track("vide", sizes(10, MEGABYTE))],
  ["a size and a count", track("vide", box("stsz", uint32s(0, 1_000, 1_000)))],
  ["sizes of 16 bits", track("vide", box("stz2", uint32s(0, 16, 2, 0xffff_ffff)))],
  ["sizes of 8 bits", track("vide", box("stz2", uint32s(0, 8, 4, 0xffff_ffff)))],
  ["two tracks that are too large together", all([track("vide", sizes(150)), track("vide", sizes(250))])],
  ["the sizes of a fragment, beside their durations", fragment(box("trun", uint32s(0x301, 2, 8, 1, 10, 1, MEGABYTE)))],
  ["the size of a fragment and a count", fragment(box("tfhd", uint32s(0x10, 1, 1_000)), box("trun", uint32s(0, 1_000)))],
  [
    "the size of all fragments of a track and a count",
    all([
      nested("moov mvex", box("trex", uint32s(0, 7, 1, 0, 1_000, 0))),
      fragment(box("tfhd", uint32s(0, 7)), box("trun", uint32s(0, 999))),
    ]),
  ],
])("an index that lists more data than the file has is found in %s", async (_what, file) => {
  expect(await inFile(file, sharesSamples)).toBe(true);
});

it.each([
  ["is right", track("vide", sizes(10, 20, 30))],
  ["has the sizes of old sound, which have another unit", track("soun", sizes(MEGABYTE))],
  ["has fewer sizes than it claims", track("vide", box("stsz", uint32s(0, 0, 0xffff_ffff, 1, 2)))],
  ["is cut in its header", track("vide", box("stsz", uint32s(0)))],
  ["has boxes without a size", all([uint32s(0), Buffer.from("moov"), uint32s(7), Buffer.from("trak")])],
  ["has a size of 64 bits behind its end", all([uint32s(1), Buffer.from("moov"), uint32s(0xffff_ffff, 0xffff_ffff)])],
  ["is nested without an end", nested("moov ".repeat(10_000).trim(), Buffer.alloc(0))],
  ["has a hundred thousand boxes", nested("moov", all(Array.from({ length: 100_000 }, () => box("free", Buffer.alloc(0)))))],
])("nothing is found in an index that %s", async (_what, file) => {
  expect(await inFile(file, sharesSamples)).toBe(false);
});

it("real clips list no more data than they have, whole or in fragments, unless they are cut", async () => {
  const clip = { durationSeconds: 2, width: 320, height: 240 } as const;
  for (const recipe of [{ container: "mp4" }, { container: "mov" }, { container: "mp4", live: true }] as const)
    expect(await sharesSamples(await makeClip({ ...clip, ...recipe }))).toBe(false);
  expect(await sharesSamples(await forgedTruncatedClip())).toBe(true);
});

type Picture = readonly (readonly string[])[];
const clockwise = (it: Picture): Picture => it[0]!.map((_, x) => it.map((row) => row[x]!).toReversed());
/** What the filters of ffmpeg do. */
const FILTERS: Readonly<Record<string, (it: Picture) => Picture>> = {
  hflip: (it) => it.map((row) => row.toReversed()),
  vflip: (it) => it.toReversed(),
  "transpose=clock": clockwise,
  "transpose=cclock": (it) => clockwise(clockwise(clockwise(it))),
};

/** The picture as a player shows it: each point (x, y) moves to (ax + cy, bx + dy), with axes to the right and down. */
function shown(picture: Picture, [a, b, c, d]: readonly number[]): Picture {
  const points = picture.flatMap((row, y) => row.map((it, x) => ({ it, x: a! * x + c! * y, y: b! * x + d! * y })));
  const at = (axis: "x" | "y") => [...new Set(points.map((point) => point[axis]))].toSorted((one, other) => one - other);
  return at("y").map((y) => at("x").map((x) => points.find((point) => point.x === x && point.y === y)!.it));
}

const fixed = (...values: readonly number[]) => `${values.map((it) => Math.round(it * 65_536)).join(" ")} 0`;
const matrixOf = ([a, b, c, d]: readonly number[]) =>
  ["00000000: " + fixed(a!, b!), "00000001: " + fixed(c!, d!), "00000002: 0 0 1073741824"].join("\n");

const PICTURE = ["abc", "def"].map((row) => [...row]);

it.each([
  ["as it is", [1, 0, 0, 1]],
  ["rotated by 90 degrees", [0, 1, -1, 0]],
  ["rotated by 180 degrees", [-1, 0, 0, -1]],
  ["rotated by 270 degrees", [0, -1, 1, 0]],
  ["mirrored", [-1, 0, 0, 1]],
  ["mirrored, and rotated by 90 degrees", [0, -1, -1, 0]],
  ["mirrored, and rotated by 180 degrees", [1, 0, 0, -1]],
  ["mirrored, and rotated by 270 degrees", [0, 1, 1, 0]],
  ["rotated by 45 degrees, as it is", [1, 0, 0, 1], [Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2, Math.SQRT1_2]],
  ["rotated by 100 degrees, as by 90", [0, 1, -1, 0], [-0.17, 0.98, -0.98, -0.17]],
])("renditions show a video as a player does: %s", (_what, matrix, declared = matrix) => {
  const filters = uprightFilters(orientationOf(matrixOf(declared)));
  expect(filters.reduce((picture, filter) => FILTERS[filter]!(picture), PICTURE as Picture)).toEqual(shown(PICTURE, matrix));
});

const ended = { exitCode: 0, exitSignal: null, stoppedFor: null, stdout: "", stderr: "" };

it("output that has reached its limit fails, though the tool reports success, and so do several files together", async () => {
  for (const files of [[1_000], [999, 1]]) {
    await using folder = await temporaryFolder();
    const limits = { ...DEFAULT_MEDIA_LIMITS, resultAlwaysBytes: 0, resultRatioMax: 10 };
    const plan = { sourceBytes: 100, plannedBytes: 2_000 };
    const output = await boundOutput(folder.path, plan, limits, { minFreeBytes: 0, quotaBytes: Infinity });
    expect(output.maxBytes).toBe(1_000);
    const write = (sizeBytes: number, index: number) => writeFile(join(folder.path, `${index}.mp4`), Buffer.alloc(sizeBytes));
    await write(998, 0);
    await expect(output.check(ended)).resolves.toBeUndefined();
    for (const [index, sizeBytes] of files.entries()) await write(sizeBytes, index);
    await expect(output.check(ended)).rejects.toMatchObject({ code: "result_too_large", retryable: false });
    await write(1_001, 0);
    expect(await output.inspect()).toBe("result_limit");
  }
});
