/** Tests which facts `probe` reports and which files it refuses, with every engine on this machine. */
import { spawnSync } from "node:child_process";
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { resolve } from "../../src/contract/bundle.ts";
import { recogniseContainer } from "../../src/media/container.ts";
import { findEngine } from "../../src/media/engine.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { MediaFailure } from "../../src/media/media-failure.ts";
import { probe } from "../../src/media/probe.ts";
import * as hostile from "./support/media-hostile.ts";
import { contract } from "../support/contract.ts";
import { allEngines, makeClip } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { setCanary } from "./support/canary.ts";
import type { Canary } from "./support/canary.ts";

const clip = { durationSeconds: 2, width: 320, height: 240 } as const;
const engines = allEngines();
let folder: string;
let canary: Canary;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-probe-"));
  // The engine must read it, and runs as another user if root runs the tests.
  await chmod(folder, 0o755);
  canary = await setCanary(join(folder, "elsewhere"));
});
afterAll(async () => {
  await canary[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(content: string | Uint8Array, name = "upload.mp4"): Promise<string> {
  const path = join(await mkdtemp(join(folder, "job-")), name);
  await writeFile(path, content);
  return path;
}

describe.each(engines)("probing with the $kind engine", (engine) => {
  it.each(["mp4", "mov", "webm", "mkv"] as const)("returns container, dimensions and codecs of a %s", async (container) => {
    const webm = container === "webm";
    expect(await probe(engine, await makeClip({ ...clip, container }))).toMatchObject({
      container,
      width: 320,
      height: 240,
      rotation: 0,
      framesPerSecond: 25,
      videoCodec: webm ? "vp8" : "h264",
      audioCodec: webm ? "opus" : "aac",
      videoStreamIndex: 0,
      audioStreamIndex: 1,
    });
  });

  it("measures the duration, also of recordings that do not declare it", async () => {
    for (const [container, live] of [
      ["mp4", false],
      ["mp4", true],
      ["webm", true],
      ["mkv", true],
    ] as const) {
      const { durationMs } = await probe(engine, await makeClip({ ...clip, container, live }));
      expect(Math.abs(durationMs - 2000)).toBeLessThan(100);
    }
  });

  it("returns no audio codec for a silent video", async () => {
    const info = await probe(engine, await makeClip({ ...clip, container: "mp4", audio: false }));
    expect(info).toMatchObject({ audioCodec: null, audioStreamIndex: null });
  });

  it("returns width and height after rotation", async () => {
    expect(await probe(engine, await makeClip({ ...clip, container: "mp4", rotation: 90 }))).toMatchObject({
      width: 240,
      height: 320,
      rotation: 90,
    });
    expect(await probe(engine, await makeClip({ ...clip, container: "mov", rotation: 270 }))).toMatchObject({
      width: 240,
      height: 320,
      rotation: 270,
    });
    expect(await probe(engine, await makeClip({ ...clip, container: "mp4", rotation: 180 }))).toMatchObject({
      width: 320,
      height: 240,
      rotation: 180,
    });
    expect(
      await probe(engine, await makeClip({ ...clip, width: 321, height: 241, container: "webm", audio: false })),
    ).toMatchObject({ width: 321, height: 241 });
  });

  it("returns width and height after correction of the pixel aspect ratio", async () => {
    const wide = { ...clip, pixelAspect: "4/3" } as const;
    for (const container of ["mp4", "mov", "webm", "mkv"] as const)
      expect(await probe(engine, await makeClip({ ...wide, container }))).toMatchObject({ width: 427, height: 240 });
    expect(await probe(engine, await makeClip({ ...wide, container: "mp4", rotation: 90 }))).toMatchObject({
      width: 240,
      height: 427,
    });
    expect(await probe(engine, await makeClip({ ...clip, pixelAspect: "1/2", container: "mp4" }))).toMatchObject({
      width: 160,
      height: 240,
    });
  });

  it("finds the container in the content, so a WebM named .mp4 is a WebM", async () => {
    const webm = await makeClip({ ...clip, container: "webm" });
    expect(await probe(engine, await fileOf(await readFile(webm)))).toMatchObject({ container: "webm" });
  });

  it("fails with unsupported_media on playlists with files and addresses, and opens none of them", async () => {
    for (const [name, text] of Object.entries(hostile.textsNamingOthers(canary.victimPath, canary.url))) {
      const path = await fileOf(text);
      await expect(probe(engine, path)).rejects.toMatchObject({
        code: "unsupported_media",
        detail: expect.stringContaining("not an MP4"),
      });
      expect({ [name]: await canary.reached() }).toEqual({ [name]: [] });
      // Also with the first bytes of a video, so that the text reaches the engine.
      for (const disguise of ["\0\0\0\x14ftypisom\0\0\0\0mp42", "\x1aE\xdf\xa3\x87\x42\x82\x84webm"]) {
        const disguised = await fileOf(Buffer.from(disguise + text, "latin1"));
        await expect(probe(engine, disguised)).rejects.toMatchObject({ code: "corrupt_media" });
      }
      expect({ [name]: await canary.reached() }).toEqual({ [name]: [] });
    }
  }, 120_000);

  it("does not open the data file that a QuickTime clip references", async () => {
    const path = await hostile.clipNamingAnotherFile(canary.victimPath);
    await expect(probe(engine, path)).rejects.toMatchObject({ code: "unsupported_media" });
    expect(await canary.reached()).toEqual([]);
  });

  it.each([
    ["an empty file", () => fileOf("")],
    ["a truncated file with its index at the front (mp4)", () => hostile.truncatedClip("mp4")],
    ["a truncated file with its index at the front (mov)", () => hostile.truncatedClip("mov")],
    ["a truncated file (webm)", () => hostile.truncatedClip("webm")],
    ["a truncated file (mkv)", () => hostile.truncatedClip("mkv")],
    ["no index", hostile.clipWithoutIndex],
    ["an empty index", hostile.clipWithEmptyIndex],
    ["a picture of 0x0", hostile.sizelessClip],
    ["an index that declares more than the file contains", hostile.swollenIndexClip],
    ["a picture that can't be decoded", hostile.undecodableClip],
    [
      "noise after the first box",
      () => fileOf(Buffer.concat([Buffer.from("\0\0\0\x14ftypisom\0\0\0\0mp42", "latin1"), Buffer.alloc(50_000, 0xa7)])),
    ],
  ])("fails with corrupt_media on %s", async (_, make) => {
    await expect(probe(engine, await make())).rejects.toMatchObject({
      name: "MediaFailure",
      code: "corrupt_media",
      retryable: false,
    });
  });

  it("fails with unsupported_media on a picture with too many pixels, declared or decoded", async () => {
    const tooMany = { code: "unsupported_media", detail: expect.stringContaining("pixels") };
    await expect(probe(engine, await hostile.giantPictureClip(8191))).rejects.toMatchObject(tooMany);
    await expect(probe(engine, await hostile.giantPictureClip(16383))).rejects.toMatchObject(tooMany);
    const limits = { framePixelsMax: 320 * 240 - 1 };
    await expect(probe(engine, await makeClip({ ...clip, container: "mp4" }), { limits })).rejects.toMatchObject(tooMany);
  });

  it("accepts the maximum width in the contract, and fails with unsupported_media on a wider picture", async () => {
    const { width, height } = resolve<{ properties: Record<string, { maximum: number }> }>(contract, {
      $ref: "#/components/schemas/VideoResult",
    }).properties;
    expect([width?.maximum, height?.maximum]).toEqual([DEFAULT_MEDIA_LIMITS.frameSideMax, DEFAULT_MEDIA_LIMITS.frameSideMax]);
    expect(await probe(engine, await hostile.wideClip(65_520))).toMatchObject({ width: 65_520, height: 16 });
    const tooWide = { code: "unsupported_media", detail: expect.stringContaining("wide or high") };
    await expect(probe(engine, await hostile.wideClip(67_200))).rejects.toMatchObject(tooWide);
    await expect(probe(engine, await hostile.stretchedClip())).rejects.toMatchObject(tooWide);
  });

  it("fails with too_long on five hours, and on a long recording that does not declare its duration", async () => {
    await expect(probe(engine, await hostile.fiveHourClip())).rejects.toMatchObject({
      code: "too_long",
      detail: "The video is longer than 14400 seconds.",
    });
    const live = await makeClip({ ...clip, container: "webm", live: true });
    await expect(probe(engine, live, { limits: { durationMaxMs: 1000 } })).rejects.toMatchObject({ code: "too_long" });
  });

  it("fails with unsupported_media on more streams than the limit", async () => {
    const path = await makeClip({ ...clip, container: "mp4" });
    await expect(probe(engine, path, { limits: { streamsMax: 1 } })).rejects.toMatchObject({ code: "unsupported_media" });
  });

  it("fails with processing_timeout after the timeout", async () => {
    const path = await makeClip({ ...clip, container: "mp4" });
    await expect(probe(engine, path, { limits: { probeTimeoutMs: 5 } })).rejects.toMatchObject({ code: "processing_timeout" });
  });

  it("rejects with the reason of an aborted signal, before and during its work", async () => {
    const path = await makeClip({ ...clip, container: "mp4" });
    const reason = new Error("deleted by its owner");
    await expect(probe(engine, path, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const probing = probe(engine, path, { signal: abort.signal });
    setTimeout(() => abort.abort(reason), 15);
    await expect(probing).rejects.toBe(reason);
  });

  it("returns an error detail without a path and without output of the tool", async () => {
    const failure = await probe(engine, await hostile.clipWithoutIndex()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MediaFailure);
    expect((failure as MediaFailure).detail).not.toMatch(/\/|ffprobe|moov|0x/);
  });

  it("writes no other file", async () => {
    const path = await fileOf("\0\0\0\x14ftypisom\0\0\0\0mp42");
    await probe(engine, path).catch(() => undefined);
    expect(await readdir(join(path, ".."))).toEqual(["upload.mp4"]);
  });
});

describe("the sandbox of the native engine", () => {
  itNeeds(["ffmpeg", "network namespace"], "opens no socket for a URL as its input", async () => {
    const engine = findEngine({ mode: "native" });
    const ask = (input: string) =>
      engine.run(
        { tool: "ffprobe", args: ["-loglevel", "error", "-i", input], reads: [], writes: [], limits: DEFAULT_MEDIA_LIMITS },
        { cwd: folder, timeoutMs: 30_000, outputMaxBytes: 100_000 },
      );
    for (const address of [`${canary.url}/a.mp4`, canary.url.replace("http", "tcp")])
      expect((await ask(address)).stderr).toContain("Network is unreachable");
    expect(await canary.reached()).toEqual([]);
  });
});

describe("the sandbox of the wasm engine", () => {
  const engine = findEngine({ mode: "wasm" });
  const ask = (input: string, reads: string[]) =>
    engine.run(
      {
        tool: "ffprobe",
        args: ["-loglevel", "error", "-show_entries", "format=duration", "-i", input],
        reads,
        writes: [],
        limits: DEFAULT_MEDIA_LIMITS,
      },
      { cwd: folder, timeoutMs: 30_000, outputMaxBytes: 100_000 },
    );

  it("can open only the files of its command", async () => {
    const own = await makeClip({ ...clip, container: "mp4" });
    expect((await ask(`file:${own}`, [own])).stdout).toContain("duration=2");
    expect((await ask(`file:${canary.victimPath}`, [own])).stdout).not.toContain("duration=");
    expect(await canary.reached()).toEqual([]);
  });

  it("opens no socket for a URL as its input", async () => {
    await ask(`${canary.url}/a.mp4`, []);
    await ask(canary.url.replace("http", "tcp"), []);
    expect(await canary.reached()).toEqual([]);
  });
});

describe("the search for an engine", () => {
  it("uses the configured engine or throws an error with the reason, and never uses another one", () => {
    expect(() => findEngine({ mode: "auto", ffmpegPath: join(folder, "none") })).toThrow(/not an executable file/);
    expect(() => findEngine({ mode: "auto", ffmpegPath: process.execPath })).toThrow(/no ffprobe beside it/);
    expect(() => findEngine({ mode: "native", searchPath: folder })).toThrow(/ffmpeg was not found/);
  });

  it("falls back to wasm if no suitable ffmpeg is on the path", async () => {
    expect(findEngine({ mode: "auto", searchPath: folder }).kind).toBe("wasm");
    const unfit = await mkdtemp(join(folder, "unfit-"));
    for (const name of ["ffmpeg", "ffprobe"])
      await writeFile(join(unfit, name), "#!/bin/sh\necho ' V..... mpeg4'\n", { mode: 0o755 });
    expect(spawnSync(join(unfit, "ffmpeg")).status).toBe(0);
    expect(findEngine({ mode: "auto", searchPath: unfit }).kind).toBe("wasm");
  });

  it("does not use an ffmpeg that lacks filters, and logs why", async () => {
    const unfit = await mkdtemp(join(folder, "colourless-"));
    const path = join(unfit, "ffmpeg");
    for (const name of [path, join(unfit, "ffprobe")]) await writeFile(name, "#!/bin/sh\necho libx264 aac\n", { mode: 0o755 });
    const { kind, description } = findEngine({ mode: "auto", searchPath: unfit });
    expect({ kind, description }).toEqual({
      kind: "wasm",
      description: expect.stringContaining(`not ${path}: it lacks zscale and tonemap and tile and tpad`),
    });
    expect(() => findEngine({ mode: "auto", ffmpegPath: path })).toThrow(/it lacks zscale and tonemap and tile and tpad/);
  });
});

describe("container detection", () => {
  it("recognizes the supported containers, and rejects similar formats", () => {
    const ftyp = (major: string, ...compatible: string[]) =>
      Buffer.from(`\0\0\0${String.fromCharCode(16 + 4 * compatible.length)}ftyp${major}\0\0\0\0${compatible.join("")}`, "latin1");
    expect(recogniseContainer(ftyp("isom", "mp41"))).toBe("mp4");
    expect(recogniseContainer(ftyp("XXXX", "YYYY", "mp42"))).toBe("mp4");
    expect(recogniseContainer(ftyp("qt  "))).toBe("mov");
    expect(recogniseContainer(Buffer.from("\0\0\0\x08wide\0\0\0\0mdat", "latin1"))).toBe("mov");
    expect(recogniseContainer(ftyp("heic", "mif1", "mp42"))).toBeNull();
    expect(recogniseContainer(ftyp("avif", "mif1"))).toBeNull();
    const packets = (bytes: number, first = 0) =>
      Buffer.concat([
        Buffer.alloc(first),
        ...Array.from({ length: 6 }, () => Buffer.from("47401110".padEnd(2 * bytes, "f"), "hex")),
      ]);
    expect(recogniseContainer(Buffer.from("RIFF\x7f\0\0\0AVI LIST", "latin1"))).toBe("avi");
    expect(recogniseContainer(packets(188))).toBe("ts");
    expect(recogniseContainer(packets(192, 4))).toBe("ts");
    expect(recogniseContainer(packets(190))).toBeNull();
    expect(recogniseContainer(Buffer.from("RIFF\x7f\0\0\0WAVEfmt ", "latin1"))).toBeNull();
    expect(recogniseContainer(Buffer.from("oh, free text of any kind"))).toBeNull();
    expect(recogniseContainer(Buffer.from("\x1aE\xdf\xa3\x80\x42\x82\x84elbmrest", "latin1"))).toBeNull();
    for (let length = 0; length < 12; length += 1) expect(recogniseContainer(ftyp("isom").subarray(0, length))).toBeNull();
  });
});
