import { describe, expect, it } from "@jest/globals";
import { getRollbackPlans, PgBoss } from "pg-boss";
import { readFunctions } from "../../src/database/functions.ts";
import { JOB_SCHEMA } from "../../src/jobs/schema-store.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { createTestDatabase, openSession } from "../support/database.ts";
import { crowding } from "../support/processes.ts";
import { eventually } from "../support/eventually.ts";
import { applyMigrations } from "./support/migrations.ts";
import { prepareForEach } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { upload } from "../support/videos.ts";

const NAMED = [`schema ${JOB_SCHEMA} of the job queue`];
const database = prepareForEach(() => createTestDatabase({ isEmpty: true }));
const client = prepareForEach(() => openSession(database.url));

/** Starts pg-boss, which refuses a schema of another version because it must not migrate it. */
async function startWithoutMigrating(): Promise<void> {
  const boss = new PgBoss({ connectionString: database.url, migrate: false, supervise: false, schedule: false });
  boss.on("error", () => undefined);
  try {
    await boss.start();
  } finally {
    await boss.stop({ graceful: false });
  }
}

async function version(): Promise<number> {
  return (await client.query<{ version: number }>("SELECT version FROM pgboss.version")).rows[0]!.version;
}

describe("the schema of the job queue", () => {
  it("is created by the migrations, once, and is the one that pg-boss needs", async () => {
    await applyMigrations(database.url);
    const applied = await Promise.all([1, 2, 3].map(() => migrateDatabase(database.url)));
    // First the schema, because a function can read its tables.
    expect(applied.flat()).toEqual([...NAMED, ...readFunctions().map((it) => it.name)]);
    await startWithoutMigrating();
  });

  it("of an earlier version is migrated, and users of the queue wait for the migration only briefly", async () => {
    await migrateDatabase(database.url);
    await client.query(getRollbackPlans("pgboss", JOB_SCHEMA));
    expect(await version()).toBe(JOB_SCHEMA - 1);
    await expect(startWithoutMigrating()).rejects.toThrow("requires migrations");
    const reports: string[] = [];
    await using dump = await openSession(database.url, { application_name: "a dump" });
    await dump.query("BEGIN; SELECT FROM pgboss.job LIMIT 1");
    const migrating = migrateDatabase(database.url, { report: (it) => void reports.push(it) });
    let slowestMs = 0;
    await eventually("a second attempt", async () => {
      const startedMs = performance.now();
      await client.query("SELECT FROM pgboss.job LIMIT 1");
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      return reports.length > 1;
    });
    await dump.end();
    await expect(migrating).resolves.toEqual(NAMED);
    expect(reports[0]).toMatch(/^The migration to schema \d+ of the job queue .* \(a dump, /);
    // An attempt waits for a second, and an ordinary session for five.
    expect(slowestMs).toBeLessThan(4_000 * crowding());
    await startWithoutMigrating();
  });

  it("of a later version stops the start with a sentence, unless that version has said that this one can work with it", async () => {
    await migrateDatabase(database.url);
    await client.query("UPDATE pgboss.version SET version = 999; COMMENT ON TABLE pgboss.version IS NULL");
    const existing = { url: database.url, drop: () => Promise.resolve() };
    await expect(startTestService({ ROLE: "api" }, existing)).rejects.toThrow(
      `The job queue has schema 999, and this version works with ${JOB_SCHEMA}; start the newer version that migrated it.`,
    );
    await client.query(`COMMENT ON TABLE pgboss.version IS 'works with the code for schema ${JOB_SCHEMA + 1} and later'`);
    await expect(startTestService({ ROLE: "api" }, existing)).rejects.toThrow("has schema 999");

    await client.query(`COMMENT ON TABLE pgboss.version IS 'works with the code for schema ${JOB_SCHEMA - 1} and later'`);
    await using service = await startTestService({ ROLE: "api" }, existing);
    expect((await upload(await service.as(), Buffer.from("not a video"))).status).toBe("queued");
    expect(await version()).toBe(999);
  });
});
