import type { Logger } from "pino";
import { tables } from "#generated/tables.ts";
import type { Config } from "./config.ts";
import { purgeAuditEntries } from "./audit-trail/store.ts";
import { conversationJobs } from "./conversations/jobs.ts";
import type { Db } from "./database/client.ts";
import { purgeIdempotencyKeys } from "./idempotency/idempotency.ts";
import { createDependents, finishDeletion, type Dependents } from "./jobs/dependents.ts";
import { scheduled, type AnyJob } from "./jobs/job.ts";
import { startJobs, type JobOptions, type JobQueue, type Jobs } from "./jobs/jobs.ts";
import { BACKGROUND, EVERY_MINUTE, HOURLY } from "./jobs/queues.ts";
import { notificationJobs } from "./notifications/jobs.ts";
import { personalDataJobs } from "./personal-data/jobs.ts";
import { purgeRateLimits } from "./rate-limits/store.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import { urlJobs } from "./urls/jobs.ts";
import { videoUploadQueues, type OnAttemptEnd } from "./video-uploads/index.ts";
import type { openVideoWorker } from "./video-uploads/worker/index.ts";

/** Every queue of the service. */
const QUEUES = [HOURLY, EVERY_MINUTE, BACKGROUND, ...videoUploadQueues];

/** Opens the job queue, for those who enqueue jobs and for those who run them. */
export const openJobs = (databaseUrl: string, options: JobOptions) => startJobs(databaseUrl, QUEUES, options);

/** The dependencies of the jobs. */
type Env = Awaited<ReturnType<typeof openVideoWorker>> & {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly queue: JobQueue;
  readonly dependents: Dependents;
  readonly onAttemptEnd: OnAttemptEnd;
};

/** Every job of the service. The jobs of one schedule run in this order. */
const jobsWith = (videoUploadJobs: readonly AnyJob<Env>[]): readonly AnyJob<Env>[] => [
  scheduled(HOURLY, "idempotency_keys", ({ db }) => purgeIdempotencyKeys(db)),
  scheduled(HOURLY, "rate_limits", ({ db }) => purgeRateLimits(db)),
  scheduled(HOURLY, "audit_entries", ({ db }) => purgeAuditEntries(db)),
  ...urlJobs,
  ...notificationJobs,
  ...conversationJobs,
  ...videoUploadJobs,
  ...personalDataJobs,
  finishDeletion,
];

type WorkerParts = Pick<Env, "db" | "objects" | "log" | "onAttemptEnd"> & { readonly config: Config; readonly dataDir: string };

/** Runs all jobs until `stopWork`. */
export async function startWorker(jobs: Jobs, { config, dataDir, ...parts }: WorkerParts): Promise<void> {
  // Imported here, because an API opens the job queue too, and does not need the code that processes videos.
  const videos = await import("./video-uploads/worker/index.ts");
  const opened = await videos.openVideoWorker(config, dataDir, parts);
  const env = { ...opened, ...parts, queue: jobs.queue, dependents: createDependents(tables, jobs.queue) };
  await jobs.work(jobsWith(videos.videoUploadJobs), env);
}
