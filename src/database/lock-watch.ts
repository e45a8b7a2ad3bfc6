import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { withClient } from "./session.ts";

export type LockWatch = ReturnType<typeof watchLocks>;

/** Most migrations end sooner, and need no second connection. */
const FIRST_LOOK_MS = 200;
/** Less than `deadlock_timeout` and what Citus waits, after which one of them would cancel the migration. */
const LOOK_MS = 100;
const REPORT_MS = 30_000;
const TIMEOUT_MS = 5_000;

/** The settings of a connection for migrations. */
export const migrationClient = (connectionString: string): pg.ClientConfig => ({
  connectionString,
  connectionTimeoutMillis: TIMEOUT_MS,
  application_name: "plumbline migrations",
});

const UNKNOWN = "another session";

// PostgreSQL shows the start of its transaction only to its own user, and to pg_read_all_stats.
const FIND_HOLDER = `SELECT format('session %s (%s%s)', pid, coalesce(nullif(application_name, ''), backend_type, 'without a name'),
    ', in a transaction since ' || to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS holder
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY xact_start LIMIT 1`;

// To try the step again instead takes minutes: Citus cancels the youngest transaction, which is the step.
// From pg_locks, because the last rows of pg_stat_activity show no session that has begun to wait since the first look.
const CANCEL_DEADLOCKED = `SELECT pg_cancel_backend(pid) FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) AS waiting
  WHERE $1 = ANY (pg_blocking_pids(pid))
    AND EXISTS (SELECT FROM pg_locks AS held WHERE held.pid = waiting.pid AND granted AND relation = ANY ($2::regclass[]))`;

/**
 * Asks on another connection, several times a second, which session `watched` waits for. Reports a wait without a time limit, which
 * holds up no request. Afterwards, PostgreSQL doesn't tell who it was.
 */
export function watchLocks(databaseUrl: string, watched: pg.Client, report: (sentence: string) => void) {
  const stopping = new AbortController();
  let holder = UNKNOWN;
  let wanted: readonly string[] = [];
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const { rows } = await watched.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await delay(FIRST_LOOK_MS, undefined, { signal: stopping.signal });
    await withClient({ ...migrationClient(databaseUrl), query_timeout: TIMEOUT_MS }, async (client) => {
      for (let sinceMs = performance.now(); ; await delay(LOOK_MS, undefined, { signal: stopping.signal })) {
        // Without the right to do that, the migration waits as long as it may.
        if (wanted.length > 0) await client.query(CANCEL_DEADLOCKED, [rows[0]?.pid, wanted]).catch(() => undefined);
        const found = await client.query<{ holder: string }>(FIND_HOLDER, [rows[0]?.pid]);
        if (found.rows[0] === undefined) {
          sinceMs = performance.now();
          continue;
        }
        ({ holder } = found.rows[0]);
        if (performance.now() - sinceMs < REPORT_MS) continue;
        report(`The migrations wait for ${holder}.`);
        sinceMs = performance.now();
      }
    });
  }

  return {
    start(): void {
      // Without it, the messages only lack a name.
      looking ??= look().catch(() => undefined);
    },
    /**
     * Runs `lock`, which locks these tables. Meanwhile, cancels each session that has one of them and waits for another one that
     * `watched` has: each would wait for the other. New sessions wait behind `lock`, so those in its way become fewer.
     */
    async whileLocking(tables: readonly string[], lock: () => Promise<unknown>): Promise<void> {
      wanted = tables;
      await lock().finally(() => (wanted = []));
    },
    /** The session that held the lock when it was last waited for, as a part of a sentence. */
    holder(): string {
      const found = holder;
      holder = UNKNOWN;
      return found;
    },
    async stop(): Promise<void> {
      stopping.abort();
      await looking;
    },
  };
}
