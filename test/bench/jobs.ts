import { setTimeout as delay } from "node:timers/promises";
import { randomUUIDv7 } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { runCommand } from "../../src/util/command.ts";
import { connect as connectService, transaction, type Db } from "../../src/database/client.ts";
import { applyMigrations } from "../../src/database/migrate.ts";
import { job } from "../../src/jobs/job.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createLog } from "../../src/telemetry/log.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { addUser } from "../../src/users/users.ts";
import { scopes } from "#generated/operations.ts";
import { administer, withDatabase } from "../support/database.ts";
import { judge, type Bar } from "./bar.ts";
import { currentCommit, log, positive } from "./command-line.ts";
import { connect, SERVER_SETTINGS } from "./fixture.ts";
import { startGenerator } from "./load-generator.ts";
import { markdown } from "./report.ts";
import { median, percentile } from "./stats.ts";
import { OURS, startSubject, SUBJECTS } from "./subjects.ts";

const PER_SECOND_MIN = 1_000;
const PICK_UP_MAX_MS = 50;
const USAGE = `Measures how fast jobs are enqueued together with their row, and how soon a worker picks them up.
Fails below ${PER_SECOND_MIN} jobs per second, or if half of the jobs wait longer than ${PICK_UP_MAX_MS} ms.

Usage: npm run bench:jobs -- [--rounds N] [--seconds S] [--jobs N]

  --rounds N    the default is 5
  --seconds S   enqueue for S seconds each time; the default is 2
  --jobs N      how many jobs are picked up; the default is 100

How to read the table: test/bench/LOG.md.`;

const options = { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "2" }, jobs: { type: "string", default: "100" } } as const; // prettier-ignore

const POOL_SIZE = 10;
const PAUSE_MS = 20;
const TIMEOUT_MS = 60_000;

/** When each job has started, by its number. */
type Starts = Map<number, number>;
const tiny = job({
  name: "bench-tiny",
  payload: z.object({ n: z.int() }),
  options: { notify: true },
  work: async (starts: Starts, { n }) => starts.set(n, performance.now()),
});

const database = async (serverUrl: string, name: string): Promise<string> => {
  await administer(serverUrl, `CREATE DATABASE ${name}`, `ALTER DATABASE ${name} SET timezone = 'UTC'`);
  const url = withDatabase(serverUrl, name);
  await applyMigrations(url);
  return url;
};

/** Runs work again and again, as many at a time as there are connections, and returns how often in a second. */
async function perSecond(seconds: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  let count = 0;
  const repeat = async () => {
    while (performance.now() < startedMs + seconds * 1_000) await work(++count);
  };
  await Promise.all(Array.from({ length: POOL_SIZE }, repeat));
  return (count * 1_000) / (performance.now() - startedMs);
}

const post = (authorId: string) => ({ id: randomUUIDv7(), authorId, title: "A plumb line", body: "Everything else." });

/** The same with `pg` and two inserts. */
function floorOf(pool: pg.Pool, authorId: string) {
  return async (n: number): Promise<void> => {
    const { id, title, body } = post(authorId);
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await client.query({ name: "row", text: "INSERT INTO posts (id, author_id, title, body) VALUES ($1, $2, $3, $4)", values: [id, authorId, title, body] }); // prettier-ignore
      await client.query({
        name: "job",
        text: "INSERT INTO pgboss.job (name, data) VALUES ($1, $2)",
        values: [tiny.name, { n }],
      });
      await client.query("COMMIT");
    } finally {
      client.release();
    }
  };
}

type Queue = Awaited<ReturnType<typeof startJobs>>["queue"];
const oursOf = (db: Db, queue: Queue, authorId: string) => (n: number) =>
  transaction(db, async (tx) => {
    await tx.post.create({ data: post(authorId) });
    await queue.enqueue(tx, tiny, { n });
  });

type Extent = { readonly rounds: number; readonly seconds: number; readonly jobs: number };
type Rates = { readonly ours: number[]; readonly floor: number[] };

/** Enqueues with the code of the service and with `pg`, and picks up. */
async function measureTiny(url: string, { rounds, seconds, jobs }: Extent) {
  await using stack = new AsyncDisposableStack();
  const logger = createLog("warn");
  const { db } = stack.adopt(await connectService(url, { DATABASE_POOL_SIZE: POOL_SIZE }, (error) => log(error.message)), (it) =>
    it.close(),
  );
  const queue = stack.adopt(await startJobs(url, [tiny.queue], { isWorker: true, log: logger }), (it) => it.close());
  const pool = stack.adopt(new pg.Pool({ connectionString: url, max: POOL_SIZE }), (it) => it.end());
  const { userId } = await addUser(db, "Ada", [...scopes]);
  const [ours, floor] = [oursOf(db, queue.queue, userId), floorOf(pool, userId)];
  const rates: Rates = { ours: [], floor: [] };
  for (const work of [floor, ours]) await perSecond(seconds / 2, work);
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? (["floor", "ours"] as const) : (["ours", "floor"] as const))
      rates[name].push(await perSecond(seconds, name === "ours" ? ours : floor));
  }
  await using client = await connect(url);
  const [counted] = await client.run(`SELECT (SELECT count(*)::int FROM posts) AS rows, count(*)::int AS jobs FROM pgboss.job WHERE name = '${tiny.name}'`); // prettier-ignore
  if (counted!["rows"] !== counted!["jobs"]) throw new StartupError(`There are ${String(counted!["rows"])} rows and ${String(counted!["jobs"])} jobs.`); // prettier-ignore
  await client.run(`DELETE FROM pgboss.job WHERE name = '${tiny.name}'`);

  const starts: Starts = new Map();
  await queue.work([tiny], starts);
  const waits: number[] = [];
  for (let n = 1; n <= jobs; n++) {
    await delay(PAUSE_MS * (0.5 + Math.random()));
    await ours(n);
    const committedMs = performance.now();
    await until(() => starts.has(n));
    waits.push(Math.max(0, starts.get(n)! - committedMs));
  }
  return { rates, waits };
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (!(await isDone())) {
    if (performance.now() > deadlineMs) throw new StartupError("A job was not picked up within a minute.");
    await delay(2);
  }
}

/** Uploads to the running service, whose jobs end at once, because the bytes are not a video. */
async function measureUploads(url: string, { seconds, jobs }: Extent) {
  await using stack = new AsyncDisposableStack();
  const { db, close } = await connectService(url, { DATABASE_POOL_SIZE: 1 }, (error) => log(error.message));
  const { apiKey: key } = await addUser(db, "Ada", [...scopes]).finally(close);
  const ours = SUBJECTS.find((it) => it.name === OURS)!;
  const generator = stack.use(startGenerator());
  await using client = await connect(url);
  const request = { method: "POST", path: "/video-uploads", key, body: "not a video", headers: { "content-type": "application/octet-stream" } } as const; // prettier-ignore
  const settings = { MAX_UPLOADS_PER_USER: "100" };
  const send = async (origin: string, extent: { requests: number; connections: number; seconds?: number }) => {
    const outcome = await generator.send({ origin, ...extent, requests: Array.from({ length: extent.requests }, () => request) });
    if (outcome.failure !== null) throw new StartupError(outcome.failure);
    return outcome;
  };
  const api = await startSubject(ours, url, { settings });
  await send(api.origin, { requests: 1, connections: 16, seconds: seconds / 2 });
  const outcome = await send(api.origin, { requests: 1, connections: 16, seconds }).finally(() => api.stop());
  await client.run("DELETE FROM pgboss.job; DELETE FROM video_uploads");

  const all = stack.adopt(await startSubject(ours, url, { settings: { ...settings, ROLE: "all" } }), (it) => it.stop());
  for (let n = 1; n <= jobs; n++) {
    await send(all.origin, { requests: 1, connections: 1 });
    await until(async () => (await client.run("SELECT count(*)::int AS n FROM video_uploads WHERE finished_at IS NOT NULL"))[0]!["n"] === n); // prettier-ignore
  }
  const rows = await client.run("SELECT extract(epoch FROM started_at - created_at)::float8 * 1000 AS ms FROM video_uploads");
  return { perSecond: outcome.count / outcome.seconds, waits: rows.map((it) => it["ms"] as number) };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await runCommand({ usage: USAGE, options }, async ({ values }) => {
  const extent = {
    rounds: Math.ceil(positive(values.rounds)),
    seconds: positive(values.seconds),
    jobs: Math.ceil(positive(values.jobs)),
  };
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(SERVER_SETTINGS), (it) => it.stop());
  const { rates, waits } = await measureTiny(await database(postgres.url, "bench_jobs"), extent);
  log("tiny jobs");
  const uploads = await measureUploads(await database(postgres.url, "bench_uploads"), extent);
  const rate = median(rates.ours);
  const ratio = median(rates.ours.map((it, round) => it / rates.floor[round]!));
  const shown = (ms: readonly number[]) => [0.5, 0.99].map((share) => `${percentile(ms, share).toFixed(1)} ms`);
  console.log(`Commit ${currentCommit()}, ${extent.rounds} rounds of ${extent.seconds} s, ${extent.jobs} jobs picked up.\n`);
  const rows = [
    ["tiny job with its row", `${Math.round(rate)} /s`, ratio.toFixed(2), ...shown(waits)],
    ["video upload through HTTP", `${Math.round(uploads.perSecond)} /s`, "-", ...shown(uploads.waits)],
  ];
  console.log(`${markdown([["job", "enqueued", "share of pg", "picked up, p50", "p99"], ...rows])}\n`);
  const bars: readonly Bar[] = [
    { what: "tiny jobs enqueued per second", value: rate, atLeast: PER_SECOND_MIN },
    { what: "pick-up of a tiny job, p50 in ms", value: percentile(waits, 0.5), atMost: PICK_UP_MAX_MS },
    { what: "pick-up of a video upload, p50 in ms", value: percentile(uploads.waits, 0.5), atMost: PICK_UP_MAX_MS },
  ];
  return judge(bars);
});
