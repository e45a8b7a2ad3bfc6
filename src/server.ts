import { resolve } from "node:path";
import type { Logger } from "pino";
import { openApi } from "./api.ts";
import type { Config } from "./config.ts";
import { connect, refuseOtherDatabase } from "./database/client.ts";
import { startEmbeddedPostgres } from "./embedded-postgres/index.ts";
import { createLog, flushLog } from "./telemetry/log.ts";
import { migrateDatabase } from "./jobs/migrate-database.ts";
import { openObservability } from "./observability/index.ts";
import { instrumentStore } from "./observability/instrumented-store.ts";
import type { WorkRecorder } from "./observability/work-metrics.ts";
import { openObjectStore, unwritableStore } from "./storage/open-store.ts";
import { createStoreProbe } from "./storage/store-probe.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { ALL_UPLOADS, logStoreBinding } from "./video-uploads/index.ts";
import { allowsPrivate, isLocalOnly } from "./webhooks/index.ts";
import { openJobs, startWorker } from "./worker.ts";

export type Server = Awaited<ReturnType<typeof startServer>>;

/** Starts an API, a worker, or both, depending on `ROLE`. Resources close in reverse order, even if the start fails. */
export async function startServer(
  config: Config,
  telemetry: Telemetry | null = null,
  logger: Logger = createLog(config.LOG_LEVEL),
) {
  await using stack = new AsyncDisposableStack();
  const log = stack.adopt(logger, flushLog);
  const dataDir = resolve(config.DATA_DIR);
  const isWorker = config.ROLE !== "api";

  telemetry?.logTo(log);
  logPrivateAddresses(config, log);
  // Opened first, so that they close last, and cover start and shutdown.
  stack.defer(() => telemetry?.close());
  const observability = stack.adopt(await openObservability(config, log), (it) => it.close());
  const { requests: observer, work: recorder } = observability;
  const api = config.ROLE === "worker" ? null : stack.adopt(await openApi(config, observer), (it) => it.close());
  const embed = () => startEmbeddedPostgres({ dataDir, log: (line) => log.warn(line) });
  const databaseUrl = config.DATABASE_URL ?? stack.adopt(await embed(), (it) => it.stop()).url;
  const onLost = (error: Error) => log.warn({ err: error }, "a database connection was lost");
  const { db, pool } = stack.adopt(await connect(databaseUrl, config, onLost), (it) => it.close());
  const directUrl = config.DIRECT_DATABASE_URL ?? databaseUrl;
  await migrateDatabase(directUrl, { report: (sentence) => log.warn(sentence) });
  if (config.DIRECT_DATABASE_URL !== undefined) await refuseOtherDatabase(pool, directUrl);
  const jobs = stack.adopt(await openJobs(directUrl, { isWorker, log, telemetry }), (it) => it.close());
  const storeProbe = await openStore(config, dataDir, recorder, log);
  const { objects } = storeProbe;
  await logStoreBinding(db, objects, log);
  observability.watchDatabase(pool);

  const [{ queue }, { watchSemaphore }] = [jobs, observability];
  const shared = { log, databaseUrl, directUrl, db, pool, queue, objects, storeProbe, recorder, telemetry, observability };
  await api?.serve(shared, stack);
  if (isWorker) {
    await startWorker(jobs, { ...recorder, watchSemaphore, config, dataDir, db, pool, objects, log }, stack);
    // Deferred last, so that it runs first: the jobs must not continue while the API finishes its requests.
    stack.defer(() => jobs.stopWork());
  }
  // The log lines of the start come before the line that the service is ready.
  await flushLog(log);
  const owned = stack.move();
  return {
    /** The URL of the API; null in a worker. */
    url: api?.url ?? null,
    /** The URL of the metrics; null without them. */
    metricsUrl: observability.metricsUrl,
    db,
    showDemo: (command: string) => api?.showDemo(command),
    /** Finishes running requests and jobs, and closes all resources. `signal` is for the log. */
    async close(signal: NodeJS.Signals | null = null): Promise<void> {
      const startedMs = performance.now();
      log.info({ signal, open_requests: observability.openRequests() }, "the service is shutting down");
      // Before the jobs stop, so that load balancers stop sending requests early.
      api?.drain();
      await owned.disposeAsync();
      log.info({ duration_ms: Math.round(performance.now() - startedMs) }, "the service has stopped");
      await flushLog(log);
    },
  };
}

/** Logs that webhooks can reach private addresses: a warning if the service is reachable from other machines. */
function logPrivateAddresses(config: Config, log: Logger): void {
  if (!allowsPrivate(config)) return;
  const sentence = "webhooks can go to http URLs and private addresses, so each user can send requests into this network";
  log[isLocalOnly(config) ? "info" : "warn"](`${sentence} (WEBHOOK_PRIVATE_ADDRESSES)`);
}

/** Opens the object store. Throws a StartupError if it refuses writes. */
async function openStore(config: Config, dataDir: string, recorder: WorkRecorder, log: Logger) {
  const instrumented = instrumentStore(await openObjectStore(config, dataDir), recorder);
  const storeProbe = createStoreProbe(instrumented, { prefix: ALL_UPLOADS, log });
  await storeProbe.tryWrite().catch((error: unknown) => {
    throw unwritableStore(config, dataDir, error);
  });
  return storeProbe;
}
