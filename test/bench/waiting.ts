import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import type { Client } from "../support/client.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { waitingReach } from "../support/metrics.ts";
import { freePorts } from "../support/tcp-proxy.ts";
import { startPrimary } from "../support/postgres-nodes.ts";
import { call, currentCommit, judge, log, positiveInteger, runBenchmark } from "./harness.ts";
import { residentBytes } from "./processes.ts";
import { percentile } from "./stats.ts";

const USAGE = `Measures requests that wait for a message: their memory, and how long after it is sent a message arrives.

Usage: npm run bench -- waiting [--waiters N] [--messages N]

  --waiters N   how many wait at the same time for the memory; the default is 10000
  --messages N  how many messages are sent to 1000 that wait; the default is 2000`;

const options = { waiters: { type: "string", default: "10000" }, messages: { type: "string", default: "2000" } } as const;
const CONVERSATIONS = 1_000;
/** Between two messages, so that they don't wait for each other. */
const PAUSE_MS = 5;
const SETTINGS = {
  LOG_LEVEL: "error",
  RATE_LIMITS: "off",
  MAX_WAITING: "1000000",
  MAX_WAITING_PER_USER: "1000000",
  // They begin at once.
  MAX_IN_FLIGHT: "100000",
  MAX_IN_FLIGHT_PER_USER: "100000",
  MAX_QUEUE_MS: "0",
};

await runBenchmark({ usage: USAGE, options }, async ({ values }) => {
  const [waiters, messages] = [positiveInteger(values.waiters), positiveInteger(values.messages)];
  console.log(`${new Date().toISOString().slice(0, 16)} UTC, commit ${currentCommit()}`);
  await using primary = await startPrimary();
  await migrateDatabase(primary.url);
  await using deployment = await createDeployment({ database: primary });
  const first = await start(deployment);
  const ada = await deployment.as();
  const bo = await deployment.as();
  const paths = await createConversations(first, ada, bo);
  const memory = await measureMemory(first, bo, paths[0]!, waiters);
  const same = await measureArrival(first, { sender: first, ada, bo, paths, messages });
  const other = await start(deployment);
  const remote = await measureArrival(other, { sender: first, ada, bo, paths, messages });
  return judge([
    { what: `MB for ${waiters} requests that wait`, value: memory, atMost: 150 },
    {
      what: `ms from sending a message to its arrival with ${CONVERSATIONS} that wait, 99th percentile`,
      value: same,
      atMost: 50,
    },
    { what: "the same, if another process has sent it", value: remote, atMost: 50 },
  ]);
});

/** Creates conversations. Returns the paths of their messages. */
async function createConversations(process: Started, ada: Client, bo: Client): Promise<string[]> {
  const paths: string[] = [];
  for (let n = 0; n < CONVERSATIONS; n++) {
    const { id } = await call<{ readonly id: string }>(process.url.origin, ada, "POST", "/conversations", {
      member_ids: [bo.userId],
    });
    paths.push(`/conversations/${id}/messages`);
  }
  return paths;
}

type Started = { readonly url: URL; readonly pid: number; readonly metricsUrl: string };

async function start(deployment: Deployment): Promise<Started> {
  const [port] = await freePorts(1);
  const running = await deployment.start("api", { ...SETTINGS, METRICS_PORT: String(port) });
  const { url } = await running.ready();
  return { url: new URL(url), pid: running.pid, metricsUrl: `http://127.0.0.1:${port}/metrics` };
}

/** A connection that has sent a request, as small as a client can be. */
function ask(url: URL, path: string, { authorization }: Client): Socket {
  const socket = connect(Number(url.port), url.hostname);
  socket.setNoDelay(true);
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: ${authorization}\r\nAccept: application/json\r\n\r\n`,
  );
  return socket;
}

async function measureMemory(running: Started, bo: Client, path: string, count: number): Promise<number> {
  const { url } = running;
  // A process that has just started has a small heap, which any load makes larger.
  for (let n = 0; n < count; n += 50) await Promise.all(Array.from({ length: 50 }, () => call(url.origin, bo, "GET", path)));
  const before = await residentBytes(running.pid);
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(100, count - sockets.length) }, () => ask(url, `${path}?wait=30`, bo));
    sockets.push(...some);
    await Promise.all(some.map((it) => once(it, "connect")));
    if (sockets.length % 1_000 === 0) await delay(50);
  }
  await waitingReach(running, count);
  const megabytes = ((await residentBytes(running.pid)) - before) / 1e6;
  for (const socket of sockets) socket.destroy();
  await waitingReach(running, 0);
  return megabytes;
}

type Crowd = {
  /** Sends the messages. */
  readonly sender: Started;
  readonly ada: Client;
  readonly bo: Client;
  readonly paths: readonly string[];
  readonly messages: number;
};

/** In milliseconds, the 99th percentile. One request waits in each conversation, at all times. */
async function measureArrival(running: Started, { sender, ada, bo, paths, messages }: Crowd): Promise<number> {
  const { url } = running;
  const cursors = await cursorsOf(running, bo, paths);
  const sockets = paths.map((path, n) => ask(url, `${path}?wait=30&after=${cursors[n]}`, bo));
  await waitingReach(running, paths.length);
  const took: number[] = [];
  for (let message = 0; message < messages; message++) {
    const n = message % paths.length;
    const [path, socket] = [paths[n]!, sockets[n]!];
    const startedMs = performance.now();
    const arrived = once(socket, "data").then(([data]) => {
      took.push(performance.now() - startedMs);
      return /"prev_cursor":"([^"]+)"/.exec(String(data))![1]!;
    });
    const [cursor] = await Promise.all([arrived, call(sender.url.origin, ada, "POST", path, { body: "Here" })]);
    socket.destroy();
    sockets[n] = ask(url, `${path}?wait=30&after=${cursor}`, bo);
    await delay(PAUSE_MS);
  }
  for (const socket of sockets) socket.destroy();
  await waitingReach(running, 0);
  log(`arrival: median ${percentile(took, 0.5).toFixed(1)} ms, 99th percentile ${percentile(took, 0.99).toFixed(1)} ms`);
  return percentile(took, 0.99);
}

type Page = { readonly page: { readonly prev_cursor: string } };

async function cursorsOf(process: Started, bo: Client, paths: readonly string[]): Promise<string[]> {
  const cursors: string[] = [];
  for (const path of paths) cursors.push((await call<Page>(process.url.origin, bo, "GET", `${path}?limit=1`)).page.prev_cursor);
  return cursors;
}
