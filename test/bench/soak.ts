import { openAsBlob } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../../src/util/startup-error.ts";
import { eventually } from "../support/eventually.ts";
import { heldBytes, loopDelayMs, MEASURED, residentBytes, run, temporaryDataDir, type Running } from "../support/processes.ts";
import { connect } from "./fixture.ts";
import { ask, currentCommit, judge, log, openBench, positive, runBenchmark, type Bar, type Bench } from "./harness.ts";
import { LOADS, type Request } from "./loads.ts";
import { markdown } from "./report.ts";
import { median, slopeOf } from "./stats.ts";
import { CURSOR_SECRET, SERVICE } from "./subjects.ts";

const SLOPE_MAX_MIB = 1;
const DELAY_RATIO_MAX = 1.5;
const USAGE = `Runs an API and a worker at half of the API's capacity, with every load of the benchmark and a video a minute.
Fails if memory grows by more than ${SLOPE_MAX_MIB} MiB a minute, if the event-loop delay grows, or if a table grows that
should not. The first fifth of the time only warms up.

Usage: npm run bench -- soak [--minutes N] [--share S]

  --minutes N  the default is 30
  --share S    the share of the capacity that is used; the default is 0.5

How to read the table: test/bench/LOG.md.`;

const options = { minutes: { type: "string", default: "30" }, share: { type: "string", default: "0.5" } } as const;

const CONNECTIONS = 32;
const REQUESTS_EACH = 24;
const CAPACITY_SECONDS = 10;
const CLIP = join(import.meta.dirname, "../../src/demo/clip.mp4");
/** Tables that grow with this load, because users own the rows or a job removes them later than this benchmark lasts. */
const GROWING: Readonly<Record<string, string>> = {
  posts: "users own them",
  messages: "users own them",
  idempotency_keys: "stored for 72 hours",
  rate_limits: "until the next maintenance",
  "pgboss.job": "ended jobs are retained for an hour or a day",
};
const GROWTH_MAX_ROWS = 100;

type Sample = {
  readonly minute: number;
  readonly apiBytes: number;
  readonly workerBytes: number;
  readonly apiResidentBytes: number;
  readonly workerResidentBytes: number;
  readonly delayMs: number;
  readonly p99Ms: number;
  readonly rows: Readonly<Record<string, number>>;
};

type SoakParts = {
  readonly origin: string;
  readonly databaseUrl: string;
  readonly api: Running;
  readonly worker: Running;
  readonly bench: Bench;
};

async function measure(minutes: number, share: number): Promise<readonly Sample[]> {
  // With autovacuum and checkpoints, as in production.
  await using bench = await openBench({ shared_buffers: "1GB" });
  await using stack = new AsyncDisposableStack();
  const databaseUrl = await bench.createDatabase(SERVICE.name);
  await using client = await connect(databaseUrl);
  // A copy of a database has no statistics, and PostgreSQL would not know how many rows it has.
  await client.run("ANALYZE");
  const dataDir = stack.use(await temporaryDataDir());
  const start = (role: "api" | "worker") => {
    const settings = {
      NODE_ENV: "production",
      CURSOR_SECRETS: CURSOR_SECRET,
      LOG_LEVEL: "info",
      LOG_REQUESTS: "0.1",
    };
    return stack.use(run({ ...settings, ROLE: role, DATABASE_URL: databaseUrl, DATA_DIR: dataDir.path }, MEASURED));
  };
  const [api, worker] = [start("api"), start("worker")];
  const { url: origin } = await api.ready();
  await worker.ready();
  const parts = { origin, databaseUrl, api, worker, bench };
  const requests = await everyRequest(parts);
  const send = (extent: { readonly seconds: number; readonly rate?: number }) =>
    bench.generator.send({ origin, requests, connections: CONNECTIONS, ...extent });
  await send({ seconds: CAPACITY_SECONDS });
  const { count, seconds } = await send({ seconds: CAPACITY_SECONDS });
  const rate = (count / seconds) * share;
  log(`capacity ${Math.round(count / seconds)} requests a second; ${Math.round(rate)} a second for ${minutes} minutes`);
  await loopDelayMs(api);
  const samples: Sample[] = [];
  for (let minute = 1; minute <= minutes; minute++) {
    const [{ p99Ms }] = await Promise.all([send({ seconds: 58, rate }), sendVideo(parts)]);
    samples.push(await takeSample(parts, minute, p99Ms));
    log(describe(samples.at(-1)!));
  }
  return samples;
}

/** As many requests of each load. */
async function everyRequest({ bench: { world }, origin }: SoakParts): Promise<readonly Request[]> {
  const all = await Promise.all(LOADS.map(async (it) => it.requests(world, ask(origin))));
  return all.flatMap((some) => Array.from({ length: REQUESTS_EACH }, (_, index) => some[index % some.length]!));
}

/** Uploads a video, waits for its result, and deletes it. */
async function sendVideo({ origin, bench: { world } }: SoakParts): Promise<void> {
  const headers = { Authorization: `Bearer ${world.callers[0]!.key}`, "Content-Type": "application/octet-stream" };
  const body = await openAsBlob(CLIP);
  const created = await fetch(`${origin}/video-uploads?name=clip.mp4`, { method: "POST", headers, body });
  if (created.status !== 202) throw new StartupError(`An upload returned ${created.status}. ${await created.text()}`);
  const path = `${origin}${created.headers.get("location")}`;
  await created.body?.cancel();
  await eventually(
    "a video that has succeeded",
    async () => ((await (await fetch(path, { headers })).json()) as { status: string }).status === "succeeded" || null,
    300_000,
    500,
  );
  const { status } = await fetch(path, { method: "DELETE", headers });
  if (status !== 204) throw new StartupError(`The deletion of an upload returned ${status}.`);
}

async function takeSample({ api, worker, databaseUrl }: SoakParts, minute: number, p99Ms: number): Promise<Sample> {
  // Before the garbage collections that the memory needs.
  const delayMs = await loopDelayMs(api);
  const [apiResidentBytes, workerResidentBytes] = [await residentBytes(api.pid), await residentBytes(worker.pid)];
  const [apiBytes, workerBytes] = [await heldBytes(api), await heldBytes(worker)];
  await using client = await connect(databaseUrl);
  const tables = await client.run(
    "SELECT CASE schemaname WHEN 'public' THEN '' ELSE schemaname || '.' END || relname AS name, n_live_tup::float8 AS rows FROM pg_stat_user_tables",
  );
  const rows = Object.fromEntries(tables.map((it) => [it["name"] as string, it["rows"] as number]));
  return { minute, apiBytes, workerBytes, apiResidentBytes, workerResidentBytes, delayMs, p99Ms, rows };
}

const mebi = (bytes: number) => (bytes / 2 ** 20).toFixed(1);
const describe = (it: Sample) =>
  `minute ${it.minute}: API ${mebi(it.apiBytes)} MiB (resident ${mebi(it.apiResidentBytes)}), worker ${mebi(it.workerBytes)} MiB (resident ${mebi(it.workerResidentBytes)}), event-loop delay p99 ${it.delayMs.toFixed(1)} ms, requests p99 ${it.p99Ms.toFixed(1)} ms`;

/** The bars, for the samples after the warm-up. */
function barsOf(samples: readonly Sample[]): readonly Bar[] {
  const slope = (figure: (it: Sample) => number) => slopeOf(samples.map((it) => [it.minute, figure(it) / 2 ** 20] as const));
  const half = Math.ceil(samples.length / 2);
  const delayOf = (some: readonly Sample[]) => median(some.map((it) => it.delayMs));
  return [
    { what: "memory of the API, MiB a minute", value: slope((it) => it.apiBytes), atMost: SLOPE_MAX_MIB },
    { what: "memory of the worker, MiB a minute", value: slope((it) => it.workerBytes), atMost: SLOPE_MAX_MIB },
    { what: "resident memory of the API, MiB a minute", value: slope((it) => it.apiResidentBytes), atMost: SLOPE_MAX_MIB },
    { what: "resident memory of the worker, MiB a minute", value: slope((it) => it.workerResidentBytes), atMost: SLOPE_MAX_MIB },
    {
      what: "event-loop delay p99, second half as a multiple of the first",
      value: delayOf(samples.slice(-half)) / delayOf(samples.slice(0, half)),
      atMost: DELAY_RATIO_MAX,
    },
    {
      what: "tables that grow although they should not",
      value: growthOf(samples).filter((it) => it.reason === null).length,
      atMost: 0,
    },
  ];
}

/** The tables with more rows at the end than at the beginning. */
function growthOf(samples: readonly Sample[]) {
  const [first, last] = [samples[0]!.rows, samples.at(-1)!.rows];
  return Object.keys(last)
    .map((name) => ({ name, rows: last[name]! - (first[name] ?? 0), reason: GROWING[name] ?? null }))
    .filter(({ rows }) => rows > GROWTH_MAX_ROWS);
}

await runBenchmark({ usage: USAGE, options }, async ({ values }) => {
  const minutes = Math.max(3, Math.ceil(positive(values.minutes)));
  const samples = await measure(minutes, positive(values.share));
  const warm = samples.slice(Math.ceil(minutes / 5));
  console.log(`Commit ${currentCommit()}, ${minutes} minutes, of which the first ${minutes - warm.length} warm up.\n`);
  const growing = growthOf(warm).map(({ name, rows, reason }) => [name, String(rows), reason ?? "NOT EXPECTED"]);
  console.log(`${markdown([["table", "more rows", "why"], ...growing])}\n`);
  return judge(barsOf(warm));
});
