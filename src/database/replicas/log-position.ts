import { randomBytes } from "node:crypto";
import type pg from "pg";
import { createBatches } from "../../util/batches.ts";

/**
 * A position in the write-ahead log, in bytes: the state after all commits before it. Positions of different histories can't be compared,
 * because after a failover or a restore another log has the same positions.
 */
export type LogPosition = { readonly history: string; readonly bytes: number };

/** Higher than the number of concurrent requests, which share one query. */
const SHARED_MAX = 10_000;

const bytesOf = (position: string) => `(${position} - '0/0'::pg_lsn)::float8 AS bytes`;
const MAY_IDENTIFY = "SELECT has_function_privilege('pg_control_system()', 'EXECUTE') AS may";
// From the name of the WAL file, because the control file has the timeline of the last checkpoint.
const TIMELINE = "left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)";
// A promoted server is no longer a replica. An ordinary role can't read the timeline of a replica.
const REPLAYED = `SELECT h.id AS history, ${bytesOf("pg_last_wal_replay_lsn()")} FROM log_histories h WHERE pg_is_in_recovery()`;

/** Combines concurrent calls of `read`. Calls during one `read` share the next one. */
function shared<Result>(read: () => Promise<Result>): () => Promise<Result> {
  const share = createBatches(async ({ length }) => Array<Result>(length).fill(await read()), { max: SHARED_MAX });
  return () => share(null);
}

/** Reads the position that a replica has replayed; null if the server is no replica, or has no known history. */
export function replayedBy(pool: pg.Pool): () => Promise<LogPosition | null> {
  return shared(async () => (await pool.query<LogPosition>(REPLAYED)).rows[0] ?? null);
}

type Row = LogPosition & { readonly server: string; readonly beganOn: string | null };

/**
 * The log of the primary. The database stores an id of its history, with the server and timeline on which it began. On another server or
 * timeline, or if the log has gone back, a new history begins. Its id is in the log after the fork, so only replicas of this log have it.
 */
export function openPrimaryLog(pool: pg.Pool) {
  let server: Promise<string> | null = null;

  /** An SQL expression for system identifier and timeline. Some providers don't permit the former. */
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
    // Not the last flushed commit: without `synchronous_commit`, a commit is visible before it is flushed.
    const { rows } = await pool.query<Row>(
      `SELECT coalesce(h.id, '') AS history, h.server AS "beganOn", ${await serverInSql()} AS server,
        ${bytesOf("pg_current_wal_insert_lsn()")} FROM (SELECT) AS always LEFT JOIN log_histories h ON true`,
    );
    return rows[0]!;
  }

  /** Begins a new history, unless another process has begun one. Returns a position in it. */
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
    /** A position that is not earlier than the reads and writes of all ended queries. */
    position: shared(async () => {
      const row = await read();
      // The log has gone back on the same timeline, as after the restore of a disk.
      const hasGoneBack = row.history === last?.history && row.bytes < last.bytes;
      last = row.server !== row.beganOn || hasGoneBack ? await beginHistory(row.history) : row;
      return last;
    }),
    beginHistory,
  };
}
