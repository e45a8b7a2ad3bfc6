import { setTimeout as delay } from "node:timers/promises";
import { Gauge, type Registry } from "prom-client";
import type { Database } from "../database/client.ts";
import { countJobs } from "../jobs/store.ts";
import { findSweepProblem } from "../video-uploads/index.ts";

/** How long the answers of the database are reused, so that many scrapes cost no more than one. */
const KEPT_MS = 5_000;
/** A scrape waits no longer for them. Prometheus gives up after 10 s by default. */
const WAIT_MS = 2_000;

/** Shows the pool, and what the database knows: jobs, and the last sweep. Without the database, it only says so. */
export function watchDatabase(registry: Registry, pool: Database["pool"]): void {
  const registers = [registry];
  gauge("plumbline_database_pool_max_connections", "The most connections that the pool can have.", () => pool.options.max);
  gauge("plumbline_database_pool_connections", "Connections in the pool.", () => pool.totalCount);
  gauge("plumbline_database_pool_idle_connections", "Connections in the pool that nothing uses.", () => pool.idleCount);
  gauge("plumbline_database_pool_waiting_requests", "Queries that wait for a connection.", () => pool.waitingCount);

  const isUp = new Gauge({
    name: "plumbline_database_up",
    help: `1 if the database has told the number of jobs within the last ${KEPT_MS / 1_000} seconds, else 0.`,
    registers,
    collect: read,
  });
  const jobs = new Gauge({
    name: "plumbline_jobs",
    help: "Jobs by queue and state: waiting, deferred, active or failed. All processes show the same.",
    labelNames: ["queue", "state"],
    registers,
    collect: read,
  });
  const oldest = new Gauge({
    name: "plumbline_jobs_oldest_waiting_seconds",
    help: "How long the oldest job that could start has waited, by queue, in its first lane or a later one. All processes show the same.",
    labelNames: ["queue", "lane"],
    registers,
    collect: read,
  });
  const problem = new Gauge({
    name: "plumbline_object_store_problem",
    help: "1 if the last sweep of the object store removed nothing, because something is wrong, else 0.",
    registers,
    collect: read,
  });

  let keptUntilMs = 0;
  let latest: Promise<void> = Promise.resolve();

  /** Reads everything once, for all the gauges of a scrape. */
  async function read(): Promise<void> {
    if (performance.now() >= keptUntilMs) {
      keptUntilMs = Infinity;
      latest = ask().finally(() => (keptUntilMs = performance.now() + KEPT_MS));
    }
    const timer = new AbortController();
    const late = delay(WAIT_MS, "late", { signal: timer.signal, ref: false }).catch(() => undefined);
    if ((await Promise.race([latest, late])) === "late") forget();
    timer.abort();
  }

  async function ask(): Promise<void> {
    try {
      const [counts, sweep] = await Promise.all([countJobs(pool), findSweepProblem(pool)]);
      forget();
      isUp.set(1);
      problem.set(sweep?.problem === null || sweep === null ? 0 : 1);
      for (const { queue, oldestSeconds, oldestLaterSeconds, ...states } of counts) {
        oldest.set({ queue, lane: "first" }, oldestSeconds);
        oldest.set({ queue, lane: "later" }, oldestLaterSeconds);
        for (const [state, count] of Object.entries(states)) jobs.set({ queue, state }, count);
      }
    } catch {
      forget();
    }
  }

  /** What is not known is not shown: a number of ten minutes ago would hide that the database is away. */
  function forget(): void {
    for (const it of [jobs, oldest, problem]) it.reset();
    problem.remove();
    isUp.set(0);
  }

  function gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  }
}
