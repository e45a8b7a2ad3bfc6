/** Tests the results of transcoding, and broken, hostile and cancelled work, with every engine on this machine. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { fitFrame } from "../../src/media/frame-size.ts";
import { findEngine, type Engine } from "../../src/media/engine.ts";
import { probe } from "../../src/media/probe.ts";
import { createProgressReader } from "../../src/media/progress.ts";
import { transcode } from "../../src/media/transcode.ts";
import type { TranscodeOptions } from "../../src/media/transcode.ts";
import { crowding } from "../support/cpu.ts";
import * as hostile from "./support/media-hostile.ts";
import { enginesForSize, makeClip, makeStillEndingClip } from "../support/media.ts";
import { processesNaming } from "../support/processes.ts";
import { setCanary } from "./support/canary.ts";
import type { Canary } from "./support/canary.ts";
import { itNeeds } from "../support/needs.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const MIB = 1024 * 1024;

const clip = { durationSeconds: 2, width: 320, height: 240 } as const;
const slowClip = { durationSeconds: 20, width: 640, height: 480, container: "mp4" } as const;
let folder: string;
let canary: Canary;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-transcode-"));
  // The engine must read it, and runs as another user if root runs the tests.
  await chmod(folder, 0o755);
  canary = await setCanary(join(folder, "elsewhere"));
});
afterAll(async () => {
  await canary[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const newJobDir = (): Promise<string> => mkdtemp(join(folder, "job-"));

/** Probes and transcodes, as a job does. */
async function process(engine: Engine, path: string, options: TranscodeOptions = {}) {
  const info = await probe(engine, path, options);
  return transcode(engine, path, info, await newJobDir(), options);
}

describe.each(enginesForSize())("transcoding with the $kind engine", (engine) => {
  it.each(["mp4", "mov", "webm", "mkv"] as const)("creates an MP4 and a poster from a file of type %s", async (container) => {
    const { poster, renditions } = await process(engine, await makeClip({ ...clip, container }));
    expect(renditions).toMatchObject([{ name: "480p", contentType: "video/mp4", width: 320, height: 240 }]);
    expect(await probe(engine, renditions[0]?.path ?? "")).toMatchObject({
      container: "mp4",
      videoCodec: "h264",
      audioCodec: "aac",
      width: 320,
      height: 240,
      rotation: 0,
    });
    expect(Math.abs((renditions[0]?.durationMs ?? 0) - 2000)).toBeLessThan(100);
    const picture = await readFile(poster.path);
    expect(picture.subarray(0, 3)).toEqual(Buffer.from("ffd8ff", "hex"));
    expect(poster).toMatchObject({ contentType: "image/jpeg", width: 320, height: 240, sizeBytes: picture.length });
  });

  it("creates 480p and 720p renditions, but none that is larger than the source", async () => {
    const tall = await process(
      engine,
      await makeClip({ ...clip, width: 1280, height: 720, container: "mp4", framesPerSecond: 5 }),
    );
    expect(tall.renditions.map(({ name, width, height }) => [name, width, height])).toEqual([
      ["480p", 854, 480],
      ["720p", 1280, 720],
    ]);
    const nearly = await process(
      engine,
      await makeClip({ ...clip, width: 718, height: 718, container: "mp4", framesPerSecond: 5 }),
    );
    expect(nearly.renditions.map(({ name, width, height }) => [name, width, height])).toEqual([["480p", 480, 480]]);
  });

  it("transcodes a rotated video upright, and rounds odd sizes to even ones", async () => {
    const upright = await process(engine, await makeClip({ ...clip, container: "mp4", rotation: 90 }));
    expect(upright.poster).toMatchObject({ width: 240, height: 320 });
    expect(await probe(engine, upright.renditions[0]?.path ?? "")).toMatchObject({ width: 240, height: 320, rotation: 0 });
    const odd = await process(engine, await makeClip({ ...clip, width: 321, height: 241, container: "webm", audio: false }));
    expect(await probe(engine, odd.renditions[0]?.path ?? "")).toMatchObject({ width: 320, height: 240, audioCodec: null });
  });

  it("converts the video to square pixels without distortion, also with rotation", async () => {
    const wide = { ...clip, height: 120, pixelAspect: "4/3" } as const;
    for (const [recipe, width, height] of [
      [{ ...wide, container: "mp4" }, 426, 120],
      [{ ...wide, container: "webm" }, 426, 120],
      [{ ...wide, container: "mp4", rotation: 90 }, 120, 426],
      [{ ...wide, width: 960, height: 720, container: "mp4", framesPerSecond: 5 }, 854, 480],
    ] as const) {
      const { poster, renditions } = await process(engine, await makeClip(recipe));
      expect(poster).toMatchObject(height === 480 ? { width: 1280, height: 720 } : { width, height });
      expect(renditions[0]).toMatchObject({ width, height });
      // `probe` includes the aspect ratio of the pixels, so equal sizes mean square pixels.
      for (const it of renditions)
        expect(await probe(engine, it.path)).toMatchObject({ width: it.width, height: it.height, rotation: 0 });
    }
  }, 60_000);

  it("writes files that can play before they are fully loaded, without the metadata of the source", async () => {
    const { renditions } = await process(engine, await makeClip({ ...clip, container: "mp4", title: "Home, 12 Canal Street" }));
    const bytes = await readFile(renditions[0]?.path ?? "");
    expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
    expect(bytes.indexOf("Canal Street")).toBe(-1);
  });

  it("reports progress that never decreases and ends at 100", async () => {
    const percents: number[] = [];
    await process(engine, await makeClip(slowClip), {
      onProgress: (percent) => {
        percents.push(percent);
      },
    });
    expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
    expect(percents.at(0)).toBe(0);
    expect(percents.at(-1)).toBe(100);
    expect(percents.length).toBeGreaterThan(3);
  }, 60_000);

  it("ends its processes within a second after an abort", async () => {
    const path = await makeClip(slowClip);
    const info = await probe(engine, path);
    const outDir = await newJobDir();
    const abort = new AbortController();
    const reason = new Error("deleted by its owner");
    let abortedAtMs = 0;
    const working = transcode(engine, path, info, outDir, {
      signal: abort.signal,
      onProgress: (percent) => {
        if (percent === 5)
          setTimeout(() => {
            abortedAtMs = performance.now();
            abort.abort(reason);
          }, 300);
      },
    });
    await expect(working).rejects.toBe(reason);
    expect(performance.now() - abortedAtMs).toBeLessThan(1_000 * crowding());
    expect(await processesNaming(outDir)).toEqual([]);
  });

  it("fails with processing_timeout after the timeout and after a stall", async () => {
    const path = await makeClip(slowClip);
    const late = process(engine, path, { limits: { transcodeTimeoutMs: 300 } });
    await expect(late).rejects.toMatchObject({ code: "processing_timeout", cause: { stoppedFor: "timeout" } });
    const stalled = process(engine, path, { limits: { stallTimeoutMs: 50 } });
    await expect(stalled).rejects.toMatchObject({ code: "processing_timeout", cause: { stoppedFor: "stalled" } });
  });

  it.each([
    ["with truncated media data and corrected lengths", hostile.forgedTruncatedClip],
    ["that is intact but shorter than its probe", hostile.cleanlyCutClip],
    ["with one half overwritten", hostile.damagedClip],
    ["with every third byte flipped", () => hostile.riddledClip(3)],
    ["with only zeros as media data", hostile.undecodableClip],
    ["without an index", hostile.clipWithoutIndex],
  ])("fails with corrupt_media on a video %s, even after a valid probe", async (_, make) => {
    const info = await probe(engine, await makeClip({ ...clip, container: "mp4" }));
    const working = transcode(engine, await make(), info, await newJobDir());
    await expect(working).rejects.toMatchObject({ code: "corrupt_media", retryable: false });
  });

  it("does not treat a long last frame as a missing end", async () => {
    const { renditions } = await process(engine, await makeStillEndingClip());
    expect(renditions[0]?.durationMs).toBeGreaterThan(1900);
  });

  it("fails with too_long on a video that is longer than declared", async () => {
    const path = await makeClip({ ...clip, durationSeconds: 4, container: "mp4" });
    const info = { ...(await probe(engine, path)), durationMs: 500, videoDurationMs: 500 };
    const working = transcode(engine, path, info, await newJobDir(), { limits: { durationMaxMs: 1000 } });
    await expect(working).rejects.toMatchObject({ code: "too_long" });
  });

  it("limits the output for an index with very long frames, and fails on pictures that are too large", async () => {
    // The rendition has no more than the data, though the index claims more.
    const dense = await process(engine, await hostile.denseIndexClip());
    expect(dense.renditions).toMatchObject([{ name: "480p", width: 320, height: 240 }]);
    expect(dense.renditions[0]!.durationMs).toBeLessThan(2_500);
    expect(dense.renditions[0]!.sizeBytes).toBeLessThan(1_000_000);
    const info = await probe(engine, await makeClip({ ...clip, container: "webm" }));
    const giant = transcode(engine, await hostile.giantPictureClip(8191), info, await newJobDir());
    await expect(giant).rejects.toMatchObject({ code: "corrupt_media" });
  });

  it("opens no file outside the job and no socket for a source that references them", async () => {
    const info = await probe(engine, await makeClip({ ...clip, container: "mp4" }));
    const meals = Object.entries(hostile.textsNamingOthers(canary.victimPath, canary.url)).map(([name, text]) => ({
      name,
      bytes: Buffer.from(text),
    }));
    meals.push({
      name: "a clip naming another file",
      bytes: await readFile(await hostile.clipNamingAnotherFile(canary.victimPath)),
    });
    for (const { name, bytes } of meals) {
      const jobDir = await newJobDir();
      const path = join(jobDir, "source");
      await writeFile(path, bytes);
      await expect(transcode(engine, path, info, join(jobDir, "out"))).rejects.toMatchObject({ code: "corrupt_media" });
      expect({ [name]: await canary.reached() }).toEqual({ [name]: [] });
    }
    expect((await readdir(folder)).filter((name) => !/^(job-|elsewhere)/.test(name))).toEqual([]);
  }, 120_000);

  itNeeds("mount", "fails on a full disk with an error that can be retried, and does not call the video corrupt", async () => {
    const small = await newJobDir();
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=300k", "tmpfs", small]);
    try {
      const path = await makeClip(slowClip);
      const info = await probe(engine, path);
      const working = transcode(engine, path, info, join(small, "out"));
      await expect(working).rejects.toMatchObject({ code: "insufficient_storage", retryable: true, cause: { code: "ENOSPC" } });
    } finally {
      execFileSync("umount", [small]);
    }
  });

  it.each([
    ["result_too_large", "the limit of a file", { limits: { outputMaxBytes: 200_000 } }],
    ["result_too_large", "its source 20 times", { limits: { resultAlwaysBytes: 0, resultRatioMax: 1 / 8 } }],
    ["storage_quota_exceeded", "the quota of its owner", { budget: { minFreeBytes: 0, quotaBytes: 200_000 } }],
    ["storage_quota_exceeded", "a quota that is used up", { budget: { minFreeBytes: 0, quotaBytes: 0 } }],
  ])("fails with %s if the output exceeds %s, and never returns a cut video", async (code, _what, options) => {
    const working = process(engine, await makeClip(slowClip), options);
    await expect(working).rejects.toMatchObject({ code, retryable: false });
  });

  itNeeds("mount", "writes nothing if the disk has too little free space for its planned output", async () => {
    await using disk = await mountSmallDisk(8 * MIB);
    const path = await makeClip(slowClip);
    const budget = { minFreeBytes: 4 * MIB, quotaBytes: Infinity };
    const working = transcode(engine, path, await probe(engine, path), join(disk.path, "made"), { budget });
    await expect(working).rejects.toMatchObject({ code: "insufficient_storage", retryable: true, cause: { code: "ENOSPC" } });
    expect(await readdir(join(disk.path, "made"))).toEqual([]);
  });

  itNeeds(
    "mount",
    "blames the video for a full disk only if its output is the larger part of what has filled it",
    async () => {
      const path = await hostile.understatedNoiseClip(500);
      const info = await probe(engine, path);
      for (const [leftBytes, othersBytes, retryable] of [
        [4 * MIB, 0, false],
        [64 * MIB, 62 * MIB, true],
        [12 * MIB, 4 * MIB, false],
      ] as const) {
        await using disk = await mountSmallDisk(96 * MIB);
        const working = transcode(engine, path, info, join(disk.path, "made"), {
          limits: { resultAlwaysBytes: 96 * MIB },
          budget: { minFreeBytes: 96 * MIB - leftBytes, quotaBytes: Infinity },
          onProgress: (percent) => {
            if (percent === 5) writeFileSync(join(disk.path, "others"), Buffer.alloc(othersBytes));
          },
        });
        await expect(working).rejects.toMatchObject({ code: "insufficient_storage", retryable });
      }
    },
    240_000,
  );

  it("reads a large sparse source without loading it into memory", async () => {
    const jobDir = await newJobDir();
    const path = join(jobDir, "large.mp4");
    const bytes = await readFile(await makeClip({ ...clip, container: "mp4" }));
    await writeFile(path, bytes);
    await using file = await open(path, "r+");
    const padding = Buffer.from("\0\0\0\x01free\0\0\0\0\0\0\0\0", "latin1");
    padding.writeBigUInt64BE(2_500_000_000n, 8);
    await file.write(padding, 0, padding.length, bytes.length);
    await file.truncate(bytes.length + 2_500_000_000);
    await mkdir(join(jobDir, "out"));
    const info = await probe(engine, path, { limits: { memoryMaxBytes: 512 * 1024 * 1024 } });
    const made = await transcode(engine, path, info, join(jobDir, "out"), { limits: { memoryMaxBytes: 512 * 1024 * 1024 } });
    expect(made.renditions).toHaveLength(1);
  });
});

itNeeds(
  "ffmpeg",
  "a transcode has not stalled while it rewrites its output, which ffmpeg does at the end without a report",
  async () => {
    const tools = await newJobDir();
    const real = findEngine({ mode: "native" }).description.replace(/^native /, "");
    await symlink(real.replace(/ffmpeg$/, "ffprobe"), join(tools, "ffprobe"));
    // The real ffmpeg, and then ten seconds in which it moves the index to the front, as on a slow disk.
    const slowEnd = `${real} "$@" || exit
      for last; do :; done
      case "$last" in *.mp4) for n in $(seq 50); do sleep 0.2; touch "\${last#file:}"; done;; esac`;
    await writeFile(join(tools, "ffmpeg"), `#!/bin/sh\n${slowEnd}\n`);
    for (const path of [tools, join(tools, "ffmpeg")]) await chmod(path, 0o755);
    const engine = findEngine({ mode: "native", ffmpegPath: join(tools, "ffmpeg") });
    const { renditions } = await process(engine, await makeClip({ ...clip, container: "mp4" }), {
      limits: { stallTimeoutMs: 6_000 },
    });
    expect(renditions).toHaveLength(1);
  },
  60_000,
);

describe("the size of a rendition", () => {
  it.each([
    [1920, 1080, 480, 854, 480],
    [1080, 1920, 480, 480, 854],
    [1080, 1920, 720, 720, 1280],
    [320, 240, 480, 320, 240],
    [321, 241, 480, 320, 240],
    [1, 1, 480, 2, 2],
    [8000, 2, 480, 8000, 2],
    [4000, 16, 480, 2000, 8],
    [16, 4000, 480, 8, 2000],
    [65_520, 16, 480, 8190, 2],
    [65_535, 2, 480, 16_384, 2],
    [3, 100, 480, 2, 66],
    [853, 481, 480, 852, 480],
  ])("is, for %dx%d with a shorter side of at most %d, %dx%d", (width, height, shortSide, fitWidth, fitHeight) => {
    expect(fitFrame({ width, height }, shortSide)).toEqual({ width: fitWidth, height: fitHeight });
  });
});

describe("the progress reader", () => {
  it("returns which lines show an advance, never decreases, and ignores unknown lines", () => {
    const times: number[] = [];
    const read = createProgressReader((outTimeMs) => times.push(outTimeMs));
    const lines = [
      "frame=0",
      "out_time_us=N/A",
      "progress=continue",
      "junk",
      "=",
      "frame=12",
      "out_time_us=480000",
      "speed=1x",
      "progress=continue",
      "out_time_us=-9223372036854775808",
      "progress=end",
    ];
    expect(lines.filter(read)).toEqual(["frame=12", "out_time_us=480000"]);
    expect(times).toEqual([480]);
  });
});
