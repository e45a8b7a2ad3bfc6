import type pg from "pg";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { every } from "../../util/every.ts";
import { openDatabase } from "../client.ts";
import { openPrimaryLog, replayedBy, type LogPosition } from "./log-position.ts";

/** Why a replica is not used: it doesn't answer as a replica, it is too far behind, or its data are not the primary's. */
export type ReplicaProblem = "away" | "behind" | "other_history";

export type Replicas = ReturnType<typeof openReplicas>;
/** A copy of the database that can be read. */
export type Replica = Replicas["all"][number];

/** How often each process compares the replicas with the primary. */
const POLL_MS = 500;
/** A replica that takes longer is not worth waiting for: the primary answers instead. */
const QUERY_TIMEOUT_MS = 2_000;

/** What the log says when a replica is not used any more. */
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
/** Positions of the primary in its current history and when it had them, the oldest first. */
type Past = (LogPosition & { readonly atMs: number })[];

/** Opens the replicas. One that is away is used when it is back; none of them keeps the service from starting. */
export function openReplicas(config: Settings, primary: pg.Pool, log: Logger) {
  const maxLagMs = config.REPLICA_MAX_LAG_SECONDS * 1_000;
  const primaryLog = openPrimaryLog(primary);
  const closing = new AbortController();
  const past: Past = [];

  /** Records the position of the primary. If a replica was ahead of it before, the log has gone back. */
  async function recordPrimary(replayed?: LogPosition): Promise<void> {
    const atMs = performance.now();
    let now = await primaryLog.position();
    if (now.history === replayed?.history && now.bytes < replayed.bytes) now = await primaryLog.beginHistory(now.history);
    if (now.history !== past.at(-1)?.history) past.length = 0;
    past.push({ ...now, atMs });
    while (atMs - past[0]!.atMs > maxLagMs) past.shift();
  }

  const opened = (config.REPLICA_DATABASE_URLS ?? []).map((url) => openReplica(url, config, past, log));

  async function poll(): Promise<void> {
    // Without the primary, nobody knows how far behind a replica is, so it is soon not used.
    await recordPrimary().catch(() => undefined);
    await Promise.all(opened.map((it) => it.ask()));
    for (const it of opened) if (it.isAhead()) await recordPrimary(it.said()!).catch(() => undefined);
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

function openReplica(url: string, config: Settings, past: Past, log: Logger) {
  const maxLagMs = config.REPLICA_MAX_LAG_SECONDS * 1_000;
  const name = URL.parse(url)?.host ?? "a replica";
  const { db, pool, close } = openDatabase(url, { ...config, queryTimeoutMs: QUERY_TIMEOUT_MS }, () => undefined);
  const askReplayed = replayedBy(pool);
  /** What it said last; null if it did not answer as a replica. */
  let said: LogPosition | null = null;
  /** When the primary had what this replica has now. */
  let freshAtMs = -Infinity;
  const reportProblem = createReporter(name, log);

  function problem(): ReplicaProblem | null {
    if (said === null) return "away";
    if (said.history !== past.at(-1)?.history) return "other_history";
    return performance.now() - freshAtMs <= maxLagMs ? null : "behind";
  }

  /** A position no earlier than what a query that has ended has read. */
  async function position(): Promise<LogPosition> {
    const now = await askReplayed();
    if (now === null) throw new Error("It is not a replica of this database.");
    if (now.history !== said?.history) freshAtMs = -Infinity;
    said = now;
    const has = past.findLast((it) => it.history === now.history && it.bytes <= now.bytes);
    freshAtMs = Math.max(freshAtMs, has?.atMs ?? -Infinity);
    return now;
  }

  /** Not used any more until it answers again. */
  function markUnhealthy(error: unknown): void {
    [said, freshAtMs] = [null, -Infinity];
    reportProblem(problem(), error);
  }

  const covers = ({ history, bytes }: LogPosition) => said?.history === history && said.bytes >= bytes;
  const replica = {
    db,
    pool,
    /** Whether it is used, and if not, why. `name` is its host and port. */
    state: () => ({ name, problem: problem() }),
    /** Whether it is known to have this state, and is used. */
    async has(wanted: LogPosition): Promise<boolean> {
      if (problem() !== null) return false;
      if (!covers(wanted)) await position();
      return covers(wanted);
    },
    position,
    markUnhealthy,
  };
  return {
    replica,
    close,
    report: () => reportProblem(problem()),
    said: () => said,
    isAhead: () => said !== null && said.history === past.at(-1)?.history && said.bytes > past.at(-1)!.bytes,
    ask: () => position().then(() => undefined, markUnhealthy),
  };
}

/** Logs a change. A replica that only has to catch up, as after a start, is not reported before the second poll. */
function createReporter(name: string, log: Logger) {
  /** What the last poll found, and what the log said last. */
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
