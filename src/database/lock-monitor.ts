import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { withClient } from "./session.ts";

export type LockMonitor = ReturnType<typeof monitorLocks>;

/** Most migrations end sooner, and need no second connection. */
const FIRST_POLL_MS = 200;
/** Shorter than `deadlock_timeout` and the deadlock detection of Citus, which would cancel the migration. */
const POLL_MS = 100;
const REPORT_MS = 30_000;
const TIMEOUT_MS = 5_000;

/** The settings of a connection for migrations. */
export const migrationClient = (connectionString: string): pg.ClientConfig => ({
  connectionString,
  connectionTimeoutMillis: TIMEOUT_MS,
  application_name: "plumbline migrations",
});

const UNKNOWN = "another session";

// PostgreSQL shows the start of a transaction only to the same user, and to pg_read_all_stats.
const FIND_HOLDER = `SELECT format('session %s (%s%s)', pid, coalesce(nullif(application_name, ''), backend_type, 'without a name'),
    ', in a transaction since ' || to_char(xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) AS holder
  FROM pg_stat_activity WHERE pid = ANY (pg_blocking_pids($1)) ORDER BY xact_start LIMIT 1`;

// Otherwise Citus cancels the youngest transaction, which is the migration step, and to repeat it takes minutes.
// From pg_locks, because the cached pg_stat_activity lacks sessions that began to wait after the first read.
const CANCEL_DEADLOCKED = `SELECT pg_cancel_backend(pid) FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) AS waiting
  WHERE $1 = ANY (pg_blocking_pids(pid))
    AND EXISTS (SELECT FROM pg_locks AS held WHERE held.pid = waiting.pid AND granted AND relation = ANY ($2::regclass[]))`;

/**
 * Polls on another connection which session blocks `client`, because PostgreSQL can't report that afterwards. Also reports long waits
 * without a lock timeout, which delay no request.
 */
export function monitorLocks(databaseUrl: string, client: pg.Client, report: (sentence: string) => void) {
  const stopping = new AbortController();
  let holder = UNKNOWN;
  let lockedTables: readonly string[] = [];
  let polling: Promise<void> | undefined;

  async function poll(): Promise<void> {
    const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await delay(FIRST_POLL_MS, undefined, { signal: stopping.signal });
    await withClient({ ...migrationClient(databaseUrl), query_timeout: TIMEOUT_MS }, async (monitor) => {
      for (let sinceMs = performance.now(); ; await delay(POLL_MS, undefined, { signal: stopping.signal })) {
        // Without the privilege to cancel sessions, the migration waits until its timeout.
        if (lockedTables.length > 0) await monitor.query(CANCEL_DEADLOCKED, [rows[0]?.pid, lockedTables]).catch(() => undefined);
        const found = await monitor.query<{ holder: string }>(FIND_HOLDER, [rows[0]?.pid]);
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
      // After a failure, only the names of sessions are missing in messages.
      polling ??= poll().catch(() => undefined);
    },
    /**
     * Runs `lock`, which locks these tables. Cancels each session that holds one of them and waits for `client`, which would be a deadlock.
     * New sessions queue behind `lock`, so there are ever fewer to cancel.
     */
    async whileLocking(tables: readonly string[], lock: () => Promise<unknown>): Promise<void> {
      lockedTables = tables;
      await lock().finally(() => (lockedTables = []));
    },
    /** The session that last blocked `client`, as a part of a sentence. */
    holder(): string {
      const found = holder;
      holder = UNKNOWN;
      return found;
    },
    async stop(): Promise<void> {
      stopping.abort();
      await polling;
    },
  };
}
