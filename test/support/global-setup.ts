import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { administer, TEMPLATE, withDatabase } from "./database.ts";

/**
 * Starts one PostgreSQL for the whole run, or uses that of TEST_DATABASE_URL, and creates the template database that every
 * test file copies.
 */
export default async function globalSetup(): Promise<void> {
  const existing = process.env["TEST_DATABASE_URL"];
  const postgres = existing ? { url: existing, stop: async () => {} } : await startScratchPostgres();
  const folder = await mkdtemp(join(tmpdir(), "plumbline-jest-"));
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await makeTemplate(postgres.url);
  } catch (error) {
    // Jest runs no teardown if the setup failed.
    await stop();
    throw error;
  }
  process.env["TEST_SERVER_URL"] = postgres.url;
  process.env["WAITS_FILE"] = join(folder, "waits.txt");
  // Tests start hundreds of processes, and each would compile the same modules again.
  process.env["NODE_COMPILE_CACHE"] ??= join(folder, "compiled");
  process.env["WITNESS_FILE"] ??= join(folder, "witnessed.txt");
  (globalThis as Record<string, unknown>)["stopTestPostgres"] = stop;
}

/** Creates the database that every test database is a copy of. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await administer(serverUrl, `DROP DATABASE IF EXISTS ${TEMPLATE}`, `CREATE DATABASE ${TEMPLATE}`);
  const template = withDatabase(serverUrl, TEMPLATE);
  await migrateDatabase(template);
}
