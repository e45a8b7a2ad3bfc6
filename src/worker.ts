import type { Logger } from "pino";
import { tables } from "#generated/tables.ts";
import type { Config } from "./config.ts";
import { purgeAuditEntries } from "./audit-trail/store.ts";
import { conversationJobs } from "./conversations/jobs.ts";
import type { Db } from "./database/client.ts";
import { purgeIdempotencyKeys } from "./idempotency/idempotency.ts";
import { createDependents, finishDeletion, type Dependents } from "./jobs/dependents.ts";
import { scheduled, type AnyJob } from "./jobs/job.ts";
import type { JobQueue, Jobs } from "./jobs/jobs.ts";
import { HOURLY } from "./jobs/queues.ts";
import { notificationJobs } from "./notifications/jobs.ts";
import { personalDataJobs } from "./personal-data/jobs.ts";
import { purgeRateLimits } from "./rate-limits/store.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { OnAttemptEnd } from "./video-uploads/index.ts";
import { openVideoWorker, videoUploadJobs } from "./video-uploads/worker/index.ts";

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
const JOBS: readonly AnyJob<Env>[] = [
  scheduled(HOURLY, "idempotency_keys", ({ db }) => purgeIdempotencyKeys(db)),
  scheduled(HOURLY, "rate_limits", ({ db }) => purgeRateLimits(db)),
  scheduled(HOURLY, "audit_entries", ({ db }) => purgeAuditEntries(db)),
  ...notificationJobs,
  ...conversationJobs,
  ...videoUploadJobs,
  ...personalDataJobs,
  finishDeletion,
];

type WorkerParts = Pick<Env, "db" | "objects" | "log" | "onAttemptEnd"> & { readonly config: Config; readonly dataDir: string };

/** Runs all jobs until `stopWork`. */
export async function startWorker(jobs: Jobs, { config, dataDir, ...parts }: WorkerParts): Promise<void> {
  const videos = await openVideoWorker(config, dataDir, parts);
  await jobs.work(JOBS, { ...videos, ...parts, queue: jobs.queue, dependents: createDependents(tables, jobs.queue) });
}
