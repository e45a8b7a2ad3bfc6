/**
 * The limits of `probe`, `transcode` and their children: cancelled, stalled, hostile and too large work, the sandboxes, and the
 * search for an engine.
 * `clips.slow.test.ts` tests what files are accepted, and what is made of them.
 */
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, copyFile, mkdir, mkdtemp, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runChild, type ChildOptions } from "../../src/media/child-process.ts";
import { findEngine, type Engine } from "../../src/media/engine.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { probe } from "../../src/media/probe.ts";
import { transcode, type TranscodeOptions } from "../../src/media/transcode.ts";
import { eventually } from "../support/eventually.ts";
import { enginesForSize, makeClip } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { crowding, processesNaming } from "../support/processes.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { setCanary, type Canary } from "./support/canary.ts";
import { joined } from "./support/clip-bytes.ts";
import { changed, coded, copied, damageVorbis, PLAIN, PLAIN_TS, picture, sound, type Make } from "./support/clip-film.ts";
import * as hostile from "./support/media-hostile.ts";

/** More than the sample of a stream. */
const LARGE_BYTES = 48 * 2 ** 20;
const MIB = 1_024 * 1_024;
const clip = { durationSeconds: 2, width: 320, height: 240 } as const;
const slowClip = { durationSeconds: 20, width: 640, height: 480, container: "mp4" } as const;
let folder: string;
let canary: Canary;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-media-"));
  // The engine must read it, and runs as another user if root runs the tests.
  await chmod(folder, 0o755);
  canary = await setCanary(join(folder, "elsewhere"));
});
afterAll(async () => {
  await canary[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const newJobDir = (): Promise<string> => mkdtemp(join(folder, "job-"));

describe.each(enginesForSize())("probing with the $kind engine", (engine) => {
  it("fails with too_long on a long recording that does not declare its duration", async () => {
    const live = await makeClip({ ...clip, container: "webm", live: true });
    await expect(probe(engine, live, { limits: { durationMaxMs: 1000 } })).rejects.toMatchObject({ code: "too_long" });
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

  /** The file in a folder of its own, in which the engine works. */
  async function alone(source: string): Promise<string> {
    const path = join(await newJobDir(), basename(source));
    await copyFile(source, path);
    return path;
  }
  const repeated = (make: Make, times: number) => joined(`${times}x.ts`, make, ...Array<Make>(times - 1).fill(make))();

  it("copies MPEG-TS whose clock jumps once, although it names eight sounds without packets", async () => {
    const options = `${"-map 0:a ".repeat(7)}-bsf:a noise=amount=0:drop=1`;
    const path = await alone(await repeated(copied(PLAIN_TS, "ts", options), 3));
    expect(await probe(engine, path)).toMatchObject({ audioCodec: null, audioStreamIndex: null, videoCodec: "h264" });
    expect((await readdir(join(path, ".."))).filter((it) => it.startsWith("clock-"))).toHaveLength(1);
  });

  it("copies nothing if the copy would not leave the disk the space that it needs", async () => {
    const path = await alone(await repeated(PLAIN_TS, 3));
    const budget = { minFreeBytes: Number.MAX_SAFE_INTEGER, quotaBytes: Infinity };
    await expect(probe(engine, path, { budget })).rejects.toMatchObject({ code: "insufficient_storage", retryable: true });
    expect((await readdir(join(path, ".."), { recursive: true })).filter((it) => it.endsWith(".ts"))).toEqual([basename(path)]);
  });

  it("measures a file whose clock jumps 1,800 times, and refuses one with more than 2,000 jumps", async () => {
    const short = coded("ts", `${PLAIN} -g 5 -f mpegts`, picture({ seconds: 0.4, size: "64x48" }), sound({ seconds: 0.4 }));
    const { durationMs } = await probe(engine, await alone(await repeated(short, 901)));
    expect(durationMs / 901).toBeGreaterThan(380);
    expect(durationMs / 901).toBeLessThan(460);
    await expect(probe(engine, await alone(await repeated(short, 1_100)))).rejects.toMatchObject({
      code: "unsupported_media",
      detail: "The clock of the file jumps more than 2000 times.",
    });
  });

  it("copies at most 32 MiB of a stream to describe it", async () => {
    const noise = "color=black:size=1280x720:rate=25:duration=4,noise=alls=100:allf=t";
    const options =
      "-map 0 -map 1 -map 1 -c:v libx264 -preset ultrafast -qp 8 -pix_fmt yuv420p -c:a:0 aac -c:a:1 libvorbis -f matroska";
    const path = await changed(coded("mkv", options, noise, sound()), "damaged", damageVorbis)();
    expect((await stat(path)).size).toBeGreaterThan(LARGE_BYTES);
    const limits = { outputMaxBytes: LARGE_BYTES };
    expect(await probe(engine, await alone(path), { limits })).toMatchObject({ audioCodec: "aac", width: 1280 });
  });
});

/** Runs ffprobe in the sandbox of an engine, without the limits of our own arguments. */
function ask(mode: "native" | "wasm", input: string, reads: string[] = []) {
  const args = ["-loglevel", "error", "-show_entries", "format=duration", "-i", input];
  const use = { tool: "ffprobe", args, reads, writes: [], limits: DEFAULT_MEDIA_LIMITS } as const;
  return findEngine({ mode }).run(use, { cwd: folder, timeoutMs: 30_000, outputMaxBytes: 100_000 });
}

itNeeds(["ffmpeg", "network namespace"], "the sandbox of the native engine opens no socket for a URL as its input", async () => {
  for (const address of [`${canary.url}/a.mp4`, canary.url.replace("http", "tcp")])
    expect((await ask("native", address)).stderr).toContain("Network is unreachable");
  expect(await canary.reached()).toEqual([]);
});

it("the sandbox of the wasm engine can open only the files of its command, and no socket for a URL", async () => {
  const own = await makeClip({ ...clip, container: "mp4" });
  expect((await ask("wasm", `file:${own}`, [own])).stdout).toContain("duration=2");
  expect((await ask("wasm", `file:${canary.victimPath}`, [own])).stdout).not.toContain("duration=");
  for (const address of [`${canary.url}/a.mp4`, canary.url.replace("http", "tcp")]) await ask("wasm", address);
  expect(await canary.reached()).toEqual([]);
});

describe("the search for an engine", () => {
  it("uses the configured engine or throws an error with the reason, and never uses another one", () => {
    expect(() => findEngine({ mode: "auto", ffmpegPath: join(folder, "none") })).toThrow(/not an executable file/);
    expect(() => findEngine({ mode: "auto", ffmpegPath: process.execPath })).toThrow(/no ffprobe beside it/);
    expect(() => findEngine({ mode: "native", searchPath: folder })).toThrow(/ffmpeg was not found/);
  });

  it("falls back to wasm if no suitable ffmpeg is on the path, and logs why", async () => {
    expect(findEngine({ mode: "auto", searchPath: folder }).kind).toBe("wasm");
    const unfit = await mkdtemp(join(folder, "unfit-"));
    for (const name of ["ffmpeg", "ffprobe"])
      await writeFile(join(unfit, name), "#!/bin/sh\necho ' V..... mpeg4'\n", { mode: 0o755 });
    expect(spawnSync(join(unfit, "ffmpeg")).status).toBe(0);
    expect(findEngine({ mode: "auto", searchPath: unfit }).kind).toBe("wasm");
    const colourless = await mkdtemp(join(folder, "colourless-"));
    const path = join(colourless, "ffmpeg");
    for (const name of [path, join(colourless, "ffprobe")])
      await writeFile(name, "#!/bin/sh\necho libx264 aac\n", { mode: 0o755 });
    const { kind, description } = findEngine({ mode: "auto", searchPath: colourless });
    expect({ kind, description }).toEqual({
      kind: "wasm",
      description: expect.stringContaining(`not ${path}: it lacks zscale and tonemap and tile and tpad`),
    });
    expect(() => findEngine({ mode: "auto", ffmpegPath: path })).toThrow(/it lacks zscale and tonemap and tile and tpad/);
  });
});

/** Probes and transcodes, as a job does. */
async function processed(engine: Engine, path: string, options: TranscodeOptions = {}) {
  const info = await probe(engine, path, options);
  return transcode(engine, path, info, await newJobDir(), options);
}

describe.each(enginesForSize())("transcoding with the $kind engine", (engine) => {
  it("fails with processing_timeout after the timeout and after a stall", async () => {
    const path = await makeClip(slowClip);
    const late = processed(engine, path, { limits: { transcodeTimeoutMs: 300 } });
    await expect(late).rejects.toMatchObject({ code: "processing_timeout", cause: { stoppedFor: "timeout" } });
    const stalled = processed(engine, path, { limits: { stallTimeoutMs: 50 } });
    await expect(stalled).rejects.toMatchObject({ code: "processing_timeout", cause: { stoppedFor: "stalled" } });
  });

  it.each([
    ["with truncated media data and corrected lengths", hostile.forgedTruncatedClip],
    ["that is intact but shorter than its probe", hostile.cleanlyCutClip],
  ])("fails with corrupt_media on a video %s, even after a valid probe", async (_, make) => {
    const info = await probe(engine, await makeClip({ ...clip, container: "mp4" }));
    const working = transcode(engine, await make(), info, await newJobDir());
    await expect(working).rejects.toMatchObject({ code: "corrupt_media", retryable: false });
  });

  it("fails with too_long on a video that is longer than was measured", async () => {
    const path = await makeClip({ ...clip, durationSeconds: 4, container: "mp4", audio: false });
    const info = { ...(await probe(engine, path)), durationMs: 500, lastFrameMs: 460 };
    const working = transcode(engine, path, info, await newJobDir(), { limits: { durationMaxMs: 1000 } });
    await expect(working).rejects.toMatchObject({ code: "too_long" });
  });

  it("fails with corrupt_media on pictures that are larger than was measured", async () => {
    const info = await probe(engine, await makeClip({ ...clip, container: "webm" }));
    const giant = transcode(engine, await hostile.giantPictureClip(8191), info, await newJobDir());
    await expect(giant).rejects.toMatchObject({ code: "corrupt_media" });
  });

  it("opens no file outside the job and no socket for a source that references them", async () => {
    const info = await probe(engine, await makeClip({ ...clip, container: "mp4" }));
    const texts = hostile.textsNamingOthers(canary.victimPath, canary.url);
    const meals = Object.entries(texts).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
    const naming = await readFile(await hostile.clipNamingAnotherFile(canary.victimPath));
    meals.push({ name: "a clip naming another file", bytes: naming });
    for (const { name, bytes } of meals) {
      const jobDir = await newJobDir();
      const path = join(jobDir, "source");
      await writeFile(path, bytes);
      await expect(transcode(engine, path, info, join(jobDir, "out"))).rejects.toMatchObject({ code: "corrupt_media" });
      expect({ [name]: await canary.reached() }).toEqual({ [name]: [] });
    }
    expect((await readdir(folder)).filter((name) => !/^(job-|elsewhere|unfit|colourless)/.test(name))).toEqual([]);
  });

  itNeeds("mount", "fails on a full disk with an error that can be retried, and doesn't blame the video", async () => {
    await using disk = await mountSmallDisk(300 * 1_024);
    const path = await makeClip(slowClip);
    const working = transcode(engine, path, await probe(engine, path), join(disk.path, "out"));
    await expect(working).rejects.toMatchObject({ code: "insufficient_storage", retryable: true, cause: { code: "ENOSPC" } });
  });

  it.each([
    ["result_too_large", "the limit of a file", { limits: { outputMaxBytes: 200_000 } }],
    ["storage_quota_exceeded", "the quota of its owner", { budget: { minFreeBytes: 0, quotaBytes: 200_000 } }],
    ["storage_quota_exceeded", "a quota that is used up", { budget: { minFreeBytes: 0, quotaBytes: 0 } }],
  ])("fails with %s if the output exceeds %s, and never returns a cut video", async (code, _what, options) => {
    const working = processed(engine, await makeClip(slowClip), options);
    await expect(working).rejects.toMatchObject({ code, retryable: false });
  });

  itNeeds("mount", "writes nothing if the disk has too little free space for its planned output", async () => {
    await using disk = await mountSmallDisk(8 * MIB);
    // It declares a second, and lasts for eight minutes.
    const path = await hostile.understatedNoiseClip(500);
    const budget = { minFreeBytes: 4 * MIB, quotaBytes: Infinity };
    const working = transcode(engine, path, await probe(engine, path), join(disk.path, "made"), { budget });
    await expect(working).rejects.toMatchObject({ code: "insufficient_storage", retryable: true, cause: { code: "ENOSPC" } });
    expect(await readdir(join(disk.path, "made"))).toEqual([]);
  });

  itNeeds("mount", "blames the video for a full disk only if its output has filled most of it", async () => {
    const path = await hostile.understatedNoiseClip(500);
    const info = { ...(await probe(engine, path)), durationMs: 1_000 };
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
  });

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

itNeeds("ffmpeg", "a transcode has not stalled while it rewrites its output at its end", async () => {
  const tools = await newJobDir();
  const real = findEngine({ mode: "native" }).description.replace(/^native /, "");
  await symlink(real.replace(/ffmpeg$/, "ffprobe"), join(tools, "ffprobe"));
  // The real ffmpeg, and then six seconds in which it moves the index to the front, as on a slow disk.
  const slowEnd = `${real} "$@" || exit
      for last; do :; done
      case "$last" in *.mp4) for n in $(seq 30); do sleep 0.2; touch "\${last#file:}"; done;; esac`;
  await writeFile(join(tools, "ffmpeg"), `#!/bin/sh\n${slowEnd}\n`);
  for (const path of [tools, join(tools, "ffmpeg")]) await chmod(path, 0o755);
  const engine = findEngine({ mode: "native", ffmpegPath: join(tools, "ffmpeg") });
  const { renditions } = await processed(engine, await makeClip({ ...clip, container: "mp4" }), {
    limits: { stallTimeoutMs: 4_000 },
  });
  expect(renditions).toHaveLength(1);
});

function run(script: string, options: Partial<ChildOptions> = {}) {
  return runChild({
    command: process.execPath,
    args: ["--input-type=module", "--eval", script],
    cwd: tmpdir(),
    timeoutMs: 20_000,
    outputMaxBytes: 1_000_000,
    ...options,
  });
}

/** Longer than a child takes to start on a busy machine. */
const stallTimeoutMs = 2_000;
const forEver = "setInterval(() => {}, 1000);";

describe("a supervised child", () => {
  it("is dead within a second after an abort, with its own child processes", async () => {
    const marker = `marker-${process.pid}-abort`;
    const abort = new AbortController();
    const running = run(
      `import { spawn, spawnSync } from "node:child_process"; process.on("SIGTERM", () => {});
       spawn(process.execPath, ["-e", ${JSON.stringify(forEver)}, "${marker}"], { stdio: "inherit" }); console.log("up"); ${forEver}`,
      {
        signal: abort.signal,
        onLine: () => {
          setTimeout(() => abort.abort(), 200);
          return true;
        },
      },
    );
    const end = await running;
    expect(end).toMatchObject({ stoppedFor: "aborted", exitSignal: "SIGKILL" });
    await eventually("the end of its processes", async () => (await processesNaming(marker)).length === 0, 1_000 * crowding());
  });

  it("is killed after its timeout, and not started if the signal is already aborted", async () => {
    expect(await run(forEver, { timeoutMs: 200 })).toMatchObject({ stoppedFor: "timeout", exitSignal: "SIGKILL" });
    expect(await run(forEver, { signal: AbortSignal.abort() })).toMatchObject({ stoppedFor: "aborted" });
  });

  it("is killed when it stalls or fills the disk, but not while it advances or is seen to work", async () => {
    const talk = "setInterval(() => console.log('same'), 20); setTimeout(() => process.exit(0), 4500);";
    const silent = "setTimeout(() => process.exit(0), 4500);";
    const blind = () => Promise.reject(new Error("nothing can be seen"));
    const ends = [
      ...[false, true].map((isAdvance) => run(talk, { stallTimeoutMs, onLine: () => isAdvance })),
      ...[async () => "advanced" as const, async () => null, blind].map((inspect) => run(silent, { stallTimeoutMs, inspect })),
    ];
    const [stalled, over] = [{ stoppedFor: "stalled" }, { stoppedFor: null, exitCode: 0 }];
    expect(await Promise.all(ends)).toMatchObject([stalled, over, over, stalled, stalled]);
    const full = await run(forEver, { inspect: async () => "disk_full" });
    expect(full).toMatchObject({ stoppedFor: "disk_full", exitSignal: "SIGKILL" });
  });

  it("is killed if its stdout exceeds the limit, and only the beginning and end of its stderr are stored", async () => {
    const flood = "for (;;) process.stdout.write('x'.repeat(65536));";
    expect(await run(flood, { outputMaxBytes: 100_000 })).toMatchObject({ stoppedFor: "output_limit" });
    const { stderr } = await run("process.stderr.write('first ' + 'x'.repeat(5_000_000) + ' last');");
    expect(stderr.length).toBeLessThan(20_000);
    expect(stderr.startsWith("first ") && stderr.endsWith(" last")).toBe(true);
  });

  it("rejects if the command does not exist", async () => {
    await expect(run("", { command: "/nowhere/ffmpeg" })).rejects.toMatchObject({ code: "ENOENT" });
  });

  itNeeds("sh", "rejects with the error code of the system if no file descriptor is left, and works again later", async () => {
    const module = fileURLToPath(new URL("../../src/media/child-process.ts", import.meta.url));
    const script = `import { closeSync, openSync } from "node:fs";
      const { runChild } = await import(${JSON.stringify(module)});
      const child = () => runChild({ command: "/bin/true", args: [], cwd: "/", timeoutMs: 60000, stallTimeoutMs: 60000, outputMaxBytes: 1000 });
      const taken = [];
      try { for (;;) taken.push(openSync("/dev/null", "r")); } catch {}
      for (const free of [0, 1, 4]) {
        for (let freed = 0; freed < free; freed++) closeSync(taken.pop());
        console.log(await child().then((end) => "ended " + end.exitCode, (error) => error.code));
      }
      for (const fd of taken) closeSync(fd);
      console.log("ended " + (await child()).exitCode);`;
    const beganMs = performance.now();
    const words = ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, "--input-type=module", "--eval", script];
    const service = spawnSync("sh", words, { encoding: "utf8" });
    expect({ status: service.status, stderr: service.stderr }).toEqual({ status: 0, stderr: "" });
    // With this code, the job is postponed.
    expect(service.stdout).toMatch(/^EMFILE\nEMFILE\n(ended 0|EMFILE)\nended 0\n$/);
    // The timers of a child that could not start do not keep the process alive.
    expect(performance.now() - beganMs).toBeLessThan(20_000);
  });

  it("runs with a lower priority than the service", async () => {
    const { stdout } = await run("import os from 'node:os'; setTimeout(() => console.log(os.getPriority()), 100);");
    expect(Number(stdout)).toBeGreaterThanOrEqual(10);
  });

  itNeeds("linux", "dies with the service, even if the service is killed", async () => {
    const marker = `/marker-${process.pid}-orphan.mp4`;
    const module = fileURLToPath(new URL("../../src/media/engine.ts", import.meta.url));
    const script = `const { findEngine } = await import(${JSON.stringify(module)});
      const limits = { memoryMaxBytes: 2 ** 31, outputMaxBytes: 2 ** 31, threads: 1 };
      void findEngine({ mode: "${findEngine({ mode: "auto" }).kind}" }).run(
        { tool: "ffmpeg", args: ["-loglevel", "quiet", "-re", "-f", "lavfi", "-i", "testsrc2", "-metadata", "title=${marker}", "-f", "null", "-"], reads: [], writes: [], limits },
        { cwd: "/", timeoutMs: 60000, outputMaxBytes: 1000000 });`;
    const service = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: "ignore" });
    const children = async () => (await processesNaming(marker)).filter((pid) => pid !== service.pid);
    await eventually("a child", async () => (await children()).length === 1);
    service.kill("SIGKILL");
    await eventually("the end of the child", async () => (await children()).length === 0);
  });
});
