import type pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { every } from "../../util/every.ts";
import { openDatabase } from "../client.ts";
import { openPrimaryLog, replayedBy, type LogPosition } from "./log-position.ts";

/** Why a replica is not used: it doesn't respond as a replica, lags too far, or has another history than the primary. */
export type ReplicaProblem = "away" | "behind" | "other_history";

export type Replicas = ReturnType<typeof openReplicas>;
/** A streaming replica. */
export type Replica = Replicas["all"][number];

/** How often each process compares the replicas with the primary. */
const POLL_MS = 500;
/** After this time, the primary serves the request instead. */
const READ_TIMEOUT_MS = 2_000;

/** The log messages when a replica is no longer used. */
const SENTENCES: Readonly<Record<ReplicaProblem, string>> = {
  away: "a replica is not used",
  behind: "a replica is too far behind to be used",
  other_history:
    "a replica is not used, because it doesn't have the history of the primary: let it follow the primary, or build it again",
};

type Settings = Pick<
  Config,
  | "REPLICA_DATABASE_URLS"
  | "REPLICA_MAX_LAG_SECONDS"
  | "DATABASE_POOL_SIZE"
  | "DATABASE_STATEMENT_TIMEOUT_SECONDS"
  | "PREPARED_STATEMENTS"
>;
/** Recent positions of the primary in its current history, oldest first. */
type PositionHistory = (LogPosition & { readonly atMs: number })[];

/** Opens the replicas. An unavailable replica does not prevent the start, and is used when it is back. */
export function openReplicas(config: Settings, primary: pg.Pool, log: Logger) {
  const maxLagMs = config.REPLICA_MAX_LAG_SECONDS * 1_000;
  const primaryLog = openPrimaryLog(primary);
  const closing = new AbortController();
  const recent: PositionHistory = [];

  /** Records the position of the primary. If a replica is ahead of it, the log has gone back. */
  async function recordPrimary(replayed?: LogPosition): Promise<void> {
    const atMs = performance.now();
    let now = await primaryLog.position();
    if (now.history === replayed?.history && now.bytes < replayed.bytes) now = await primaryLog.beginHistory(now.history);
    if (now.history !== recent.at(-1)?.history) recent.length = 0;
    recent.push({ ...now, atMs });
    while (atMs - recent[0]!.atMs > maxLagMs) recent.shift();
  }

  const opened = (config.REPLICA_DATABASE_URLS ?? []).map((url) => openReplica(url, config, recent, log));

  async function poll(): Promise<void> {
    // Without the primary, the lag is unknown, so the replicas are soon no longer used.
    await recordPrimary().catch(() => undefined);
    await Promise.all(opened.map((it) => it.poll()));
    for (const it of opened) if (it.isAhead()) await recordPrimary(it.lastPosition()!).catch(() => undefined);
    for (const it of opened) it.report();
  }
  const watching = opened.length > 0 ? every(POLL_MS, closing.signal, poll) : Promise.resolve();
  return {
    all: opened.map((it) => it.replica),
    position: primaryLog.position,
    async close(): Promise<void> {
      closing.abort();
      await watching;
      await Promise.all(opened.map((it) => it.close()));
    },
  };
}

function openReplica(url: string, config: Settings, recent: PositionHistory, log: Logger) {
  const maxLagMs = config.REPLICA_MAX_LAG_SECONDS * 1_000;
  const name = URL.parse(url)?.host ?? "a replica";
  const { db, pool, close } = openDatabase(url, { ...config, readTimeoutMs: READ_TIMEOUT_MS }, () => undefined);
  const readReplayed = replayedBy(pool);
  /** The last position; null if it did not respond as a replica. */
  let last: LogPosition | null = null;
  /** When the primary had the current position of this replica. */
  let freshAtMs = -Infinity;
  const reportProblem = createReporter(name, log);

  function problem(): ReplicaProblem | null {
    if (last === null) return "away";
    if (last.history !== recent.at(-1)?.history) return "other_history";
    return performance.now() - freshAtMs <= maxLagMs ? null : "behind";
  }

  /** A position that is not earlier than the reads of all ended queries. */
  async function position(): Promise<LogPosition> {
    const now = await readReplayed();
    if (now === null) throw new Error("It is not a replica of this database.");
    if (now.history !== last?.history) freshAtMs = -Infinity;
    last = now;
    const has = recent.findLast((it) => it.history === now.history && it.bytes <= now.bytes);
    freshAtMs = Math.max(freshAtMs, has?.atMs ?? -Infinity);
    return now;
  }

  /** Stops using the replica until it responds again. */
  function markUnhealthy(error: unknown): void {
    [last, freshAtMs] = [null, -Infinity];
    reportProblem(problem(), error);
  }

  const covers = ({ history, bytes }: LogPosition) => last?.history === history && last.bytes >= bytes;
  const replica = {
    db,
    pool,
    /** Why it is not used, or null. `name` is its host and port. */
    state: () => ({ name, problem: problem() }),
    /** Whether it is used, and has this state. */
    async has(required: LogPosition): Promise<boolean> {
      if (problem() !== null) return false;
      if (!covers(required)) await position();
      return covers(required);
    },
    position,
    markUnhealthy,
  };
  return {
    replica,
    close,
    report: () => reportProblem(problem()),
    lastPosition: () => last,
    isAhead: () => last !== null && last.history === recent.at(-1)?.history && last.bytes > recent.at(-1)!.bytes,
    poll: () => position().then(() => undefined, markUnhealthy),
  };
}

/** Logs changes. A problem is logged after the second poll, because a replica has to catch up after a start. */
function createReporter(name: string, log: Logger) {
  /** The results of the last poll, and of the last log line. */
  let found: ReplicaProblem | null = null;
  let reported: ReplicaProblem | null | undefined;
  return (now: ReplicaProblem | null, error?: unknown): void => {
    const before = found;
    found = now;
    if (now === reported || (now !== null && error === undefined && now !== before)) return;
    reported = now;
    if (now === null) log.info({ replica: name }, "a replica is used");
    else log.warn({ replica: name, ...(error === undefined ? {} : { err: error }) }, SENTENCES[now]);
  };
}
