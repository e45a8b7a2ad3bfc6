import type { Logger } from "pino";
import { tables } from "#generated/tables.ts";
import type { Config } from "./config.ts";
import { purgeAuditEntries } from "./audit-trail/store.ts";
import { readContract } from "./contract/bundle.ts";
import type { EventSources } from "./contract/events.ts";
import { conversationJobs } from "./conversations/jobs.ts";
import { messageEventSources } from "./conversations/index.ts";
import type { Connections } from "./database/client.ts";
import { purgeIdempotencyKeys } from "./idempotency/idempotency.ts";
import { createDependents, finishDeletion, type Dependents } from "./jobs/dependents.ts";
import { scheduled, type AnyJob } from "./jobs/job.ts";
import { startJobs, type JobOptions, type JobQueue, type Jobs } from "./jobs/jobs.ts";
import { BACKGROUND, EVERY_MINUTE, HOURLY } from "./jobs/queues.ts";
import { notificationEventSources } from "./notifications/index.ts";
import { notificationJobs } from "./notifications/jobs.ts";
import { personalDataJobs } from "./personal-data/jobs.ts";
import { purgeRateLimits } from "./limits/store.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { WatchSemaphore } from "./util/semaphore.ts";
import { urlJobs } from "./urls/jobs.ts";
import { videoUploadQueues, videoUploadEventSources, type OnAttemptEnd } from "./video-uploads/index.ts";
import type { openVideoWorker } from "./video-uploads/worker/index.ts";
import type { DeliveryParts } from "./webhooks/delivery/index.ts";
import { allowsPrivate, webhookJobs, webhookEventSources } from "./webhooks/index.ts";

/** Every queue of the service. */
const QUEUES = [HOURLY, EVERY_MINUTE, BACKGROUND, ...videoUploadQueues];

/** Opens the job queue, to enqueue jobs and to run them. */
export const openJobs = (databaseUrl: string, options: JobOptions) => startJobs(databaseUrl, QUEUES, options);

/** The dependencies of the jobs. */
type JobDeps = Awaited<ReturnType<typeof openVideoWorker>> &
  Connections & {
    readonly objects: ObjectStore;
    readonly log: Logger;
    readonly queue: JobQueue;
    readonly dependents: Dependents;
    readonly onAttemptEnd: OnAttemptEnd;
  };

/** A missing event of the contract does not compile. */
const eventSources: EventSources<Connections> = {
  ...messageEventSources,
  ...notificationEventSources,
  ...videoUploadEventSources,
  ...webhookEventSources,
};

/** Every job of the service. The jobs of one schedule run in this order. */
const jobsWith = (videoUploadJobs: readonly AnyJob<JobDeps>[]): readonly AnyJob<JobDeps>[] => [
  scheduled(HOURLY, "idempotency_keys", ({ db }) => purgeIdempotencyKeys(db)),
  scheduled(HOURLY, "rate_limits", ({ db }) => purgeRateLimits(db)),
  scheduled(HOURLY, "audit_entries", ({ db }) => purgeAuditEntries(db)),
  ...urlJobs,
  ...notificationJobs,
  ...conversationJobs,
  ...videoUploadJobs,
  ...personalDataJobs,
  ...webhookJobs,
  finishDeletion,
];

type WorkerDeps = Connections &
  Pick<JobDeps, "objects" | "log" | "onAttemptEnd"> &
  Pick<DeliveryParts, "onDelivery"> & {
    readonly config: Config;
    readonly dataDir: string;
    readonly onWebhookDelay: (seconds: number) => void;
    /** Adds the semaphores of the worker to the metrics. */
    readonly watchSemaphore: WatchSemaphore;
  };

/** Runs all jobs until `stopWork`. Adds resources to `stack` that close after that. */
export async function startWorker(
  jobs: Jobs,
  { config, dataDir, ...deps }: WorkerDeps,
  stack: AsyncDisposableStack,
): Promise<void> {
  // Imported here, because an API also loads this file, and does not need the code for videos and deliveries.
  const videos = await import("./video-uploads/worker/index.ts");
  const webhooks = await import("./webhooks/delivery/index.ts");
  const { createEventValidation } = await import("./http/validation/events.ts");
  const opened = await videos.openVideoWorker(config, dataDir, deps);
  const egress = stack.adopt(
    webhooks.openEgress({
      allowsPrivate: allowsPrivate(config),
      proxyUrl: config.WEBHOOK_PROXY,
      nameServers: config.WEBHOOK_DNS_SERVERS,
    }),
    (it) => it.close(),
  );
  const { queue } = jobs;
  const checkEvent = createEventValidation(readContract());
  await jobs.work(jobsWith(videos.videoUploadJobs), { ...opened, ...deps, queue, dependents: createDependents(tables, queue) });
  const limits = webhooks.createDeliveryLimits();
  deps.watchSemaphore("webhook_connections", limits.connections);
  deps.watchSemaphore("webhook_statements", limits.statements);
  stack.adopt(webhooks.startDispatcher({ ...deps, egress, limits, eventSources, checkEvent }), (it) => it.stop());
}
