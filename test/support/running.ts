import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";

export const repository = fileURLToPath(new URL("../..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: { start: string };
};
/** What `npm start` runs, behind the name of node itself. */
const START: readonly string[] = scripts.start
  .replace(/^exec /, "")
  .split(" ")
  .slice(1);

/** The same, with a channel over which `heldBytes` asks for its memory. */
export const MEASURED: readonly string[] = [
  "--expose-gc",
  "--import",
  fileURLToPath(new URL("held-memory.ts", import.meta.url)),
  ...START,
];

/** A process of the service of its own, as an operator has it. Killed at the end of the scope if it still runs. */
export type Running = AsyncDisposable & {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** How long it took from the spawn until it said that it is ready; set once `ready` has resolved. */
  readonly ready: (timeoutMs?: number) => Promise<{ readonly url: string; readonly tookMs: number }>;
  /** What the line of JSON says that the service prints when it is ready. */
  readonly greeting: () => Readonly<Record<string, string>>;
  /** Resolves with the exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>;
};

/**
 * Starts it with these settings and nothing else of the environment but PATH and HOME; `within` is a command that changes
 * the world around it and then becomes it.
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
  // "close" comes when the process has ended and all it has written was read.
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
    async ready(timeoutMs = 60_000) {
      await eventually(
        "a service that is ready",
        () => {
          if (isOver) throw new Error(`The service ended: ${output.stderr}${output.stdout}`);
          return /running at http|running jobs/.test(output.stdout) || null;
        },
        timeoutMs,
        5,
      );
      return { url: /running at ([^\s"]+)/.exec(output.stdout)?.[1] ?? "", tookMs: performance.now() - startedMs };
    },
    greeting: () => JSON.parse(/^.*"Plumbline is running.*$/m.exec(output.stdout)![0]) as Record<string, string>,
    async [Symbol.asyncDispose]() {
      if (!isOver) child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The memory that a process has in RAM, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;
}

/** What a process started with `MEASURED` holds after a garbage collection, on its heap and outside of it. */
export async function heldBytes({ child }: Running): Promise<number> {
  const answer = once(child, "message");
  child.send("held bytes");
  return (await answer)[0] as number;
}

/** An empty data directory, for one scope. Others may enter, so that PostgreSQL keeps its files in there when root runs the tests. */
export async function temporaryDataDir(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "plumbline-run-"));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
