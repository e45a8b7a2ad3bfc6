import pg from "pg";
import { eventually } from "./eventually.ts";

/** A second session on the database of a service, with a lock that the service needs. */
export type Holder = AsyncDisposable & {
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Resolves when `count` statements of the service wait for a lock. */
  blocks(count: number): Promise<void>;
  /** Releases the lock. */
  release(): Promise<void>;
};

/** Begins a transaction with a statement that takes a lock, and holds it until `release`. */
export async function hold(databaseUrl: string, sql: string, values: readonly unknown[] = []): Promise<Holder> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "test holder" });
  await client.connect();
  const query: Holder["query"] = async (text, parameters = []) =>
    (await client.query(text, [...parameters])).rows as Record<string, unknown>[];
  let held = true;
  await query("BEGIN");
  await query(sql, values);
  return {
    query,
    async blocks(count) {
      await eventually(`${count} statements that wait for a lock`, async () => {
        // Otherwise `pg_stat_activity` stays the same during the transaction.
        await query("SELECT pg_stat_clear_snapshot()");
        const [row] = await query(
          "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return Number(row?.["waiting"]) >= count;
      });
    },
    async release() {
      if (!held) return;
      held = false;
      await client.end();
    },
    async [Symbol.asyncDispose]() {
      if (held) await client.end();
    },
  };
}
