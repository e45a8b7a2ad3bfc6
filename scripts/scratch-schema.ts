import { migrateDatabase } from "../src/jobs/migrate-database.ts";
import { startScratchPostgres } from "./scratch-postgres.ts";

/** Runs `work` with a temporary database that has all migrations and the job queue. */
export async function withScratchSchema<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const scratch = await startScratchPostgres();
  try {
    await migrateDatabase(scratch.url);
    return await work(scratch.url);
  } finally {
    await scratch.stop();
  }
}
