/** Tests that a child always ends and leaves nothing behind, with small scripts instead of a media tool. */
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { runChild } from "../../src/media/child-process.ts";
import type { ChildOptions } from "../../src/media/child-process.ts";
import { findEngine } from "../../src/media/engine.ts";
import { crowding } from "../support/cpu.ts";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { processesNaming } from "../support/processes.ts";

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
  it("reports its exit status, stdout and stderr", async () => {
    expect(await run("console.log('out'); console.error('err'); process.exitCode = 3;")).toEqual({
      exitCode: 3,
      exitSignal: null,
      stoppedFor: null,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  it("does not inherit the environment of the service", async () => {
    process.env["PLUMBLINE_TEST_SECRET"] = "secret";
    const { stdout } = await run("console.log(JSON.stringify(process.env));");
    expect(JSON.parse(stdout)).toEqual({});
  });

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

  it("is not started if the signal is already aborted", async () => {
    expect(await run(forEver, { signal: AbortSignal.abort() })).toMatchObject({ stoppedFor: "aborted" });
  });

  it("is killed after its timeout", async () => {
    expect(await run(forEver, { timeoutMs: 200 })).toMatchObject({ stoppedFor: "timeout", exitSignal: "SIGKILL" });
  });

  it("is killed when it prints lines without advancing, but not while it advances", async () => {
    const talk = "setInterval(() => console.log('same'), 20); setTimeout(() => process.exit(0), 4500);";
    expect(await run(talk, { stallTimeoutMs, onLine: () => false })).toMatchObject({ stoppedFor: "stalled" });
    expect(await run(talk, { stallTimeoutMs, onLine: () => true })).toMatchObject({ stoppedFor: null, exitCode: 0 });
  });

  it("is not killed as stalled while it is seen to work, and is killed when it is seen to fill the disk", async () => {
    const silent = "setTimeout(() => process.exit(0), 4500);";
    expect(await run(silent, { stallTimeoutMs, inspect: async () => "advanced" })).toMatchObject({ exitCode: 0 });
    const blind = () => Promise.reject(new Error("nothing can be seen"));
    for (const inspect of [async () => null, blind])
      expect(await run(silent, { stallTimeoutMs, inspect })).toMatchObject({ stoppedFor: "stalled" });
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

  itNeeds(
    "sh",
    "rejects with the error code of the system if no file descriptor is left, and the service still works",
    async () => {
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
      const service = spawnSync(
        "sh",
        ["-c", 'ulimit -n 64; exec "$0" "$@"', process.execPath, "--input-type=module", "--eval", script],
        { encoding: "utf8" },
      );
      expect({ status: service.status, stderr: service.stderr }).toEqual({ status: 0, stderr: "" });
      // With this code, the job is postponed.
      expect(service.stdout.trim().split("\n")).toEqual([
        "EMFILE",
        "EMFILE",
        expect.stringMatching(/^(ended 0|EMFILE)$/),
        "ended 0",
      ]);
      // The timers of a child that could not start do not keep the process alive.
      expect(performance.now() - beganMs).toBeLessThan(20_000);
    },
  );

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
