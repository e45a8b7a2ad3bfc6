/** The request log, and metrics for Prometheus on a separate port. */
import { resolve } from "node:path";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { Config } from "../config.ts";
import { readContract } from "../contract/bundle.ts";
import type { Database } from "../database/client.ts";
import type { RequestObserver } from "../http/request-observer.ts";
import type { OnRequestEnd } from "../telemetry/request-record.ts";
import { watchDisk } from "./disk-metrics.ts";
import { watchDatabase, watchReplicas } from "./database-metrics.ts";
import { gauge } from "./instruments.ts";
import { serveMetrics } from "./metrics-server.ts";
import { createPermitMetrics } from "./permit-metrics.ts";
import { watchProcess } from "./process-metrics.ts";
import { createRequestLog } from "./request-log.ts";
import { createRequestMetrics } from "./request-metrics.ts";
import { createWorkMetrics } from "./work-metrics.ts";

export type Observability = Awaited<ReturnType<typeof openObservability>>;

/** Opens the port of the metrics, if it is configured. Several servers in one process have separate metrics. */
export async function openObservability(config: Config, log: Logger) {
  const { METRICS_HOST: host, METRICS_PORT: port, LOG_REQUESTS: share } = config;
  const registry = new Registry();
  const server = port === undefined ? null : await serveMetrics(registry, host, port);
  const metricsUrl = server === null ? null : `http://${host}:${server.port}/metrics`;
  const listeners: OnRequestEnd[] = [];
  let open = 0;
  // Without a port, these would measure for nothing.
  if (metricsUrl !== null) {
    watchProcess(registry, readContract().info.version);
    listeners.push(createRequestMetrics(registry, () => open));
    log.info({ url: metricsUrl }, "metrics are served");
  }
  if (share > 0 && log.isLevelEnabled("info")) listeners.push(createRequestLog(log, share));
  // With a bucket, only a worker uses the disk.
  const isDiskUsed = config.OBJECT_STORE === "file" || config.ROLE !== "api";
  watchDisk(registry, resolve(config.DATA_DIR), isDiskUsed ? config.MIN_FREE_BYTES : 0);
  const requests: RequestObserver = {
    begun: () => void open++,
    ended(request) {
      open--;
      for (const listener of listeners) listener(request);
    },
  };
  return {
    requests,
    work: createWorkMetrics(registry),
    /** Adds metrics of a semaphore. */
    watchSemaphore: createPermitMetrics(registry),
    /** Adds metrics of the database. */
    watchDatabase: (pool: Database["pool"]) => watchDatabase(registry, pool),
    /** Adds metrics of the replicas. */
    watchReplicas: (replicas: Parameters<typeof watchReplicas>[1]) => watchReplicas(registry, replicas),
    /** Adds a metric of the requests in a long poll. */
    watchWaiting: (size: () => number) =>
      gauge(registry, "plumbline_http_requests_waiting", "Requests that wait for something new. They are in flight, too.", (it) =>
        it.set(size()),
      ),
    /** The number of requests in flight. */
    openRequests: () => open,
    /** The URL of the metrics; null without them. */
    metricsUrl,
    close: async () => server?.close(),
  };
}
