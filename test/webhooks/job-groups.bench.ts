import { setTimeout as delay } from "node:timers/promises";
import { it } from "@jest/globals";
import { PgBoss } from "pg-boss";
import { createTestDatabase, openSession } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

// What deliveries would cost as jobs of pg-boss with a group for each owner:
//   npm test -- bench --runInBand --testMatch '**/test/webhooks/*.bench.ts'
const SECONDS = 30;
const WORKERS = Number(process.env["GROUPS_WORKERS"] ?? 32);
const GROUP_LIMIT = Number(process.env["GROUPS_LIMIT"] ?? 8);
const QUEUE = "deliveries";
const FETCH = /SET\s+state = 'active'/;

const HANGING = { groups: 50, jobsEach: 1_000, handlerMs: 10_000 };
const CASES = [
  { name: "alone" },
  { name: "20,000 groups, 1 job each, due in 1 h", groups: 20_000, jobsEach: 1, startAfter: 3_600 },
  { name: "20,000 groups, 1 due job each of 50 ms", groups: 20_000, jobsEach: 1, handlerMs: 50 },
  { name: "50 groups, 1,000 due jobs each of 10 s", ...HANGING },
  // As if other processes run them: only then are all groups at their limit while workers of this one are free.
  { name: "50 groups at their limit, 1,000 due each", ...HANGING, isFull: true },
];
const SET_ACTIVE = `UPDATE pgboss.job SET state = 'active', started_on = now() WHERE id IN (
  SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY group_id) AS n FROM pgboss.job) AS ranked WHERE n <= $1)`;

type Case = { name: string; groups?: number; jobsEach?: number; handlerMs?: number; startAfter?: number; isFull?: boolean };
type Data = { readonly handlerMs: number; readonly sentMs?: number };

const shown = (ms: readonly number[], share = 0.5) =>
  ms.toSorted((a, b) => a - b)[Math.floor(ms.length * share)]?.toFixed(1) ?? "-";

async function took(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function measure({ name, groups = 0, jobsEach = 0, handlerMs = 0, startAfter = 0, isFull = false }: Case) {
  await using database = await createTestDatabase({ isEmpty: true });
  await using session = await openSession(database.url);
  const boss = new PgBoss({ connectionString: database.url, max: 8, useListenNotify: true, supervise: false, schedule: false });
  await boss.start();
  const db = boss.getDb();
  const execute = db.executeSql.bind(db);
  const seen = { statements: 0, open: 0, fetch: { text: "", values: [] as unknown[] }, fetchMs: [] as number[] };
  db.executeSql = async (text, values = []) => {
    seen.statements++;
    seen.open++;
    const startedMs = performance.now();
    const result = await execute(text, values).finally(() => seen.open--);
    if (FETCH.test(text)) {
      seen.fetch = { text, values };
      seen.fetchMs.push(performance.now() - startedMs);
    }
    return result;
  };
  try {
    await boss.createQueue(QUEUE, { notify: true, expireInSeconds: 3_600 });
    const ids = Array.from({ length: groups * jobsEach }, (_, index) => String(index % groups));
    const jobs = ids.map((id) => ({ data: { handlerMs }, singletonKey: id, group: { id }, startAfter }));
    if (jobs.length > 0) await boss.insert(QUEUE, jobs, { returnId: false });
    // Jobs that are written one by one have different times, which the index holds one by one.
    await session.query("UPDATE pgboss.job SET created_on = created_on - random() * interval '1 hour'");
    if (isFull) await session.query(SET_ACTIVE, [GROUP_LIMIT]);
    await session.query("VACUUM ANALYZE");
    const [waits, sends]: [number[], number[]] = [[], []];
    let done = 0;
    const options = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2, groupConcurrency: GROUP_LIMIT };
    for (let started = 0; started < WORKERS; started++) {
      const worker = await boss.work<Data>(QUEUE, options, async ([job]) => {
        if (job!.data.sentMs !== undefined) waits.push(performance.now() - job!.data.sentMs);
        await delay(job!.data.handlerMs);
        done++;
        boss.notifyWorker(worker);
      });
    }
    Object.assign(seen, { statements: 0, fetchMs: [] });
    const healthy = { group: { id: "healthy" } };
    for (let sent = 0; sent < SECONDS; sent++) {
      const sentMs = performance.now();
      sends.push(await took(() => boss.send(QUEUE, { handlerMs: 0, sentMs }, healthy)));
      await delay(Math.max(0, 1_000 - (performance.now() - sentMs)));
    }
    const row = {
      name,
      started: waits.length,
      "wait p50/p99": `${shown(waits)} / ${shown(waits, 0.99)}`,
      "fetch p50": shown(seen.fetchMs),
    };
    const load = { "insert p50": shown(sends), jobs: done, "statements a job": (seen.statements / done).toFixed(1) };
    await boss.offWork(QUEUE, { wait: false });
    await eventually("no statement", () => seen.open === 0);
    const alone = { fetch: [] as number[], insert: [] as number[], pause: [] as number[] };
    for (let round = 0; round < 5; round++) {
      await session.query("BEGIN");
      const { rows } = await session.query<Record<string, string>>(
        `EXPLAIN (ANALYZE, BUFFERS) ${seen.fetch.text}`,
        seen.fetch.values,
      );
      await session.query("ROLLBACK");
      const plan = rows.map((it) => it["QUERY PLAN"]).join("\n");
      if (round === 0) process.stderr.write(`\n${name}\n${plan}\n`);
      alone.fetch.push(Number(/Execution Time: (\S+)/.exec(plan)![1]));
      alone.insert.push(await took(() => boss.send(QUEUE, { handlerMs: 0 }, healthy)));
      const pause = { singletonKey: String(round), match: "all", startAfter: 3_600 } as const;
      alone.pause.push(await took(() => boss.update(QUEUE, undefined, pause)));
    }
    return { ...row, ...load, ...Object.fromEntries(Object.entries(alone).map(([it, ms]) => [`${it} alone`, shown(ms)])) };
  } finally {
    await boss.stop({ graceful: false });
  }
}

it("prints how long a job of one group waits beside the jobs of others, in milliseconds", async () => {
  const rows = [];
  for (const it of CASES) rows.push(await measure(it));
  console.table(rows);
}, 1_200_000);
