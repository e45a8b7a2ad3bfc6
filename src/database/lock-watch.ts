import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { withClient } from "./session.ts";

export type LockWatch = ReturnType<typeof watchLocks>;

/** Most migrations end sooner, and need no second connection. */
const FIRST_LOOK_MS = 200;
const LOOK_MS = 200;
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

/**
 * Asks on another connection, several times a second, which session `watched` waits for. Reports a wait without a time limit, which
 * holds up no request. Afterwards, PostgreSQL doesn't tell who it was.
 */
export function watchLocks(databaseUrl: string, watched: pg.Client, report: (sentence: string) => void) {
  const stopping = new AbortController();
  let holder = UNKNOWN;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const { rows } = await watched.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    await delay(FIRST_LOOK_MS, undefined, { signal: stopping.signal });
    await withClient({ ...migrationClient(databaseUrl), query_timeout: TIMEOUT_MS }, async (client) => {
      for (let sinceMs = performance.now(); ; await delay(LOOK_MS, undefined, { signal: stopping.signal })) {
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
