import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import { boundOutput } from "../../src/media/bounded-output.ts";
import { runChild } from "../../src/media/child-process.ts";
import { findEngine } from "../../src/media/engine.ts";
import { inputArgs, probeArgs, renditionArgs } from "../../src/media/ffmpeg-args.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../src/media/limits.ts";
import { probe } from "../../src/media/probe.ts";
import { makeClip, temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";

const SUPERVISION = { timeoutMs: 60_000, outputMaxBytes: 100_000 };
/** Replaces ffmpeg and ffprobe, and prints the limits that the kernel sets for it. */
const TELLING = `#!/bin/sh
case "$*" in *-encoders*|*-filters*) echo libx264 aac zscale tonemap tile tpad; exit;; esac
cat /proc/self/limits
grep NoNewPrivs /proc/self/status
env
`;

itNeeds(["linux", "setpriv", "prlimit"], "a native child has every limit, and no environment of the service", async () => {
  await using folder = await temporaryFolder();
  const [bin, cwd] = [join(folder.path, "bin"), join(folder.path, "cwd")];
  for (const path of [bin, cwd]) await mkdir(path);
  for (const path of [folder.path, bin, cwd]) await chmod(path, 0o755);
  for (const tool of ["ffmpeg", "ffprobe"]) {
    await writeFile(join(bin, tool), TELLING);
    await chmod(join(bin, tool), 0o755);
  }
  const engine = findEngine({ mode: "native", ffmpegPath: join(bin, "ffmpeg") });
  const limits = { ...DEFAULT_MEDIA_LIMITS, memoryMaxBytes: 512 * 2 ** 20, outputMaxBytes: 7_654_321, threads: 1 };
  const use = { tool: "ffmpeg", args: [], reads: [], writes: [], limits } as const;
  const { stdout } = await engine.run(use, { ...SUPERVISION, cwd });
  const limitOf = (name: string) => new RegExp(`^${name} +(\\S+) +(\\S+)`, "m").exec(stdout)?.slice(1, 3);
  expect(limitOf("Max cpu time")).toEqual(["120", "120"]);
  expect(limitOf("Max address space")).toEqual(["536870912", "536870912"]);
  expect(limitOf("Max file size")).toEqual(["7654321", "7654321"]);
  expect(limitOf("Max core file size")).toEqual(["0", "0"]);
  expect(limitOf("Max open files")).toEqual(["256", "256"]);
  expect(stdout).toMatch(/^NoNewPrivs:\s+1$/m);
  expect(stdout).not.toMatch(/^(PATH=\/.*node|HOME|WITNESS_FILE|TEST_)/m);
});

itNeeds("native engine", "ffmpeg is stopped at the limit of its output, on a system that has none for a process", async () => {
  await using folder = await temporaryFolder();
  const path = await makeClip({ durationSeconds: 20, width: 640, height: 480, container: "mp4" });
  const engine = findEngine({ mode: "native" });
  const plan = { name: "480p", path: join(folder.path, "made.mp4"), width: 640, height: 480, maxRateKilobits: 2_500 };
  const info = await probe(engine, path);
  const limits = { ...DEFAULT_MEDIA_LIMITS, resultAlwaysBytes: 50_000, resultRatioMax: 0 };
  const budget = { minFreeBytes: 0, quotaBytes: Infinity };
  const output = await boundOutput(folder.path, { sourceBytes: 1, plannedBytes: 1 }, limits, budget);
  const args = renditionArgs({ path, container: "mp4", limits }, [plan], info);
  const command = engine.description.replace(/^native /, "");
  const end = await runChild({ ...SUPERVISION, command, args, cwd: folder.path, inspect: output.inspect });
  expect(end.stoppedFor).toBe("result_limit");
  await expect(output.check(end)).rejects.toMatchObject({ code: "result_too_large" });
});

/** The command lines of the child processes of this process. */
function commandLines(): string[][] {
  return readdirSync("/proc")
    .filter((it) => /^\d+$/.test(it))
    .flatMap((pid) => {
      try {
        const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
        return parent === String(process.pid) ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")] : [];
      } catch {
        return [];
      }
    });
}

itNeeds("linux", "a child of the WebAssembly engine can open only its program and the files of its command", async () => {
  await using folder = await temporaryFolder();
  await chmod(folder.path, 0o755);
  const clip = await makeClip({ durationSeconds: 1, width: 64, height: 64, container: "mp4" });
  const use = {
    tool: "ffprobe",
    args: ["-hide_banner", "-show_format", "-i", `file:${clip}`],
    reads: [clip],
    writes: [join(folder.path, "made")],
    limits: DEFAULT_MEDIA_LIMITS,
  } as const;
  const running = findEngine({ mode: "wasm" }).run(use, { ...SUPERVISION, cwd: folder.path });
  let [command, isOver]: [string[] | undefined, boolean] = [undefined, false];
  void running.finally(() => (isOver = true));
  while (command === undefined && !isOver) {
    command = commandLines().find((it) => it.includes("--permission"));
    await delay(2);
  }
  await running;
  const allowed = (kind: string) =>
    command!.filter((it) => it.startsWith(`--allow-${kind}=`)).map((it) => it.slice(`--allow-${kind}=`.length));
  const host = command!.find((it) => it.endsWith("wasm-host.ts") && it.startsWith("/"))!;
  const [program, core, ...files] = allowed("fs-read");
  expect(program).toBe(host);
  expect(core).toMatch(/@ffmpeg\/core\/.+\/\*$/);
  expect(files).toEqual([...use.reads, ...use.writes]);
  expect(allowed("fs-write")).toEqual([...use.writes]);
  expect(command!.filter((it) => it.startsWith("--allow-") && !it.startsWith("--allow-fs-"))).toEqual([]);
  expect(dirname(host)).toMatch(/src\/media$/);
});

it.each([
  ["mp4", "mov"],
  ["mov", "mov"],
  ["webm", "matroska"],
  ["mkv", "matroska"],
  ["avi", "avi"],
  ["ts", "mpegts"],
] as const)("ffmpeg can open no address, and reads %s only with the allowed demuxer and codecs", (container, demuxer) => {
  const args = inputArgs({ path: "/scratch/original", container, limits: DEFAULT_MEDIA_LIMITS });
  const valueOf = (name: string) => args[args.indexOf(name) + 1];
  expect(valueOf("-protocol_whitelist")).toBe("file");
  expect(valueOf("-format_whitelist")).toBe(demuxer);
  expect(valueOf("-codec_whitelist")).toMatch(/^[\w-]+(,[\w-]+)*$/);
  expect(valueOf("-f")).toBe(demuxer);
  if (demuxer === "mov") expect(valueOf("-enable_drefs")).toBe("0");
  // What ffprobe only initialises, for one type of stream each, must decode nothing.
  expect(valueOf("-codec_whitelist")).not.toMatch(/dca|gif|tiff|subrip/);
  expect(probeArgs().filter((it) => it.startsWith("-"))).toEqual(["v", "a", "s"].map((it) => `-codec_whitelist:${it}`));
  // An option after the input would not apply to the input.
  expect(args.indexOf("-protocol_whitelist")).toBeLessThan(args.indexOf("-i"));
});
