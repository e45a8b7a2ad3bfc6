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

/** The maximum number of attempts at a video, as the contract states it. Uncounted attempts are extra. */
const ATTEMPTS_MAX = 3;
const DAY_SECONDS = 24 * 3600;

const payload = z.object({ videoUploadId: z.uuid(), postponements: z.int().optional() });

/** Fails uploads whose attempts all died before they could end the job. Takes the dead letters of `processVideo`. */
export const giveUpVideo = job({
  name: "video-uploads-dead",
  payload,
  options: { retryLimit: 10, retryBackoff: true, notify: true, deleteAfterSeconds: DAY_SECONDS },
  work: async (env: OutcomeEnv & { readonly scratchDir: string }, { videoUploadId }) => {
    await failInterrupted(env, videoUploadId);
    await trySweepScratch(env);
  },
});

/** Makes the poster and the renditions of an upload. The job has the id of the upload. */
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

/** Removes all objects of a deleted upload. Retried for about a day; after that, the sweep removes the rest. */
export const removeObjects = job({
  name: "video-uploads-removal",
  payload,
  options: { retryLimit: 30, retryDelay: 10, retryBackoff: true, retryDelayMax: 3600, expireInSeconds: 600 },
  pollSeconds: 2,
  work: ({ objects }: { readonly objects: ObjectStore }, { videoUploadId }) => objects.deletePrefix(folderOf(videoUploadId)),
});

/** Removes the job of an upload and enqueues the removal of its objects, in the transaction that deletes the upload. */
export async function discardUpload(tx: Tx, queue: JobQueue, videoUploadId: string): Promise<void> {
  await queue.remove(tx, processVideo, videoUploadId);
  await queue.enqueue(tx, removeObjects, { videoUploadId });
}
