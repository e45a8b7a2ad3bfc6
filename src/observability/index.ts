/** What an operator sees of a process: a line in the log for each request, and metrics for Prometheus on a port of their own. */
import { resolve } from "node:path";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { Config } from "../config.ts";
import { readContract } from "../contract/bundle.ts";
import type { Database } from "../database/client.ts";
import { observeWithAll, type RequestObserver } from "../http/request-observer.ts";
import { watchDisk } from "./disk-metrics.ts";
import { watchDatabase } from "./database-metrics.ts";
import { serveMetrics } from "./metrics-server.ts";
import { watchProcess } from "./process-metrics.ts";
import { watchReplicas } from "./replica-metrics.ts";
import { createRequestLog } from "./request-log.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { createWorkMetrics, NO_RECORDER, type WorkRecorder } from "./work-metrics.ts";

export type Observability = {
  readonly requests: RequestObserver;
  readonly work: WorkRecorder;
  /** Also shows the database from now on. */
  watchDatabase(pool: Database["pool"]): void;
  /** Also shows the replicas from now on. */
  watchReplicas(replicas: Parameters<typeof watchReplicas>[1]): void;
  /** How many requests have begun and not ended. */
  openRequests(): number;
  /** The URL of the metrics; null without them. */
  readonly metricsUrl: string | null;
  close(): Promise<void>;
};

/** Opens the port of the metrics, if there is one. The metrics of several servers in one process are independent. */
export async function openObservability(config: Config, log: Logger): Promise<Observability> {
  const lines = config.LOG_REQUESTS === 0 || !log.isLevelEnabled("info") ? [] : [createRequestLog(log, config.LOG_REQUESTS)];
  const open = countOpenRequests();
  if (config.METRICS_PORT === undefined) {
    const nothing = () => undefined;
    return {
      requests: observeWithAll([open.observer, ...lines]),
      openRequests: open.count,
      work: NO_RECORDER,
      watchDatabase: nothing,
      watchReplicas: nothing,
      metricsUrl: null,
      close: async () => {},
    };
  }
  const registry = new Registry();
  const server = await serveMetrics(registry, config.METRICS_HOST, config.METRICS_PORT);
  watchProcess(registry, readContract().info.version);
  // With a bucket, only a worker uses the disk, for the video in process.
  const isDiskUsed = config.OBJECT_STORE === "file" || config.ROLE !== "api";
  watchDisk(registry, resolve(config.DATA_DIR), isDiskUsed ? config.MIN_FREE_BYTES : 0);
  const metricsUrl = `http://${config.METRICS_HOST}:${server.port}/metrics`;
  log.info({ url: metricsUrl }, "metrics are served");
  return {
    requests: observeWithAll([open.observer, createRequestMetrics(registry, open.count), ...lines]),
    openRequests: open.count,
    work: createWorkMetrics(registry),
    watchDatabase: (pool) => watchDatabase(registry, pool),
    watchReplicas: (replicas) => watchReplicas(registry, replicas),
    metricsUrl,
    close: () => server.close(),
  };
}

function countOpenRequests(): { readonly observer: RequestObserver; readonly count: () => number } {
  let open = 0;
  return {
    observer: { begun: () => void open++, ended: () => void open-- },
    count: () => open,
  };
}
