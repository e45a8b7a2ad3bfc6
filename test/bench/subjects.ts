import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "../..");
const PEERS = "test/bench/peers";

/** A service under test. `file` is what its process runs, in `folder` if it is another commit. */
export type Subject = { readonly name: string; readonly file: string; readonly isOurs?: true; readonly folder?: string };

export const OURS = "plumbline";
export const FLOOR = "floor";

export const SUBJECTS: readonly Subject[] = [
  { name: FLOOR, file: `${PEERS}/floor/main.ts` },
  { name: OURS, file: "src/main.ts", isOurs: true },
  { name: "fastify-pg", file: `${PEERS}/fastify/pg.ts` },
  { name: "fastify-prisma", file: `${PEERS}/fastify/prisma.ts` },
  { name: "express-prisma", file: `${PEERS}/express/main.ts` },
];
export const SERVICE = SUBJECTS.find(({ name }) => name === OURS)!;

/** The links in the responses of every subject begin with it. */
const PUBLIC_URL = "https://bench.example.com";
export const CURSOR_SECRET = "a secret of the benchmark";
const POOL_SIZE = "10";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 4;
/** So high that no request exceeds it: every request is counted, and none is refused. */
const LIFTED = ["default", "writes", "uploads", "follow", "failed_authentication"].map((it) => `${it}=999999999/60`).join(",");

const readJson = <T>(path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as T;
const { info } = readJson<{ info: { version: string } }>("generated/openapi.json");
const { version: serviceVersion } = readJson<{ version: string }>("package.json");

/** The settings of production, and what differs from their defaults. No subject logs requests. */
const settingsOf = ({ isOurs }: Subject, port: number, databaseUrl: string, dataDir: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  NODE_ENV: "production",
  PORT: String(port),
  DATABASE_URL: databaseUrl,
  DATABASE_POOL_SIZE: POOL_SIZE,
  PUBLIC_URL,
  DATA_DIR: dataDir,
  // Connections that always have a request make a queue, which is what a benchmark wants.
  ...(isOurs
    ? { ROLE: "api", CURSOR_SECRETS: CURSOR_SECRET, RATE_LIMITS: LIFTED, LOG_REQUESTS: "off", MAX_QUEUE_MS: "0" }
    : { API_VERSION: info.version, SERVICE_VERSION: serviceVersion }),
});

export type Running = {
  readonly subject: Subject;
  readonly origin: string;
  readonly pid: number;
  readonly databaseUrl: string;
  /** From the start of the process to the first 200 of `/health`. */
  readonly startMs: number;
  /** The length of what it has printed. */
  printedLength(): number;
  stop(): Promise<void>;
};

export type StartOptions = {
  /** Settings in addition, or instead. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Words before the command, such as `taskset`. */
  readonly prefix?: readonly string[];
};

/** Starts a subject in a process of its own, and waits until it is healthy. */
export async function startSubject(
  subject: Subject,
  databaseUrl: string,
  { settings = {}, prefix = [] }: StartOptions = {},
): Promise<Running> {
  const dataDir = await mkdtemp(join(tmpdir(), "plumbline-bench-"));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const startedMs = performance.now();
  const [program, ...args] = [...prefix, process.execPath, subject.file];
  const child = spawn(program, args, {
    cwd: subject.folder ?? ROOT,
    env: { ...settingsOf(subject, port, databaseUrl, dataDir), ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  let printedLength = 0;
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printedLength += text.length;
      output = (output + text).slice(-4_000);
    });
  const kill = () => child.kill("SIGKILL");
  const cleanUp = () => {
    kill();
    rmSync(dataDir, { recursive: true, force: true });
  };
  process.on("exit", cleanUp);
  const closed = once(child, "close");
  const stop = async () => {
    child.kill("SIGTERM");
    const timer = setTimeout(kill, STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
    process.off("exit", cleanUp);
    cleanUp();
  };
  try {
    while (!(await isHealthy(origin))) {
      if (child.exitCode !== null || performance.now() - startedMs > START_TIMEOUT_MS)
        throw new Error(`${subject.name} does not start:\n${output}`);
      await delay(POLL_MS);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    subject,
    origin,
    pid: child.pid!,
    databaseUrl,
    startMs: performance.now() - startedMs,
    printedLength: () => printedLength,
    stop,
  };
}

async function isHealthy(origin: string): Promise<boolean> {
  const response = await fetch(`${origin}/health`, { headers: { connection: "close" } }).catch(() => null);
  await response?.body?.cancel();
  return response?.status === 200;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
