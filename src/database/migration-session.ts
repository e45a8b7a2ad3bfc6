import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { StartupError } from "../util/startup-error.ts";
import { waitFor } from "../util/wait-for.ts";
import { isLockTimeout, isSerializationFailure, reasonOf } from "./database-failure.ts";
import { migrationClient, monitorLocks, type LockMonitor } from "./lock-monitor.ts";
import { isDirect, withClient } from "./session.ts";

export type MigrationOptions = {
  /** Called with a sentence for the operator when a migration waits or is repeated. */
  readonly report?: ((sentence: string) => void) | undefined;
  /** How long a migration retries to lock its tables. */
  readonly giveUpAfterMs?: number;
};

/** A connection for migrations, with the monitor of its locks. */
export type MigrationSession = Required<Pick<MigrationOptions, "giveUpAfterMs">> & {
  readonly client: pg.Client;
  readonly report: (sentence: string) => void;
  /** Waits for the migration lock of this database, and holds it until the session ends. */
  lock(): Promise<void>;
  readonly locks: LockMonitor;
};

// The lock key of `prisma migrate`, so that the two never run at the same time.
const LOCK_KEY = 72_707_369;
const LOCK_TIMEOUT_MS = 300_000;

/** How long one attempt waits for a lock. Requests that use the same table queue behind it. */
const ATTEMPT_MS = 1_000;
/** Requests run normally between two attempts. */
const PAUSE_MIN_MS = 2_000;
const PAUSE_MAX_MS = 15_000;
const GIVE_UP_AFTER_MS = 300_000;

/** Opens a connection for migrations. Throws a StartupError with a sentence for the operator if `work` fails. */
export async function withMigrationSession<T>(
  databaseUrl: string,
  { report = () => undefined, giveUpAfterMs = GIVE_UP_AFTER_MS }: MigrationOptions,
  work: (session: MigrationSession) => Promise<T>,
): Promise<T> {
  const run = async (client: pg.Client) => {
    // Behind a pooler, each transaction may run in another session, so a session lock is lost or never released.
    if (!(await isDirect(client)))
      throw new StartupError(
        `The database at ${new URL(databaseUrl).host} is behind a pooler, so it cannot be migrated; set DIRECT_DATABASE_URL to the address of PostgreSQL itself.`,
      );
    // The timeouts of requests must not end a migration.
    await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
    const locks = monitorLocks(databaseUrl, client, report);
    const session = { client, report, giveUpAfterMs, locks, lock: () => lock(client).then(locks.start) };
    return work(session).finally(() => locks.stop());
  };
  try {
    return await withClient(migrationClient(databaseUrl), run);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The database at ${new URL(databaseUrl).host} cannot be migrated: ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/**
 * Takes a session lock, because some statements can't run in a transaction. It polls, because CREATE INDEX CONCURRENTLY waits for other
 * statements, and would deadlock with a session that waits for this lock.
 */
async function lock(client: pg.Client): Promise<void> {
  const hasLock = await waitFor(async () => {
    const { rows } = await client.query<{ locked: boolean }>("SELECT pg_try_advisory_lock($1) AS locked", [LOCK_KEY]);
    return rows[0]?.locked === true;
  }, LOCK_TIMEOUT_MS);
  if (!hasLock) throw new StartupError(`Another process has been migrating this database for ${LOCK_TIMEOUT_MS / 1000} s.`);
}

/**
 * Runs `work` in a transaction with a lock timeout of a second, because requests on the table queue behind a waiting lock. If another
 * session holds the lock for longer, such as a dump, the transaction is rolled back and retried. `what` is the subject of the messages.
 */
export async function inTransaction(
  session: MigrationSession,
  what: string,
  work: () => Promise<void>,
  isBusy = isConflict,
): Promise<void> {
  const { client } = session;
  const attempt = async () => {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${ATTEMPT_MS}`);
      await work();
      await client.query("COMMIT");
    } catch (error) {
      await client.query("ROLLBACK");
      throw error;
    }
  };
  await retryOnLockConflict(session, what, attempt, isBusy);
}

const isConflict = (error: unknown) => isLockTimeout(error) || isSerializationFailure(error);

/** Repeats `attempt` after a pause while it fails because of a lock of another session, for at most `giveUpAfterMs`. */
export async function retryOnLockConflict(
  { report, giveUpAfterMs, locks }: MigrationSession,
  what: string,
  attempt: () => Promise<void>,
  isBusy = isConflict,
): Promise<void> {
  const deadlineMs = performance.now() + giveUpAfterMs;
  for (let pauseMs = PAUSE_MIN_MS; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MAX_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isBusy(error)) throw error;
      const holder = locks.holder();
      if (performance.now() + pauseMs > deadlineMs)
        throw new Error(`it could not lock its tables, which are in use by ${holder}`, { cause: error });
      report(`${what} cannot lock its tables yet, because of ${holder}. Requests go on, and it tries again.`);
      // With jitter, so that it does not meet the same periodic job each time.
      await delay(pauseMs * (0.5 + Math.random() / 2));
    }
  }
}
