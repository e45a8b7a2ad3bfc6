import { randomBytes } from "node:crypto";
import type pg from "pg";
import { createBatches } from "../../util/batches.ts";

/**
 * A position in the write-ahead log, in bytes. It stands for the state after all commits before it. Positions of different
 * histories can't be compared: after a failover or a restore, another log has the same positions.
 */
export type LogPosition = { readonly history: string; readonly bytes: number };

/** As many questions as can wait share one query. */
const SHARED_MAX = 10_000;

const bytesOf = (position: string) => `(${position} - '0/0'::pg_lsn)::float8 AS bytes`;
const MAY_IDENTIFY = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS may";
// The timeline is in the name of the file. In the control file, it is that of the last checkpoint.
const TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)";
// A server that was promoted is no replica any more. An ordinary role can't ask a replica for its timeline.
const REPLAYED = `SELECT h.id AS history, ${bytesOf("pg_last_wal_replay_lsn()")} FROM log_histories h WHERE pg_is_in_recovery()`;

/** Asks with `ask`. Requests that ask during a question share the next one. */
function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  const share = createBatches(async ({ length }) => Array<Answer>(length).fill(await ask()), { max: SHARED_MAX });
  return () => share(null);
}

/** Returns a function for the position that a replica has replayed; null if the server is no replica, or of no known history. */
export function replayedBy(pool: pg.Pool): () => Promise<LogPosition | null> {
  return shared(async () => (await pool.query<LogPosition>(REPLAYED)).rows[0] ?? null);
}

type Row = LogPosition & { readonly server: string; readonly beganOn: string | null };

/**
 * The log of the primary. The database has the id of its history, with the server and the timeline that it began on. If the
 * primary has another server or timeline, or its log has gone back, another history begins. The new id is in the log behind the
 * place where the two differ, so only a replica of this log can have it.
 */
export function openPrimaryLog(pool: pg.Pool) {
  let server: Promise<string> | null = null;

  /** The system identifier and the timeline, in SQL. Some providers don't permit the first. */
  function serverInSql(): Promise<string> {
    server ??= pool.query<{ may: boolean }>(MAY_IDENTIFY).then(
      ({ rows }) => `${rows[0]!.may ? "(SELECT system_identifier FROM pg_control_system())" : "''"} || '/' || ${TIMELINE}`,
      (error: unknown) => {
        server = null;
        throw error;
      },
    );
    return server;
  }

  async function read(): Promise<Row> {
    // Not the position of the last commit that was flushed: without `synchronous_commit`, others can see a commit before that.
    const { rows } = await pool.query<Row>(
      `SELECT coalesce(h.id, '') AS history, h.server AS "beganOn", ${await serverInSql()} AS server,
        ${bytesOf("pg_current_wal_insert_lsn()")} FROM (SELECT) AS always LEFT JOIN log_histories h ON true`,
    );
    return rows[0]!;
  }

  /** Begins another history, unless this one is over already. Returns a position in the new one. */
  async function beginHistory(after: string): Promise<LogPosition> {
    await pool.query(
      `INSERT INTO log_histories (id, server) VALUES ($1, ${await serverInSql()})
      ON CONFLICT (is_only) DO UPDATE SET id = excluded.id, server = excluded.server WHERE log_histories.id = $2`,
      [randomBytes(6).toString("hex"), after],
    );
    return read();
  }

  let last: LogPosition | null = null;
  return {
    /** A position no earlier than what a query that has ended has read or written. */
    position: shared(async () => {
      const row = await read();
      // Back on the same timeline, as after the restore of a disk.
      const isBack = row.history === last?.history && row.bytes < last.bytes;
      last = row.server !== row.beganOn || isBack ? await beginHistory(row.history) : row;
      return last;
    }),
    beginHistory,
  };
}
