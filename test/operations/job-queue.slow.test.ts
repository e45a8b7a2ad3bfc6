import { describe, expect, it } from "@jest/globals";
import { PgBoss } from "pg-boss";
import type { Client } from "../support/client.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { startTestService, startWorkerOf, type TestService } from "../support/service.ts";
import { upload } from "../support/videos.ts";

const service = prepareForEach(() => startTestService({ ROLE: "api" }));

type Row = Readonly<Record<string, unknown>>;

/** The options of all queues, by name. */
async function options(of: Pick<TestService, "db">): Promise<ReadonlyMap<unknown, Row>> {
  const rows = await of.db.$queryRaw<Row[]>`
    SELECT name, retry_limit, retry_delay, retry_backoff, retry_delay_max, expire_seconds, retention_seconds, deletion_seconds,
      heartbeat_seconds, dead_letter, notify FROM pgboss.queue WHERE name !~ '^__'`;
  return new Map(rows.map((row) => [row["name"], row]));
}

describe("the job queue", () => {
  it("has the options of this version, even if an earlier version created its queues with others", async () => {
    const wanted = await options(service);
    await using database = await createTestDatabase();
    const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue("elsewhere");
    const others = { retryLimit: 77, retryDelay: 7, retryDelayMax: 777, retryBackoff: true, expireInSeconds: 77 };
    for (const name of wanted.keys())
      await boss.createQueue(String(name), { ...others, deleteAfterSeconds: 0, heartbeatSeconds: 70, deadLetter: "elsewhere" });
    await boss.stop({ graceful: false });
    await using updated = await startTestService({ ROLE: "api" }, { url: database.url });
    const present = new Map([...(await options(updated))].filter(([name]) => name !== "elsewhere"));
    expect(present).toEqual(wanted);
    expect(present.get("video-uploads")).toMatchObject({ retry_limit: 2, heartbeat_seconds: 10, deletion_seconds: 86_400 });
    const changes = () => updated.db.$queryRaw`SELECT name, updated_on FROM pgboss.queue ORDER BY name`;
    const before = await changes();
    await using _again = await startTestService({ ROLE: "api" }, { url: database.url });
    expect(await changes()).toEqual(before);
  });

  it("removes a job at most a day after its end, and one that never starts after two weeks, in every queue, and fills nothing else", async () => {
    const ada = await service.as();
    const job = await upload(ada, Buffer.from("not a video"));
    const [sent] = await service.db.$queryRaw<Row[]>`
      SELECT deletion_seconds, extract(epoch FROM keep_until - created_on)::int AS retained_seconds FROM pgboss.job WHERE id = ${job.id}::uuid`;
    expect(sent).toEqual({ deletion_seconds: 86_400, retained_seconds: 14 * 86_400 });
    for (const [, it] of await options(service)) {
      expect(it["deletion_seconds"]).toBeGreaterThan(0);
      expect(it["deletion_seconds"]).toBeLessThanOrEqual(86_400);
      expect(it["retention_seconds"]).toBe(14 * 86_400);
    }
    // For each queue, ended jobs and jobs never begun: some a minute past their retention, and some an hour before its end.
    await service.db.$executeRaw`
      INSERT INTO pgboss.job (name, state, singleton_key, completed_on, deletion_seconds)
      SELECT name, state::pgboss.job_state, age, now() - make_interval(secs => deletion_seconds + CASE age WHEN 'old' THEN 60 ELSE -3600 END), deletion_seconds
      FROM pgboss.queue, unnest(ARRAY['completed', 'failed', 'cancelled']) state, unnest(ARRAY['old', 'young']) age WHERE name !~ '^__' AND (deletion_seconds > 3600 OR age = 'old')`;
    await service.db.$executeRaw`
      INSERT INTO pgboss.job (name, singleton_key, start_after, keep_until)
      SELECT name, age, now() + interval '1 year', now() + CASE age WHEN 'old' THEN interval '-1 minute' ELSE interval '1 hour' END
      FROM pgboss.queue, unnest(ARRAY['old', 'young']) age WHERE name !~ '^__'`;
    const count = async (age: string) => {
      const [row] = await service.db.$queryRaw<
        { count: number }[]
      >`SELECT count(*)::int FROM pgboss.job WHERE singleton_key = ${age}`;
      return row!.count;
    };
    const [old, young] = [await count("old"), await count("young")];
    expect(old).toBe((await options(service)).size * 4);
    // As if the last maintenance was more than an hour ago.
    await service.db.$executeRaw`UPDATE pgboss.queue SET maintain_on = now() - interval '61 minutes'`;
    await using _worker = await startWorkerOf(service);
    await eventually("the removal of old jobs", async () => (await count("old")) === 0);
    expect(await count("young")).toBe(young);

    // No other table of pg-boss grows.
    const tables = await service.db.$queryRaw<{ name: string }[]>`
      SELECT relname AS name FROM pg_class WHERE relnamespace = 'pgboss'::regnamespace AND relkind IN ('r', 'p')
      AND relname !~ '^queue_stats_[0-9]' ORDER BY 1`;
    // The tables of pg-boss: jobs (with a partition), one row per queue and schedule, its version, and tables that are not used.
    const known = ["job", "job_common", "queue", "schedule", "version"];
    const unused = ["bam", "job_dependency", "queue_stats", "subscription", "warning"];
    expect(tables.map(({ name }) => name)).toEqual([...known, ...unused].sort());
    for (const name of unused) {
      const [row] = await service.db.$queryRawUnsafe<{ count: number }[]>(`SELECT count(*)::int FROM pgboss.${name}`);
      expect([name, row!.count]).toEqual([name, 0]);
    }
  });
});

/** Settings that put the clock of one process ahead. */
const ahead = (hours: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(`const now = Date.now; Date.now = () => now() + ${hours} * 3600e3;`)}`,
});

describe("jobs of a user with many jobs", () => {
  /** The names of the owners of the jobs, in the order in which the jobs began. */
  async function begun(names: ReadonlyMap<string, string>): Promise<string[]> {
    const rows = await service.db.videoUpload.findMany({ orderBy: { startedAt: "asc" } });
    return rows.map(({ ownerId }) => names.get(ownerId) ?? "");
  }

  it("start after the jobs of others at first, and still run while others arrive", async () => {
    const heavy = await service.as();
    const names = new Map([[heavy.userId, "heavy"]]);
    const bytes = Buffer.from("not a video");
    for (let sent = 0; sent < 4; sent++) await upload(heavy, bytes);
    const other = async (name: string, user: Client) => {
      names.set(user.userId, name);
      await upload(user, bytes);
    };
    await other("early", await service.as());
    await other("early", await service.as());
    // An hour later, these jobs are still waiting, and others keep arriving.
    const database = { url: service.databaseUrl, drop: async () => undefined };
    await using later = await createDeployment({ dataDir: service.dataDir, database });
    await later.start("api", ahead(1));
    for (let sent = 0; sent < 4; sent++) await other("late", await later.as());
    await using _worker = await startWorkerOf(service);
    await eventually(
      "the end of all jobs",
      async () => (await service.db.videoUpload.count({ where: { status: "failed" } })) === names.size + 3,
    );
    expect(await begun(names)).toEqual(["heavy", "early", "early", "heavy", "heavy", "heavy", "late", "late", "late", "late"]);
  });
});
