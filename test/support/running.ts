import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** The command line of `npm start` in a folder, without `node`. */
export function startCommandOf(folder: string): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { scripts: { start: string } };
  return scripts.start
    .replace(/^exec /, "")
    .split(" ")
    .slice(1);
}
const START = startCommandOf(repository);

/** The same, with an IPC channel on which `heldBytes` asks for the memory. */
export const MEASURED: readonly string[] = [
  "--expose-gc",
  "--import",
  fileURLToPath(new URL("held-memory.ts", import.meta.url)),
  ...START,
];

/** What the service prints when it is ready. */
const READY = /running at http|running jobs/;

/** A separate process of the service, as an operator runs it. Killed at the end of the scope if it still runs. */
export type Running = AsyncDisposable & {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until the service is ready. Resolves with its URL and the time since the spawn. */
  readonly ready: (timeoutMs?: number) => Promise<{ readonly url: string; readonly tookMs: number }>;
  /** The JSON line that the service prints when it is ready. */
  readonly greeting: () => Readonly<Record<string, string>>;
  /** Resolves with the exit code, or with the signal that ended the process. */
  readonly exited: Promise<number | string>;
};

/**
 * Starts the service with these settings. From the environment, it inherits only PATH, HOME and the folder of compiled code.
 * `within` is a command that changes the environment of the process, and then executes it.
 */
export function run(
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = START,
  within: readonly string[] = [],
  command = process.execPath,
): Running {
  const startedMs = performance.now();
  const [program = "", ...words] = [...within, command, ...args];
  const child = spawn(program, words, {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe", ...(args === MEASURED ? (["ipc"] as const) : [])],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      NODE_COMPILE_CACHE: process.env["TEST_COMPILE_CACHE"],
      LOG_LEVEL: "silent",
      RATE_LIMITS: "off",
      PORT: "0",
      ...settings,
    },
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]!.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  // "close" comes after the process has ended and all its output was read.
  const exited = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  let isOver = false;
  void exited.then(() => {
    isOver = true;
  });
  return {
    child,
    pid: child.pid!,
    exited,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async ready(timeoutMs = 180_000) {
      await eventually(
        "a service that is ready",
        () => {
          if (isOver) throw new Error(`The service ended: ${output.stderr}${output.stdout}`);
          return READY.test(output.stdout) || null;
        },
        timeoutMs,
        5,
      );
      return { url: /(?:running|answers) at ([^\s"]+)/.exec(output.stdout)?.[1] ?? "", tookMs: performance.now() - startedMs };
    },
    greeting: () => JSON.parse(/^.*"Plumbline is running.*$/m.exec(output.stdout)![0]) as Record<string, string>,
    async [Symbol.asyncDispose]() {
      if (!isOver) child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The resident memory of a process in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;
}

/** The memory that a process started with `MEASURED` uses after a garbage collection, on its heap and outside of it. */
export const heldBytes = (running: Running) => askProcess(running, "held bytes");

/** The 99th percentile of the event-loop delay of a process started with `MEASURED`, since the last question. */
export const loopDelayMs = (running: Running) => askProcess(running, "loop delay");

async function askProcess({ child }: Running, question: string): Promise<number> {
  const answer = once(child, "message");
  child.send(question);
  return (await answer)[0] as number;
}

/**
 * An empty data directory for one scope. Other users can enter it, because PostgreSQL keeps its files there as another user
 * if root runs the tests.
 */
export async function temporaryDataDir(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-run-"));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
