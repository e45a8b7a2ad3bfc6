import pg from "pg";
import { openSession } from "./database.ts";
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
      await eventuallyWaiting(databaseUrl, count);
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

const WAITING = `SELECT count(*)::int AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
/** On a cluster, a statement waits on the node of its rows. */
const ON_ALL_NODES = `SELECT sum(result::int)::int AS waiting FROM run_command_on_all_nodes($$${WAITING}$$)`;

/** Resolves when `count` statements on a database wait for a lock, on whichever node. */
export async function eventuallyWaiting(databaseUrl: string, count: number): Promise<void> {
  await using session = await openSession(databaseUrl);
  const { rowCount } = await session.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  await eventually(`${count} statements that wait for a lock`, async () => {
    const { rows } = await session.query<{ waiting: number }>(rowCount === 0 ? WAITING : ON_ALL_NODES);
    return rows[0]!.waiting >= count;
  });
}
