import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, mkdtemp, readFile, rm, readdir, readlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./eventually.ts";
import type { Body } from "./client.ts";
import type { CommandResult, runHere } from "./run-here.ts";

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

/** On a busy machine, 3 s can pass before a new connection is ready, and a request before that would get 503. */
export const PATIENT = { DATABASE_POOL_TIMEOUT_SECONDS: "20" };

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

/** The variables of a process with these settings. */
export const environmentWith = (settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  LOG_LEVEL: "silent",
  RATE_LIMITS: "off",
  PORT: "0",
  ...settings,
});

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
    env: { NODE_COMPILE_CACHE: process.env["TEST_COMPILE_CACHE"], ...environmentWith(settings) },
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

const { scripts } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  scripts: { plumbline: string };
};

/** The command line of `npm run plumbline --`, without `node`. */
export const PLUMBLINE: readonly string[] = scripts.plumbline.split(" ").slice(1);

export type Settings = Readonly<Record<string, string>>;

/** Starts a command with these settings as a process. */
export const startPlumbline = (settings: Settings, ...args: readonly string[]) => run(settings, [...PLUMBLINE, ...args]);

/** Runs a command with these settings in the process of the tests, which takes a tenth of the time. */
export const plumbline = (settings: Settings, ...args: readonly string[]): Promise<CommandResult> =>
  (globalThis as unknown as { runHere: typeof runHere }).runHere(environmentWith(settings), args);

/** Runs it as a process of its own, if that is what a test is about. */
export const plumblineProcess = (settings: Settings, ...args: readonly string[]) => outcomeOf(startPlumbline(settings, ...args));

/** Waits until a process ends. */
export async function outcomeOf(running: Running): Promise<CommandResult> {
  await using process = running;
  return { exit: await process.exited, stdout: process.stdout(), stderr: process.stderr() };
}

/** The objects that a command prints with `--json`, and its exit code. Throws if it prints an error. */
export async function plumblineJson(settings: Settings, ...args: readonly string[]) {
  const { exit, stdout, stderr } = await plumbline(settings, ...args, "--json");
  if (stderr !== "") throw new Error(`The command ${args.join(" ")} ended with ${exit}: ${stderr}`);
  return { exit, lines: linesOf(stdout) };
}

/** The objects of JSON lines. */
export const linesOf = (text: string): Body[] =>
  text
    .split("\n")
    .filter((it) => it !== "")
    .map((it) => JSON.parse(it));

/** Runs a verb of `plumbline user` with these settings, and waits until it ends. */
export const userCommand = (settings: Settings, ...args: readonly string[]) => plumbline(settings, "user", ...args);

/** What a verb of `plumbline user` prints. Throws if it fails. */
export async function output(settings: Settings, ...args: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await userCommand(settings, ...args);
  if (exit !== 0 || stderr !== "") throw new Error(`The command user ended with ${exit}: ${stderr}`);
  return stdout.trim();
}

/** Lists the processes of this machine, to show that none is left running. */

/** The ids of processes whose command line or working directory contains `text`. Linux only; on other systems, an empty list. */
export async function processesNaming(text: string): Promise<number[]> {
  const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if ((commandLine.includes(text) || folder.includes(text)) && pid !== process.pid) found.push(pid);
  }
  return found;
}

/** The ids of the child processes of a process. Linux only; on other systems, an empty list. */
export async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}

const SPIN_MS = 100;

/**
 * How many times as long work takes now as on an idle machine: elapsed time divided by processor time. Multiply a limit in
 * milliseconds by it.
 */
export function crowding(): number {
  const [beganMs, before] = [performance.now(), process.cpuUsage()];
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    const ownMs = (user + system) / 1_000;
    if (ownMs >= SPIN_MS) return Math.max(1, (performance.now() - beganMs) / ownMs);
  }
}

/** How long the main thread of a process has run, or has waited for a processor. Linux only. */
export async function busyMs(pid: number): Promise<number> {
  const [ranNs, waitedNs] = (await readFile(`/proc/${pid}/schedstat`, "utf8")).split(" ").map(Number);
  return (ranNs! + waitedNs!) / 1e6;
}

/** The processor time of a running process, all threads included. Linux only. */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(threads.map((it) => readFile(`/proc/${pid}/task/${it}/schedstat`, "utf8").catch(() => "0")));
  return times.reduce((sum, it) => sum + Number(it.split(" ")[0]), 0) / 1e6;
}

/** A line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** The lines of JSON in the output of a service. */
export const linesIn = (output: string): LogLine[] =>
  output
    .split("\n")
    .filter((it) => it.startsWith("{") && it.endsWith("}"))
    .map((it) => JSON.parse(it) as LogLine);

/** The lines for requests, or for those with this path. */
export const requestsIn = (output: string, path?: string): LogLine[] =>
  linesIn(output).filter((it) => it.msg === "request" && (path === undefined || it["path"] === path));
