import { existsSync } from "node:fs";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { randomUUID, randomUUIDv7 } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { PgBoss } from "pg-boss";
import { pino } from "pino";
import { z } from "zod";
import { transaction } from "../../src/database/client.ts";
import { job, scheduled, type AnyJob } from "../../src/jobs/job.ts";
import { startJobs, type Jobs } from "../../src/jobs/jobs.ts";
import { openScratch } from "../../src/video-uploads/worker/scratch.ts";
import { openConversation, sendMany, withKey } from "../support/conversations.ts";
import { createNotifications } from "../support/notifications.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { finding, found } from "./support/doctor.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** Runs the hourly maintenance now. */
async function maintain(isDone: () => Promise<boolean>): Promise<void> {
  const boss = new PgBoss({ connectionString: service.databaseUrl, supervise: false, schedule: false });
  await boss.start();
  await boss.send("maintenance", {});
  await boss.stop({ graceful: false });
  await using _worker = await startWorkerOf(service);
  await eventually("the end of the maintenance", isDone);
}

describe("the hourly maintenance of a worker", () => {
  it("removes notifications after 90 days and idempotency keys after 72 hours, but no newer ones and no messages", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [oldKey, youngKey] = [randomUUID(), randomUUID()];
    const first = await ada("POST", "/posts", { title: "Old", body: "x" }, withKey(oldKey));
    const young = await ada("POST", "/posts", { title: "Young", body: "x" }, withKey(youngKey));
    const conversation = await openConversation(ada, [yuki]);
    const [message] = await sendMany(ada, conversation, 3);
    await createNotifications(ada, yuki, 2);
    const {
      body: {
        data: [newest, ...older],
      },
    } = await yuki("GET", "/notifications");
    await service.db
      .$executeRaw`UPDATE notifications SET created_at = created_at - interval '91 days', updated_at = updated_at - interval '91 days' WHERE id <> ${newest.id}::uuid`;
    await service.db.$executeRaw`UPDATE messages SET created_at = created_at - interval '400 days'`;
    await service.db.$executeRaw`UPDATE idempotency_keys SET expires_at = expires_at - interval '73 hours' WHERE key = ${oldKey}`;
    const left = async () => ({
      notifications: await service.db.notification.count(),
      keys: await service.db.idempotencyKey.count(),
    });
    expect(await left()).toEqual({ notifications: older.length + 1, keys: 5 });
    await maintain(async () => (await left()).keys === 4 && (await left()).notifications === 1);
    expect((await yuki("GET", "/notifications")).body.data).toEqual([newest]);
    expect((await ada("POST", "/posts", { title: "Young", body: "x" }, withKey(youngKey))).text).toBe(young.text);
    expect((await ada("POST", "/posts", { title: "Old", body: "x" }, withKey(oldKey))).body.id).not.toBe(first.body.id);
    expect(await service.db.message.count({ where: { conversationId: conversation.id } })).toBe(3);
    expect((await ada("GET", `${conversation.messages}/${message.id}`)).status).toBe(200);
  });

  it("removes thousands of expired keys, counters, days with clicks, audit entries and responses to events, and no others", async () => {
    const { userId } = await service.as();
    const { db } = service;
    const left = async () => ({
      keys: await db.idempotencyKey.count({ where: { userId } }),
      counters: await db.rateLimit.count({ where: { key: { startsWith: `writes:${userId}` } } }),
      days: await db.clickDay.count(),
      auditEntries: await db.auditEntry.count(),
      // Those to test events have no text of others.
      responses: await db.webhookDelivery.count({ where: { responseBody: { not: null } } }),
    });
    const expiry = "now() + (n - 2500) * interval '1 hour'";
    const numbers = "FROM generate_series(1, 2503) n";
    for (const statement of [
      `INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body, expires_at)
       SELECT '${userId}', 'createPost', 'key-' || n, '', 201, '{}', 'null', ${expiry} ${numbers}`,
      `INSERT INTO rate_limits (key, points, expire)
       SELECT 'writes:${userId}' || n, 1, extract(epoch FROM now())::bigint * 1000 + (n - 2500)::bigint * 3600000 ${numbers}`,
      `WITH url AS (INSERT INTO short_urls (id, owner_id, target_url) VALUES ('with-days', '${userId}', 'https://example.com/') RETURNING id)
       INSERT INTO click_days (short_url_id, day, click_count)
       SELECT id, (now() AT TIME ZONE 'UTC')::date - 398 - n, 1 FROM url, generate_series(0, 2500) n`,
      `INSERT INTO audit_entries (id, action, details, operator, host, expires_at)
       SELECT gen_random_uuid(), 'user.add', '{}', 'ada', 'here', ${expiry} ${numbers}`,
      `INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, status, response_status, response_body, created_at, expires_at)
       SELECT gen_random_uuid(), '${userId}', gen_random_uuid(), CASE WHEN n <= 3 THEN 'webhook_endpoint.tested' ELSE 'message.created' END,
         '{}', 'succeeded', 200, 'Words', now(), now() ${numbers}`,
    ])
      await db.$executeRawUnsafe(statement);
    await maintain(async () => Object.values(await left()).every((count) => count < 4));
    expect(await left()).toEqual({ keys: 3, counters: 3, days: 3, auditEntries: 3, responses: 3 });
    const tested = { responseBody: { not: null }, event: "webhook_endpoint.tested" };
    expect(await db.webhookDelivery.count({ where: tested })).toBe(3);
    expect(await db.webhookDelivery.count({ where: { responseStatus: 200 } })).toBe(2_503);
  });

  it("removes the scratch folder of a killed worker, and no folder that is in use or not its own; and puts that have not moved for a day", async () => {
    const put = (hours: number) => join(service.dataDir, "objects", "incoming", `put-${hours}`);
    for (const hours of [23, 25]) {
      const at = new Date(Date.now() - hours * 3_600_000);
      await writeFile(put(hours), "bytes");
      await utimes(put(hours), at, at);
    }
    const folder = (name: string) => join(service.dataDir, "scratch", name);
    const folders = { gone: `${randomUUIDv7()}-1`, foreign: "somebody-else" };
    for (const name of Object.values(folders)) {
      await mkdir(folder(name), { recursive: true });
      await writeFile(join(folder(name), "original"), "bytes");
    }
    await writeFile(folder(`${folders.gone}.lock`), "");
    const atWork = await openScratch(folder(""), { videoUploadId: randomUUIDv7(), attempt: 2 });
    await maintain(async () => !existsSync(folder(folders.gone)) && !existsSync(put(25)));
    expect(existsSync(put(23))).toBe(true);
    expect([existsSync(atWork.path), existsSync(join(folder(folders.foreign), "original"))]).toEqual([true, true]);
    await atWork.remove();
  });
});

describe("plumbline doctor", () => {
  it.each([
    ["created", 9, "good"],
    ["created", 11, "warning"],
    ["retry", 9, "good"],
    ["retry", 11, "warning"],
  ] as const)("says of a job in the state %s that has waited for %i minutes: %s", async (state, minutes, level) => {
    const settings = { NODE_ENV: "test", ROLE: "api", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir };
    await service.db.$executeRaw`INSERT INTO pgboss.job (name, singleton_key, state, created_on, start_after)
      SELECT 'maintenance', 'of the doctor', ${state}::pgboss.job_state, at, at FROM (SELECT now() - make_interval(mins => ${minutes}::int)) AS it (at)`;
    expect(await finding("waiting_jobs", settings)).toEqual(
      found(level, minutes === 9 ? /^In maintenance, .* for 5[4-9]\d s/ : /^In maintenance, .* for 6[6-9]\d s/),
    );
    await service.db.$executeRaw`DELETE FROM pgboss.job WHERE singleton_key = 'of the doctor'`;
  });
});

/** Starts a worker for the jobs of one queue, and ends it when `isDone`. Returns the state of the job that `begin` adds. */
async function runJobs<Env extends object>(
  jobs: readonly AnyJob<Env>[],
  env: Env,
  begin: (jobs: Jobs) => Promise<unknown>,
  isDone: (state: string | undefined) => boolean,
) {
  const { queue } = jobs[0]!;
  const stateOf = () => service.db.$queryRaw<{ state: string; message: string | null }[]>`
    SELECT state::text, output->>'message' AS message FROM pgboss.job WHERE name = ${queue.name}`;
  {
    await using stack = new AsyncDisposableStack();
    const started = await startJobs(service.databaseUrl, [queue], { isWorker: true, log: pino({ level: "silent" }) });
    stack.defer(() => started.close());
    await started.work(jobs, env);
    await begin(started);
    await eventually("the end of the run", async () => isDone((await stateOf())[0]?.state));
  }
  return (await stateOf())[0];
}

describe("a run of scheduled jobs", () => {
  type Env = { readonly ran: string[] };
  const queueOf = (name: string) => ({ name, cron: "0 0 1 1 *", options: { retryLimit: 0 } }) as const;

  /** Runs these jobs once, in a queue of their own, until `isDone`. Returns the names of those that ran, and the reported error. */
  async function runOnce(jobs: readonly AnyJob<Env>[], isDone: (ran: readonly string[]) => boolean) {
    const ran: string[] = [];
    const begin = () => service.db.$executeRaw`INSERT INTO pgboss.job (name, retry_limit) VALUES (${jobs[0]!.queue.name}, 0)`;
    return { ran, ...(await runJobs(jobs, { ran }, begin, () => isDone(ran))) };
  }

  it("runs every job, also after some that fail, and then fails with the reasons of each of them", async () => {
    const queue = queueOf("run-with-failures");
    const failing = (name: string) =>
      scheduled<Env>(queue, name, async ({ ran }) => {
        ran.push(name);
        throw new Error(`${name} is broken`);
      });
    const working = (name: string) => scheduled<Env>(queue, name, async ({ ran }) => ran.push(name));
    const jobs = [failing("first"), working("second"), failing("third"), working("fourth")];
    expect(await runOnce(jobs, (ran) => ran.includes("fourth"))).toEqual({
      ran: ["first", "second", "third", "fourth"],
      state: "failed",
      message: "2 of 4 scheduled jobs have failed (first: first is broken; third: third is broken)",
    });
  });

  it("starts no more jobs when its process stops", async () => {
    const queue = queueOf("run-that-stops");
    const waiting = scheduled<Env>(queue, "first", async ({ ran }, signal) => {
      ran.push("first");
      await new Promise((done) => signal.addEventListener("abort", done));
    });
    const second = scheduled<Env>(queue, "second", async ({ ran }) => ran.push("second"));
    expect(await runOnce([waiting, second], (ran) => ran.includes("first"))).toMatchObject({ ran: ["first"], state: "failed" });
  });
});

describe("a job", () => {
  it("has the attempts of its queue, and one more for each that doesn't count; a later attempt gets the new payload", async () => {
    const begun: (readonly [step: string, attempt: number, attemptsMax: number])[] = [];
    const steps = job({
      name: "steps",
      payload: z.object({ step: z.string() }),
      options: { retryLimit: 2, notify: true },
      async work(_env: object, { step }, execution) {
        begun.push([step, execution.attempt, execution.attemptsMax]);
        await transaction(service.db, async (tx) => {
          if (step === "first") await execution.putBack(tx, { uncounted: true, payload: { step: "after a stop" } });
          else if (step === "after a stop")
            await execution.putBack(tx, { uncounted: false, payload: { step: "after a failure" } });
          else if (execution.attempt < execution.attemptsMax) await execution.retry(tx, new Error("a failure"), 0);
          else await execution.complete(tx);
        });
      },
    });
    const enqueue = (jobs: Jobs) => transaction(service.db, (tx) => jobs.queue.enqueue(tx, steps, { step: "first" }));
    expect(await runJobs([steps], {}, enqueue, (state) => state === "completed")).toMatchObject({ state: "completed" });
    expect(begun).toEqual([
      ["first", 1, 3],
      ["after a stop", 2, 4],
      ["after a failure", 3, 4],
      ["after a failure", 4, 4],
    ]);
  });
});
