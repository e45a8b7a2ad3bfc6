import { existsSync, statfsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { migrateDatabase } from "../../src/jobs/migrate-database.ts";
import { makeCitusTemplate, startTestCluster } from "../support/distributed-cluster.ts";
import type { RunConfig } from "./global-teardown.ts";
import { missingCitus } from "../support/citus.ts";
import { administer, TEMPLATE, withDatabase } from "../support/database.ts";

const IN_MEMORY = "/dev/shm";
const ROOM_BYTES = 4 * 2 ** 30;
/** What a test program of POSIX exits with if it can't test (automake). */
const SKIPPED = 77;

/**
 * Where the databases of a run are: in memory, if it is the run of `npm test` and there is space. On a disk, making a database
 * takes ten times as long, because ext4 passes over each file that was deleted with the databases before. Slow tests have more
 * rows.
 */
function folderFor({ testPathPatterns }: RunConfig): string {
  const isQuick = process.env["TESTS"] === undefined && testPathPatterns.patterns.length === 0;
  return (isQuick ? inMemory() : null) ?? tmpdir();
}

function inMemory(): string | null {
  if (!existsSync(IN_MEMORY)) return null;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize < ROOM_BYTES ? null : IN_MEMORY;
}

/**
 * Starts one PostgreSQL for the whole run, or uses that of TEST_DATABASE_URL, and creates the template database that every
 * test file copies.
 */
export default async function globalSetup(run: RunConfig): Promise<void> {
  const existing = process.env["TEST_DATABASE_URL"];
  const isOnCitus = process.env["TEST_CITUS"] === "on";
  const reason = isOnCitus ? missingCitus() : null;
  if (reason !== null) {
    process.stderr.write(`\nSKIPPED: the tests on three nodes: ${reason}\n\n`);
    process.exit(SKIPPED);
  }
  const cluster = isOnCitus ? await startTestCluster(inMemory() ?? tmpdir()) : null;
  const postgres = existing
    ? { url: existing, stop: async () => {} }
    : (cluster ?? (await startScratchPostgres({}, folderFor(run))));
  const folder = await mkdtemp(join(tmpdir(), "plumbline-jest-"));
  const stop = async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await (cluster === null ? makeTemplate(postgres.url) : makeCitusTemplate(cluster));
  } catch (error) {
    // Jest runs no teardown if the setup failed.
    await stop();
    throw error;
  }
  process.env["TEST_SERVER_URL"] = postgres.url;
  process.env["TEST_WORKER_URLS"] = (cluster?.workers ?? []).map((it) => it.url).join(" ");
  process.env["WAITS_FILE"] = join(folder, "waits.txt");
  // Tests start hundreds of processes, and each would compile the same modules again. The workers of Jest don't use it, because
  // they load their modules once. Writing the cache would take longer than Jest waits for the end of a worker.
  process.env["TEST_COMPILE_CACHE"] = join(folder, "compiled");
  process.env["WITNESS_FILE"] ??= join(folder, "witnessed.txt");
  (globalThis as Record<string, unknown>)["stopTestPostgres"] = stop;
}

/** Creates the database that every test database is a copy of. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  await administer(serverUrl, `DROP DATABASE IF EXISTS ${TEMPLATE}`, `CREATE DATABASE ${TEMPLATE}`);
  const template = withDatabase(serverUrl, TEMPLATE);
  await migrateDatabase(template);
}
