/** The table of formats: whatever device made a video, the rendition shows it as it was, with every engine on this machine. */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Container } from "../../src/media/container.ts";
import type { Engine } from "../../src/media/engine.ts";
import { probe } from "../../src/media/probe.ts";
import { transcode } from "../../src/media/transcode.ts";
import { allEngines, canMakeHevc, derive, makeWith, transformTracks } from "../support/media.ts";
import { combing, FILM_MS, filmPicture, filmSound, flash, FLASH_MS, examine, momentsOf } from "./support/media-film.ts";
import { sized } from "../support/size.ts";

const UPRIGHT = "red green blue yellow";
const AV_OFFSET_MAX_MS = 40;

type Format = {
  readonly what: string;
  readonly make: () => Promise<string>;
  /** What differs from a plain film of two seconds. */
  readonly width?: number;
  readonly height?: number;
  readonly quarters?: string;
  readonly durationMs?: number;
  /** Each clock may add or lose a frame. */
  readonly clocks?: number;
  readonly flashMs?: number;
  readonly framesPerSecond?: number;
  readonly container?: Container;
  readonly videoCodec?: string;
  readonly audioCodec?: string;
};

const lavfi = (...sources: string[]) => sources.flatMap((it) => ["-f", "lavfi", "-i", it]);
const H264 = "-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 25".split(" ");
const HEVC = "-c:v libx265 -preset ultrafast -x265-params log-level=error -pix_fmt yuv420p".split(" ");
const AAC = "-c:a aac".split(" ");
/** Another picture and encoding of the film. */
const filmAs = (options: string, extension: string, ...filters: string[]) =>
  makeWith([...lavfi([filmPicture(), ...filters].join(","), filmSound()), ...options.split(" ")], extension);
const film = (options: string, extension: string) =>
  makeWith([...lavfi(filmPicture(), filmSound()), ...H264, ...AAC, ...options.split(" ")], extension);
const plain = () => film("-f mp4", "mp4");
/** A copy of the streams of the plain film. */
async function copied(options: string, extension: string, before = ""): Promise<string> {
  const source = await plain();
  const args = [...before.split(" "), "-i", `file:${source}`, "-c", "copy", ...options.split(" ")];
  return makeWith(
    args.filter((it) => it !== ""),
    extension,
    [source],
  );
}
async function joined(): Promise<string> {
  const second = await readFile(await film("-g 10 -output_ts_offset 3600 -f mpegts", "ts"));
  return derive(await film("-g 10 -f mpegts", "ts"), "joined.ts", (first) => Buffer.concat([first, second]));
}
/** The plain film with this matrix, as [where the right side goes, where the lower side goes], to the right and down. */
async function transformed(...matrix: [number, number, number, number]): Promise<string> {
  return derive(await plain(), `matrix${matrix.join("_")}.mp4`, (bytes) => transformTracks(bytes, matrix));
}
/** With one cover of this type and a font. */
async function covered(codec: string, mimetype: string): Promise<string> {
  const [source, cover] = [
    await plain(),
    await makeWith([...lavfi("color=white:size=640x480:rate=1:duration=1"), "-c:v", codec, "-f", "image2pipe"], codec),
  ];
  const attach = ["-attach", cover, "-metadata:s:t:0", `mimetype=${mimetype}`, "-metadata:s:t:0", "filename=cover"];
  const font = ["-attach", cover, "-metadata:s:t:1", "mimetype=font/ttf", "-metadata:s:t:1", "filename=font.ttf"];
  return makeWith(["-i", `file:${source}`, "-c", "copy", ...attach, ...font, "-f", "matroska"], "mkv", [source, cover]);
}
/** With several sounds, of which the beep of one is too early. `which` are options of the streams. */
const withSounds = (which: string) =>
  makeWith(
    [
      ...lavfi(filmPicture(), filmSound(0.4), filmSound()),
      ...H264,
      ...AAC,
      ..."-map 0 -map 1 -map 2".split(" "),
      ...which.split(" "),
    ],
    "mkv",
  );

const FORMATS: readonly Format[] = [
  { what: "an MP4 with its index at the end", make: plain },
  { what: "an MP4 with its index at the front", make: () => copied("-movflags faststart -f mp4", "mp4") },
  { what: "an MP4 in fragments", make: () => copied("-movflags frag_keyframe+empty_moov+delay_moov -f mp4", "mp4") },
  {
    what: "a rotation by 90 degrees",
    make: () => transformed(0, 1, -1, 0),
    width: 240,
    height: 320,
    quarters: "blue red yellow green",
  },
  { what: "a rotation by 180 degrees", make: () => transformed(-1, 0, 0, -1), quarters: "yellow blue green red" },
  {
    what: "a rotation by 270 degrees",
    make: () => transformed(0, -1, 1, 0),
    width: 240,
    height: 320,
    quarters: "green yellow red blue",
  },
  { what: "left and right exchanged", make: () => transformed(-1, 0, 0, 1), quarters: "green red yellow blue" },
  { what: "top and bottom exchanged", make: () => transformed(1, 0, 0, -1), quarters: "blue yellow red green" },
  {
    what: "a mirrored rotation",
    make: () => transformed(0, 1, 1, 0),
    width: 240,
    height: 320,
    quarters: "red blue green yellow",
  },
  { what: "a rotation by 45 degrees", make: () => transformed(Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2, Math.SQRT1_2) },
  {
    what: "a rotation by 100 degrees",
    make: () => transformed(-0.17, 0.98, -0.98, -0.17),
    width: 240,
    height: 320,
    quarters: "blue red yellow green",
  },
  {
    what: "pixels that are not square",
    make: () =>
      makeWith([...lavfi(`${filmPicture()},scale=240:240,setsar=4/3`, filmSound()), ...H264, ...AAC, "-f", "mp4"], "mp4"),
  },
  {
    what: "a varying frame rate",
    make: () => film("-vf select='not(eq(mod(n,3),2))' -fps_mode vfr -f mp4", "mp4"),
    framesPerSecond: 12,
  },
  { what: "an edit list", make: () => copied("-f mp4", "mp4", "-ss 0.52"), durationMs: 1_480, flashMs: 480 },
  {
    what: "240 frames a second",
    make: () => makeWith([...lavfi(filmPicture({ framesPerSecond: 240 }), filmSound()), ...H264, ...AAC, "-f", "mp4"], "mp4"),
    framesPerSecond: 60,
  },
  { what: "sound of 5.1 channels", make: () => film("-ac 6 -f mp4", "mp4") },
  { what: "sound that begins late", make: () => film("-af atrim=start=0.5 -f mp4", "mp4") },
  { what: "sound that begins late, in Matroska", make: () => film("-af atrim=start=0.5 -f matroska", "mkv") },
  { what: "pictures that begin late", make: () => film("-vf trim=start=0.48 -f mp4", "mp4") },
  {
    what: "HEVC",
    make: () => makeWith([...lavfi(filmPicture(), filmSound()), ...HEVC, ...AAC, "-f", "mp4"], "mp4"),
    videoCodec: "hevc",
  },
  {
    what: "HEVC in 8K",
    make: () => {
      const picture = filmPicture({ framesPerSecond: 5, width: 7680, height: 4320 });
      return makeWith([...lavfi(picture, filmSound()), ...HEVC, ...AAC, "-f", "mp4"], "mp4");
    },
    width: 7680,
    height: 4320,
    framesPerSecond: 5,
    videoCodec: "hevc",
  },
  {
    what: "VP9 and Opus in WebM",
    make: () =>
      makeWith(
        [
          ...lavfi(filmPicture(), filmSound()),
          ..."-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus -f webm".split(" "),
        ],
        "webm",
      ),
    videoCodec: "vp9",
    audioCodec: "opus",
  },
  { what: "H.264 and AAC in MPEG-TS", make: () => film("-g 10 -f mpegts", "ts"), container: "ts" },
  {
    what: "MPEG-2 and MP2 in MPEG-TS",
    make: () => filmAs("-c:v mpeg2video -q:v 3 -c:a mp2 -f mpegts", "ts"),
    container: "ts",
    videoCodec: "mpeg2video",
    audioCodec: "mp2",
  },
  {
    what: "H.264 and AC-3 from a camcorder (M2TS)",
    make: () => filmAs([...H264, ..."-g 10 -c:a ac3 -mpegts_m2ts_mode 1 -f mpegts".split(" ")].join(" "), "m2ts"),
    container: "ts",
    audioCodec: "ac3",
  },
  {
    what: "MPEG-TS that starts after an hour",
    make: () => film("-g 10 -output_ts_offset 3600 -f mpegts", "ts"),
    container: "ts",
  },
  { what: "MPEG-TS of two recordings with different clocks", make: joined, container: "ts", durationMs: 2 * FILM_MS, clocks: 2 },
  {
    what: "MPEG-4 and MP3 in AVI",
    make: () => filmAs("-c:v mpeg4 -q:v 3 -c:a libmp3lame -f avi", "avi"),
    container: "avi",
    videoCodec: "mpeg4",
    audioCodec: "mp3",
  },
  {
    what: "Motion JPEG and PCM in AVI",
    make: () => filmAs("-c:v mjpeg -q:v 3 -pix_fmt yuvj420p -c:a pcm_s16le -f avi", "avi"),
    container: "avi",
    videoCodec: "mjpeg",
    audioCodec: "pcm_s16le",
  },
  {
    what: "DV in AVI",
    make: () => filmAs("-c:v dvvideo -pix_fmt yuv420p -c:a pcm_s16le -ac 2 -f avi", "avi", "scale=720:576", "setsar=16/15"),
    container: "avi",
    width: 768,
    height: 576,
    videoCodec: "dvvideo",
    audioCodec: "pcm_s16le",
  },
  { what: "a JPEG cover and a font", make: () => covered("mjpeg", "image/jpeg") },
  { what: "a GIF cover and a font", make: () => covered("gif", "image/gif") },
  { what: "a TIFF cover and a font", make: () => covered("tiff", "image/tiff") },
  {
    what: "a small preview before the film",
    make: () =>
      makeWith(
        [
          ...lavfi("color=white:size=32x32:rate=25:duration=2", filmPicture(), filmSound()),
          ...H264,
          ...AAC,
          ..."-map 0 -map 1 -map 2 -g 10 -c:v:0 mjpeg -pix_fmt:v:0 yuvj420p -f matroska".split(" "),
        ],
        "mkv",
      ),
  },
  {
    what: "a small film before the default one",
    make: () =>
      makeWith(
        [
          ...lavfi("color=white:size=640x480:rate=25:duration=2", filmPicture(), filmSound()),
          ...H264,
          ...AAC,
          ..."-map 0 -map 1 -map 2 -disposition:v:0 0 -disposition:v:1 default -f matroska".split(" "),
        ],
        "mkv",
      ),
  },
  { what: "the second sound as the default", make: () => withSounds("-disposition:a:0 0 -disposition:a:1 default -f matroska") },
  { what: "DTS first and AAC second", make: () => withSounds("-c:a:0 dca -strict -2 -f matroska") },
  {
    what: "DTS as the default and AAC second",
    make: () => withSounds("-c:a:0 dca -strict -2 -disposition:a:0 default -disposition:a:1 0 -f matroska"),
  },
  { what: "a Matroska file that starts after an hour", make: () => copied("-output_ts_offset 3600 -f matroska", "mkv") },
  {
    what: "a recording that starts after 20,000 seconds",
    make: () => copied("-output_ts_offset 20000 -live 1 -f matroska", "mkv"),
  },
  { what: "a Matroska file that starts after 20,000 seconds", make: () => copied("-output_ts_offset 20000 -f matroska", "mkv") },
  { what: "an MP4 that starts after an hour", make: () => copied("-output_ts_offset 3600 -f mp4", "mp4") },
  {
    what: "a film that starts an hour after sound that isn't used",
    make: () =>
      makeWith(
        [
          ..."-itsoffset 3600".split(" "),
          ...lavfi(filmPicture()),
          ...lavfi(filmSound()),
          ..."-itsoffset 3600".split(" "),
          ...lavfi(filmSound()),
          ...H264,
          ...AAC,
          ..."-map 0 -map 1 -map 2 -c:a:0 dca -strict -2 -f matroska".split(" "),
        ],
        "mkv",
      ),
  },
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-formats-"));
  // The engine must read it, and runs as another user if root runs the tests.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** How far durations are off, and sound is from its picture, for the reader. */
const largest = { durationMs: 0, offsetMs: 0 };
afterAll(() => {
  const { durationMs, offsetMs } = largest;
  process.stderr.write(
    `durations are off by at most ${durationMs} ms, and sound by ${offsetMs.toFixed(0)} ms from its picture\n`,
  );
});

/** Probes and transcodes, as a job does. */
async function processed(engine: Engine, path: string) {
  const info = await probe(engine, path);
  return { info, ...(await transcode(engine, path, info, await mkdtemp(join(folder, "job-")))) };
}

/**
 * The embedded engine runs the same code, ten times as slowly, with fewer decoders. So it gets one format of each codec and container, or
 * with `TEST_SIZE=full` every one.
 */
function formatsFor(engine: Engine): readonly Format[] {
  const formats = FORMATS.filter((it) => it.videoCodec !== "hevc" || canMakeHevc());
  if (engine.kind === "native" || sized(false, true)) return formats;
  const kindOf = ({ container, videoCodec, audioCodec }: Format) => [container, videoCodec, audioCodec].join(" ");
  return [...new Map(formats.toReversed().map((it) => [kindOf(it), it])).values()];
}

describe.each(allEngines())("with the $kind engine", (engine) => {
  it.each(formatsFor(engine))(
    "a video with $what keeps its duration, orientation, shape, and sound and picture together",
    async ({ make, width = 320, height = 240, quarters = UPRIGHT, durationMs = FILM_MS, flashMs = FLASH_MS, ...format }) => {
      const frameMs = 1000 / (format.framesPerSecond ?? 25);
      const { info, poster, renditions } = await processed(engine, await make());
      const rendition = renditions[0]!;
      expect(info).toMatchObject({
        container: format.container ?? info.container,
        width,
        height,
        videoCodec: format.videoCodec ?? "h264",
        audioCodec: format.audioCodec ?? "aac",
      });
      largest.durationMs = Math.max(largest.durationMs, Math.abs(rendition.durationMs - durationMs));
      expect({
        source: within(info.durationMs, durationMs, frameMs * (format.clocks ?? 1)),
        rendition: within(rendition.durationMs, durationMs, frameMs * (format.clocks ?? 1)),
      }).toEqual({
        source: durationMs,
        rendition: durationMs,
      });
      for (const picture of [poster, rendition]) {
        expect(Math.abs((picture.width * height) / (picture.height * width) - 1)).toBeLessThan(0.01);
        const seen = await examine(picture.path, picture);
        expect(seen.quarters).toBe(quarters);
        expect(seen.squareAspect).toBeCloseTo(1, 1);
      }
      await expectTogether(rendition, flashMs, frameMs);
    },
    240_000,
  );
});

/** Fails unless flash and beep of a rendition begin at this time, and with each other. */
async function expectTogether({ path }: { readonly path: string }, flashMs = FLASH_MS, frameMs = 40): Promise<void> {
  const moments = await momentsOf(path);
  largest.offsetMs = Math.max(largest.offsetMs, Math.abs(moments.beepMs - moments.flashMs));
  expect({
    flashMs: within(moments.flashMs, flashMs, frameMs),
    beepMs: within(moments.beepMs, flashMs, AV_OFFSET_MAX_MS),
    offsetMs: within(moments.beepMs - moments.flashMs, 0, AV_OFFSET_MAX_MS),
  }).toEqual({ flashMs, beepMs: flashMs, offsetMs: 0 });
}

/** Upright bars that move to the side: half of each frame is from a fiftieth of a second later, as in an interlaced recording. */
const movingBars = (...filters: string[]) =>
  [
    `nullsrc=size=320x240:rate=50:duration=${FILM_MS / 1000}`,
    "geq=lum='if(mod(floor(X/16),2),235,16)':cb=128:cr=128",
    "scroll=horizontal=0.02",
    flash({ width: 320, height: 240 }),
    ...filters,
  ].join(",");
const INTERLACE = ["tinterlace=mode=interleave_top", "setfield=tff"];

describe.each(allEngines())("an interlaced video with the $kind engine", (engine) => {
  it.each([
    ["H.264", "-c:v libx264 -preset veryfast -flags +ildct+ilme -x264-params tff=1 -pix_fmt yuv420p -c:a aac -f mp4", "mp4"],
    ["MPEG-2 in MPEG-TS", "-c:v mpeg2video -q:v 2 -flags +ildct+ilme -top 1 -pix_fmt yuv420p -c:a mp2 -f mpegts", "ts"],
    ["ProRes", "-c:v prores_ks -flags +ildct -pix_fmt yuv422p10le -c:a pcm_s16le -f mov", "mov"],
  ])(
    "has no combs in poster and rendition (%s), one frame for each frame, and keeps sound and picture together",
    async (_, options, extension) => {
      const path = await makeWith([...lavfi(movingBars(...INTERLACE), filmSound()), ...options.split(" ")], extension);
      const { poster, renditions } = await processed(engine, path);
      // In the source, half of the lines are from another moment.
      expect(await combing(path, { width: 320, height: 240 })).toBeGreaterThan(20);
      for (const made of [poster, renditions[0]!]) expect(await combing(made.path, made)).toBeLessThan(4);
      const { framesPerSecond, durationMs } = await probe(engine, renditions[0]!.path);
      expect({ framesPerSecond, durationMs: within(durationMs, FILM_MS, 40) }).toEqual({
        framesPerSecond: 25,
        durationMs: FILM_MS,
      });
      await expectTogether(renditions[0]!);
    },
    240_000,
  );
});

describe.each(allEngines())("a very long and narrow video with the $kind engine", (engine) => {
  it.each([
    [4_000, 16, 2_000, 8],
    [16, 4_000, 8, 2_000],
  ] as const)(
    "of %dx%d keeps its shape, duration, orientation, and sound and picture together",
    async (width, height, madeWidth, madeHeight) => {
      const source = [...lavfi(filmPicture({ width, height }), filmSound()), ...H264, ...AAC, "-f", "mp4"];
      const { info, renditions } = await processed(engine, await makeWith(source, "mp4"));
      const { path, durationMs } = renditions[0]!;
      expect(await probe(engine, path)).toMatchObject({ width: madeWidth, height: madeHeight });
      expect([info.durationMs, durationMs].map((it) => within(it, FILM_MS, 40))).toEqual([FILM_MS, FILM_MS]);
      expect(await examine(path, renditions[0]!)).toMatchObject({ quarters: UPRIGHT });
      await expectTogether({ path });
    },
    240_000,
  );
});

describe.each(allEngines())("a video whose sound can't be decoded, with the $kind engine", (engine) => {
  it("is refused, because it would lose its sound", async () => {
    const silent = await makeWith(
      [...lavfi(filmPicture(), filmSound()), ...H264, ..."-c:a dca -strict -2 -f matroska".split(" ")],
      "mkv",
    );
    await expect(probe(engine, silent)).rejects.toMatchObject({
      code: "unsupported_media",
      detail: "The codec dts is not supported.",
    });
  });
});

/** The expected number if the other one is as near as this, so that a difference shows the number itself. */
const within = (actual: number, expected: number, tolerance: number) =>
  Math.abs(actual - expected) <= tolerance ? expected : actual;
