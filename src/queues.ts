import { startJobs, type JobOptions } from "./jobs/jobs.ts";
import { BACKGROUND, EVERY_MINUTE, HOURLY } from "./jobs/queues.ts";
import { videoUploadQueues } from "./video-uploads/index.ts";

/** Every queue of the service. */
const QUEUES = [HOURLY, EVERY_MINUTE, BACKGROUND, ...videoUploadQueues];

/** Opens the job queue. Requests and commands enqueue jobs with it, and `worker.ts` has the jobs that run. */
export const openJobs = (databaseUrl: string, options: JobOptions) => startJobs(databaseUrl, QUEUES, options);
