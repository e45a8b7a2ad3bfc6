import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PgBoss } from "pg-boss";
import { startEmbeddedPostgres } from "../../src/db/embedded-postgres.ts";
import { applyMigrations } from "../../src/db/migrate.ts";
import { administer, TEMPLATE, withDatabase } from "./database.ts";

/** One real PostgreSQL for the whole run, with a template database that every test file copies. */
export default async function globalSetup(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-jest-"));
  const existing = process.env["TEST_DATABASE_URL"];
  // Nobody keeps these data, so nobody has to wait for the disk.
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
  const postgres = existing === undefined ? await startEmbeddedPostgres({ dataDir: join(folder, "data"), settings }) : null;
  const serverUrl = existing ?? postgres!.url;
  process.env["TEST_SERVER_URL"] = serverUrl;
  process.env["WITNESS_FILE"] = join(folder, "witnessed.txt");
  (globalThis as Record<string, unknown>)["stopTestPostgres"] = async () => {
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  await administer(serverUrl, `DROP DATABASE IF EXISTS ${TEMPLATE}`, `CREATE DATABASE ${TEMPLATE}`);
  const template = withDatabase(serverUrl, TEMPLATE);
  await applyMigrations(template);
  const boss = new PgBoss({ connectionString: template, supervise: false, schedule: false });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.stop({ graceful: false });
}
