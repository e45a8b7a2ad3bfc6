import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { createBatches } from "../batches.ts";
import type { Config } from "../config.ts";
import { databaseIdentity, openDatabase, type Database } from "./client.ts";

/** A position in the write-ahead log, in bytes. It stands for the state after all commits before it. */
export type LogPosition = number;

/** Why a replica is not used: it doesn't answer as a replica of this database, or it is too far behind. */
export type ReplicaProblem = "away" | "behind";
/** Whether a replica is used, and if not, why. `name` is its host and port. */
export type ReplicaState = { readonly name: string; readonly problem: ReplicaProblem | null };

/** A copy of the database that can be read. */
export type Replica = Pick<Database, "db" | "pool"> & {
  state(): ReplicaState;
  /** Whether it is known to have this state, and is not too far behind the primary. */
  has(position: LogPosition): Promise<boolean>;
  /** A position no earlier than what a query that has ended has read. */
  position(): Promise<LogPosition>;
  /** Not used any more until it answers again. */
  suspect(error: unknown): void;
};

export type Replicas = {
  readonly all: readonly Replica[];
  /** A position no earlier than what a query to the primary that has ended has read or written. */
  position(): Promise<LogPosition>;
  close(): Promise<void>;
};

/** How often each process compares the replicas with the primary. */
const POLL_MS = 500;
/** A replica that takes longer is not worth waiting for: the primary answers instead. */
const QUERY_TIMEOUT_MS = 2_000;
/** As many questions as can wait share one query. */
const SHARED_MAX = 10_000;

const bytes = (position: string) => `(${position} - '0/0'::pg_lsn)::float8 AS position`;
// Not the position of the last commit that was flushed: without `synchronous_commit`, others can see a commit before that.
const WRITTEN = `SELECT ${bytes("pg_current_wal_insert_lsn()")}`;
// A server that was promoted is no replica any more, and has other data from then on.
const REPLAYED = `SELECT ${bytes("CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END")}`;

type Row = { readonly position: LogPosition | null };

/** Asks a server for its position. Requests that ask during a query share the next one. */
function positionOf(pool: pg.Pool, text: string): () => Promise<LogPosition | null> {
  const share = createBatches<null, LogPosition | null>(
    async (items) => {
      const { rows } = await pool.query<Row>(text);
      return items.map(() => rows[0]!.position);
    },
    { max: SHARED_MAX },
  );
  return () => share(null);
}

type Settings = Pick<Config, "REPLICA_DATABASE_URLS" | "REPLICA_MAX_LAG_SECONDS" | "DATABASE_POOL_SIZE" | "PREPARED_STATEMENTS">;

/** Opens the replicas. One that is away is used when it is back; none of them keeps the service from starting. */
export function openReplicas(config: Settings, primary: pg.Pool, log: Logger): Replicas {
  const maxLagMs = config.REPLICA_MAX_LAG_SECONDS * 1_000;
  const askPrimary = positionOf(primary, WRITTEN);
  const closing = new AbortController();
  /** Positions of the primary and when it had them, the oldest first. */
  const history: { readonly position: LogPosition; readonly atMs: number }[] = [];

  async function notePrimary(): Promise<void> {
    const atMs = performance.now();
    const position = await askPrimary();
    history.push({ position: position!, atMs });
    while (atMs - history[0]!.atMs > maxLagMs) history.shift();
  }

  const opened = (config.REPLICA_DATABASE_URLS ?? []).map((url) => {
    const name = URL.parse(url)?.host ?? "a replica";
    const { db, pool, close } = openDatabase(url, { ...config, queryTimeoutMs: QUERY_TIMEOUT_MS }, () => undefined);
    const ask = positionOf(pool, REPLAYED);
    let replayed: LogPosition | null = null;
    /** When the primary had what this replica has now. */
    let freshAtMs = -Infinity;
    let isTheSame = false;

    const isFresh = () => replayed !== null && performance.now() - freshAtMs <= maxLagMs;
    const note = (position: LogPosition | null) => {
      if (position === null) throw new Error("It is not a replica.");
      replayed = Math.max(replayed ?? 0, position);
      freshAtMs = Math.max(freshAtMs, history.findLast((it) => it.position <= replayed!)?.atMs ?? -Infinity);
      return replayed;
    };
    const suspect = (error: unknown) => {
      if (replayed !== null) log.warn({ err: error, replica: name }, "a replica is not used");
      [replayed, freshAtMs] = [null, -Infinity];
    };
    const check = async () => {
      const wasUsed = isFresh();
      try {
        isTheSame ||= (await databaseIdentity(pool)) === (await databaseIdentity(primary));
        if (!isTheSame) throw new Error("It has another database.");
        note(await ask());
        if (isFresh() && !wasUsed) log.info({ replica: name }, "a replica is used");
        if (!isFresh() && wasUsed) log.warn({ replica: name }, "a replica is too far behind to be used");
      } catch (error) {
        suspect(error);
      }
    };
    const replica: Replica = {
      db,
      pool,
      state: () => ({ name, problem: replayed === null ? "away" : isFresh() ? null : "behind" }),
      async has(position) {
        if (!isFresh()) return false;
        return replayed! >= position || note(await ask()) >= position;
      },
      position: async () => note(await ask()),
      suspect,
    };
    return { replica, check, close };
  });

  async function watch(): Promise<void> {
    while (!closing.signal.aborted) {
      // Without the primary, nobody knows how far behind a replica is, so it is soon not used.
      await notePrimary().catch(() => undefined);
      await Promise.all(opened.map((it) => it.check()));
      await delay(POLL_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }
  const watching = opened.length > 0 ? watch() : Promise.resolve();
  return {
    all: opened.map((it) => it.replica),
    position: async () => (await askPrimary())!,
    async close() {
      closing.abort();
      await watching;
      await Promise.all(opened.map((it) => it.close()));
    },
  };
}
