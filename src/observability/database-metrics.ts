import { setTimeout as delay } from "node:timers/promises";
import type { Gauge, Registry } from "prom-client";
import type { Database } from "../database/client.ts";
import type { Replica } from "../database/replicas/replicas.ts";
import { countJobs } from "../jobs/store.ts";
import { cached } from "../util/cached.ts";
import { findGcProblem } from "../video-uploads/index.ts";
import { gauge } from "./instruments.ts";

/** How long query results are reused, so that many scrapes cost no more than one. */
const CACHE_MS = 5_000;
/** How long a scrape waits for the queries. Prometheus gives up after 10 s by default. */
const WAIT_MS = 2_000;

/** The results of the queries. */
type DatabaseState = Awaited<ReturnType<typeof readState>>;

/** Shows the pool, and from the database the jobs and the last orphan GC; or that the database does not respond. */
export function watchDatabase(registry: Registry, pool: Database["pool"]): void {
  showPool(registry, pool);
  const { get: latest } = cached(() => readState(pool).catch(() => null), CACHE_MS);
  const stateOrNull = () => Promise.race([latest(), delay(WAIT_MS, null, { ref: false })]);
  /** Without a result there is no sample: an old number would hide that the database is unavailable. */
  const show = (name: string, help: string, labelNames: readonly string[], set: (state: DatabaseState, it: Gauge) => void) =>
    gauge(
      registry,
      name,
      help,
      async (it) => {
        const state = await stateOrNull();
        it.reset();
        if (state !== null) set(state, it);
        else it.remove({});
      },
      labelNames,
    );
  gauge(
    registry,
    "plumbline_database_up",
    `1 if the jobs in the database were counted within the last ${CACHE_MS / 1_000} seconds, else 0.`,
    async (it) => it.set((await stateOrNull()) === null ? 0 : 1),
  );
  show(
    "plumbline_jobs",
    "Jobs by queue and state: waiting, deferred, active or failed. All processes show the same.",
    ["queue", "state"],
    ({ jobs }, it) => {
      for (const { queue, oldestSeconds: _, oldestLaterSeconds: __, ...states } of jobs)
        for (const [state, count] of Object.entries(states)) it.set({ queue, state }, count);
    },
  );
  show(
    "plumbline_jobs_oldest_waiting_seconds",
    "How long the oldest job that could start has waited, by queue, in its first lanes (up to a minute of work) or a later one. All processes show the same.",
    ["queue", "lane"],
    ({ jobs }, it) => {
      for (const { queue, oldestSeconds, oldestLaterSeconds } of jobs) {
        it.set({ queue, lane: "first" }, oldestSeconds);
        it.set({ queue, lane: "later" }, oldestLaterSeconds);
      }
    },
  );
  show(
    "plumbline_object_store_problem",
    "1 if the last orphan GC of the object store deleted nothing, because something is wrong, else 0.",
    [],
    ({ hasStoreProblem }, it) => it.set(hasStoreProblem ? 1 : 0),
  );
}

function showPool(registry: Registry, pool: Database["pool"]): void {
  const show = (name: string, help: string, value: () => number) =>
    gauge(registry, `plumbline_database_pool_${name}`, help, (it) => it.set(value()));
  show("max_connections", "The most connections that the pool can have.", () => pool.options.max);
  show("connections", "Connections in the pool.", () => pool.totalCount);
  show("idle_connections", "Connections in the pool that nothing uses.", () => pool.idleCount);
  show("waiting_requests", "Queries that wait for a connection.", () => pool.waitingCount);
}

/** Adds a metric for each replica: whether this process reads it. */
export function watchReplicas(registry: Registry, replicas: readonly Pick<Replica, "state">[]): void {
  const help =
    "1 if this process reads the replica, else 0: it is away, too far behind, or has another history than the primary.";
  const show = (it: Gauge) => {
    for (const { name, problem } of replicas.map((replica) => replica.state()))
      it.set({ replica: name }, problem === null ? 1 : 0);
  };
  gauge(registry, "plumbline_replica_used", help, show, ["replica"]);
}

async function readState(pool: Database["pool"]) {
  const [jobs, gc] = await Promise.all([countJobs(pool), findGcProblem(pool)]);
  return { jobs, hasStoreProblem: gc !== null && gc.problem !== null };
}
