import { z } from "zod";
import type { Tx } from "../database/client.ts";
import { job } from "../jobs/job.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { HEARTBEAT_SECONDS, LONG_EXPIRY_SECONDS } from "../jobs/queues.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { folderOf } from "./object-keys.ts";
import { runAttempt, type AttemptEnv } from "./worker/attempt.ts";
import { failInterrupted, type OutcomeEnv } from "./worker/outcome.ts";
import { trySweepScratch } from "./worker/scratch.ts";

/** How often a video is tried in all; the contract promises it. Uncounted attempts are not among them. */
const ATTEMPTS_MAX = 3;
const DAY_SECONDS = 24 * 3600;

const payload = z.object({ videoUploadId: z.uuid(), postponements: z.int().optional() });

/** Gets the jobs whose every attempt died without running our code to its end. */
export const giveUpVideo = job({
  name: "video-uploads-dead",
  payload,
  options: { retryLimit: 10, retryBackoff: true, notify: true, deleteAfterSeconds: DAY_SECONDS },
  work: async (env: OutcomeEnv & { readonly scratchDir: string }, { videoUploadId }) => {
    await failInterrupted(env, videoUploadId);
    await trySweepScratch(env);
  },
});

/** Makes the renditions of an upload. The job's id is the upload's. */
export const processVideo = job({
  name: "video-uploads",
  payload,
  options: {
    retryLimit: ATTEMPTS_MAX - 1,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: LONG_EXPIRY_SECONDS,
    deadLetter: giveUpVideo.name,
    notify: true,
    deleteAfterSeconds: DAY_SECONDS,
  },
  concurrency: (env: AttemptEnv & { readonly concurrency: number }) => env.concurrency,
  work: runAttempt,
});

/** Removes everything that is stored for an upload that is gone. Retried for about a day; then the sweep removes the rest. */
export const removeObjects = job({
  name: "video-uploads-removal",
  payload,
  options: { retryLimit: 30, retryDelay: 10, retryBackoff: true, retryDelayMax: 3600, expireInSeconds: 600 },
  pollSeconds: 2,
  work: ({ objects }: { readonly objects: ObjectStore }, { videoUploadId }) => objects.deletePrefix(folderOf(videoUploadId)),
});

/** Takes an upload's job away in the transaction that deletes the upload, and has everything removed that is stored for it. */
export async function discardUpload(tx: Tx, queue: JobQueue, videoUploadId: string): Promise<void> {
  await queue.remove(tx, processVideo, videoUploadId);
  await queue.enqueue(tx, removeObjects, { videoUploadId });
}
