import { execFileSync, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { runCommand, UsageError } from "../../src/util/command.ts";
import type { Client } from "../support/client.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { connect, copyFixture, createFixture, SERVER_SETTINGS, type Fixture } from "./fixture.ts";
import type { Order, Measured } from "./generator.ts";
import { LOADS, type Ask, type Load } from "./loads.ts";
import { parentOf } from "./processes.ts";
import { startSubject } from "./subjects.ts";

/** What all commands of the benchmark share. */

export const log = (line: string) => void process.stderr.write(`${line}\n`);

/** Runs a command. A signal ends it with all the processes that it has started. */
export const runBenchmark: typeof runCommand = (description, run) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  return runCommand(description, run);
};

export function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new UsageError();
  return number;
}

export const positiveInteger = (text: string) => Math.ceil(positive(text));

/** The loads that the words name, or the usual ones if there is no word. */
export function loadsNamed(words: readonly string[], usual: readonly string[]): readonly Load[] {
  const unknown = words.filter((word) => !LOADS.some((it) => it.name === word));
  if (unknown.length > 0) throw new StartupError(`There is no load ${unknown.join(", ")}. npm run bench -- --help lists them.`);
  return LOADS.filter(({ name }) => (words.length === 0 ? usual : words).includes(name));
}

export function currentCommit(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

export type Bench = Awaited<ReturnType<typeof openBench>>;

/** A PostgreSQL with the data of the benchmark, and a load generator. At the end, everything that was started ends. */
export async function openBench(
  settings: Readonly<Record<string, string>> = SERVER_SETTINGS,
  create: (serverUrl: string) => Promise<Fixture> = createFixture,
) {
  if (process.platform !== "linux" || availableParallelism() < 2)
    throw new StartupError("A benchmark needs two cores, and Linux, because it reads CPU times from /proc.");
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(settings), (it) => it.stop());
  log("Creating the data.");
  const { template, world } = await create(postgres.url);
  const [backend] = await stack.use(await connect(postgres.url)).run("SELECT pg_backend_pid() AS pid");
  const started = stack.use(startGenerator());
  const all = stack.move();
  return {
    world,
    /** The process that starts a process for each session. */
    postmaster: await parentOf(backend!["pid"] as number),
    generator: started,
    /** A copy of the data, for one subject. */
    createDatabase: (subject: string) => copyFixture(postgres.url, template, subject),
    start: async (...args: Parameters<typeof startSubject>) => all.adopt(await startSubject(...args), (it) => it.stop()),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** The process that sends the requests, so that they cost the benchmark's own process nothing. */
function startGenerator() {
  const child = fork(join(import.meta.dirname, "generator.ts"), { stdio: "inherit" });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("The load generator has ended.")));
  // It also ends when the benchmark does.
  ended.catch(() => undefined);
  return {
    pid: child.pid!,
    /** Throws a StartupError if a single request has failed. */
    async send(order: Order): Promise<Measured> {
      child.send(order);
      const [outcome] = (await Promise.race([once(child, "message"), ended])) as [Measured];
      if (outcome.failure !== null)
        throw new StartupError(`${order.origin}: ${outcome.failures} requests have failed. ${outcome.failure}`);
      return outcome;
    },
    [Symbol.dispose]: () => child.disconnect(),
  };
}

/** Asks a subject for what its requests depend on, such as cursors. */
export const ask =
  (origin: string): Ask =>
  async (path, key) => {
    const response = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Awaited<ReturnType<Ask>>;
  };

/** Sends a request with a new key, and returns the body of its success. Not the client of the tests, which compares it with the contract. */
export async function call<Answer>(
  origin: string,
  { authorization }: Pick<Client, "authorization">,
  method: "GET" | "POST",
  path: string,
  body?: object,
): Promise<Answer> {
  const headers = { authorization: authorization!, "content-type": "application/json", "idempotency-key": randomUUID() };
  const response = await fetch(origin + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** A figure that has to be on one side of a limit. */
export type Bar = { readonly what: string; readonly value: number; readonly atMost?: number; readonly atLeast?: number };

const isMet = ({ value, atMost = Infinity, atLeast = -Infinity }: Bar) => value <= atMost && value >= atLeast;

/** Prints every bar, and returns the exit code: 0 if all are met, else 1. */
export function judge(bars: readonly Bar[]): 0 | 1 {
  for (const bar of bars) {
    const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
    console.log(`${isMet(bar) ? "met    " : "NOT MET"}  ${bar.what}: ${Number(bar.value.toPrecision(3))}, ${limit}`);
  }
  return bars.every(isMet) ? 0 : 1;
}
