import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import { tables } from "#generated/tables.ts";
import type { Config } from "./config.ts";
import { withReplicas } from "./consistency/read-routing.ts";
import { readContract } from "./contract/bundle.ts";
import type { Handlers } from "./contract/contract.ts";
import { conversationAreaHandlers, findUnmutedMembers, membershipCheck, messageWaits } from "./conversations/index.ts";
import type { Connections } from "./database/client.ts";
import { databaseFailure } from "./database/database-failure.ts";
import { createDatabaseProbe } from "./database/probe.ts";
import { openReplicas } from "./database/replicas/replicas.ts";
import { createApp } from "./http/app.ts";
import type { Documents } from "./http/documents/documents.ts";
import { listen } from "./http/listener.ts";
import type { RequestObserver } from "./http/request-observer.ts";
import { createDependents } from "./jobs/dependents.ts";
import type { JobQueue } from "./jobs/jobs.ts";
import { createCursors } from "./pagination/cursor.ts";
import { notificationHandlers, notificationWaits } from "./notifications/index.ts";
import type { Observability } from "./observability/index.ts";
import type { WorkRecorder } from "./observability/work-metrics.ts";
import { userHandlers } from "./users/handlers.ts";
import { postHandlers } from "./posts/handlers.ts";
import { createRateLimits } from "./limits/rate-limiter.ts";
import { createSharedCounts } from "./limits/store.ts";
import { storageFailure, type ObjectStore } from "./storage/object-store.ts";
import type { StoreProbe } from "./storage/store-probe.ts";
import { healthHandlers } from "./health/handlers.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { createClickCounter, urlHandlers } from "./urls/index.ts";
import { createCredentialVerifier } from "./auth/credentials.ts";
import { createJwtVerifier } from "./auth/jwt.ts";
import { uploadLimit, videoUploadHandlers, videoUploadWaits } from "./video-uploads/index.ts";
import { allowsPrivate, webhookHandlers } from "./webhooks/index.ts";
import { openLongPolling, type LongPolling } from "./long-poll/index.ts";
import type { Waits } from "./long-poll/waits.ts";

/** For development, so that cursors survive a restart. In production, the setting is required. */
const DEVELOPMENT_CURSOR_SECRETS = ["plumbline development cursors"];

/** A missing operation with the parameter `wait` does not compile. */
const waits: Waits = { ...messageWaits, ...notificationWaits, ...videoUploadWaits };

/** The dependencies of the API. */
type ApiDeps = Connections & {
  readonly log: Logger;
  readonly databaseUrl: string;
  /** The same database without a pooler. */
  readonly directUrl: string;
  readonly queue: JobQueue;
  readonly objects: ObjectStore;
  readonly storeProbe: StoreProbe;
  readonly recorder: WorkRecorder;
  readonly observability: Pick<Observability, "watchReplicas" | "watchSemaphore" | "watchWaiting">;
  readonly telemetry: Telemetry | null;
};

/** The process, as handlers use it. */
type ProcessContext = {
  readonly url: string;
  readonly documents: Documents;
  readonly isDraining: () => boolean;
  readonly longPolling: LongPolling;
};

/**
 * Opens the port first, so that a port in use is reported at once. Until `serve`, every request except the liveness check returns 503.
 */
export async function openApi(config: Config, observer: RequestObserver) {
  const documents: Documents = { contract: readContract() };
  const listener = await listen(config, documents.contract.info.version, observer);
  const url = `http://${hostInUrl(config.HOST)}:${listener.port}`;
  let drainedMs: number | null = null;
  let longPolling: LongPolling | null = null;
  return {
    url,
    /** Starts to serve requests. Adds resources to `stack` that close before the dependencies. */
    async serve(deps: ApiDeps, stack: AsyncDisposableStack): Promise<void> {
      const { log, pool, telemetry, recorder } = deps;
      const { MAX_WAITING: max, MAX_WAITING_PER_USER: maxPerCaller, RATE_LIMITS_SHARED: names } = config;
      const databaseUrl = deps.directUrl;
      const findMembers = (conversationIds: readonly string[]) => findUnmutedMembers(pool, { conversationIds });
      longPolling = openLongPolling({ databaseUrl, log, max, maxPerCaller, findUnmutedMembers: findMembers });
      const { subscriptions } = stack.adopt(longPolling, (it) => it.close());
      const { watchSemaphore, watchWaiting } = deps.observability;
      watchWaiting(() => subscriptions.size);
      watchSemaphore("waits", subscriptions.waits);
      watchSemaphore("reads_after_wait", subscriptions.reads);
      const app = await createApp({
        config,
        documents,
        log,
        observer,
        telemetry,
        databaseBacklog: () => pool.waitingCount,
        watchSemaphore,
        translators: [databaseFailure, storageFailure],
        verify: createCredentialVerifier(deps, await createJwtVerifier(config, log, recorder.onKeySetFailure)),
        limits: createRateLimits(config.RATE_LIMITS, {
          names,
          count: createSharedCounts(pool),
          onUnavailable: recorder.onSharedLimitUnavailable,
        }),
        handlers: createHandlers(config, deps, { url, documents, isDraining: () => drainedMs !== null, longPolling }, stack),
        waiting: { waits, subscriptions },
        uploadLimit: uploadLimit(config.MAX_UPLOAD_BYTES),
      });
      listener.serve(app);
      stack.defer(async () => {
        const leftMs = config.SHUTDOWN_DELAY_SECONDS * 1_000 - (performance.now() - (drainedMs ?? -Infinity));
        await delay(Math.max(0, leftMs));
        await listener.close();
      });
    },
    /** Shows an example request on the landing page and in the reference. */
    showDemo(command: string): void {
      documents.demo = command;
    },
    /** After this, `/health` returns 503, responses close their connections, and long polls end. */
    drain(): void {
      drainedMs = performance.now();
      longPolling?.subscriptions.close();
      listener.drain();
    },
    close: listener.close,
  };
}

/** The handlers of every operation, for the primary and each replica. A missing handler does not compile. */
function createHandlers(
  config: Config,
  deps: ApiDeps,
  { url, documents, isDraining, longPolling }: ProcessContext,
  stack: AsyncDisposableStack,
): Handlers {
  const { db, pool, log, observability } = deps;
  const cursors = createCursors(config.CURSOR_SECRETS ?? DEVELOPMENT_CURSOR_SECRETS);
  const common = {
    ...deps,
    databaseProbe: stack.adopt(createDatabaseProbe(deps.databaseUrl), (it) => it.close()),
    clicks: stack.adopt(createClickCounter(db, log), (it) => it.close()),
    cursors,
    dependents: createDependents(tables, deps.queue),
    publicUrl: config.PUBLIC_URL ?? url,
    maxUploadBytes: config.MAX_UPLOAD_BYTES,
    maxStoredBytesPerUser: config.MAX_STORED_BYTES_PER_USER,
    isDirectoryOn: config.USER_DIRECTORY === "on",
    keepOriginals: config.KEEP_ORIGINALS,
    idleMs: config.IDLE_TIMEOUT_SECONDS * 1_000,
    version: documents.contract.info.version,
    isDraining,
    publish: longPolling.publish,
    allowsPrivate: allowsPrivate(config),
  };
  const replicas = stack.adopt(openReplicas(config, pool, log), (it) => it.close());
  observability.watchReplicas(replicas.all);
  const handlersOf = (store: Connections): Handlers => {
    const all = { ...common, ...store };
    return {
      ...urlHandlers(all),
      ...notificationHandlers(all),
      ...videoUploadHandlers(all),
      ...conversationAreaHandlers(all),
      ...postHandlers(all),
      ...webhookHandlers(all),
      ...userHandlers(all),
      ...healthHandlers(all),
    };
  };
  const checks = { not_a_member: membershipCheck(pool) };
  return withReplicas(handlersOf, { primary: common, replicas, cursors, checks });
}

/** The host in the URL of the service: `localhost` if it listens on all addresses. */
function hostInUrl(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
