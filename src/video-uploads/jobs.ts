import { z } from "zod";
import type { Tx } from "../database/client.ts";
import { declareJob } from "../jobs/job.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { HEARTBEAT_SECONDS, LONG_EXPIRY_SECONDS } from "../jobs/queues.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { LANES } from "./lanes.ts";
import { folderOf } from "./objects/object-keys.ts";
import { expire } from "./objects/removal.ts";
import type { RemovedRow } from "./store.ts";

/** The maximum number of counted attempts at a video, as in the contract. */
const ATTEMPTS_MAX = 3;
const DAY_SECONDS = 24 * 3600;

/**
 * Declarations only: an API process never loads the work. `isSetBack`: the job was deferred once because its owner was over the
 * budget.
 */
const payload = z.object({ videoUploadId: z.uuid(), postponements: z.int().optional(), isSetBack: z.boolean().optional() });
export type Payload = z.infer<typeof payload>;

/** The dead letters of `processVideo`: fails uploads after all their attempts have died. */
export const videoDeadLetters = declareJob({
  name: "video-uploads-dead",
  payload,
  options: { retryLimit: 10, retryBackoff: true, notify: true, deleteAfterSeconds: DAY_SECONDS },
});

/** Processes an upload. The job has the id of the upload. */
export const processVideo = declareJob({
  name: "video-uploads",
  payload,
  options: {
    retryLimit: ATTEMPTS_MAX - 1,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 60,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    expireInSeconds: LONG_EXPIRY_SECONDS,
    deadLetter: videoDeadLetters.name,
    notify: true,
    deleteAfterSeconds: DAY_SECONDS,
  },
  concurrency: (env: { readonly concurrency: number }) => env.concurrency,
  lanes: LANES.length,
});

export const videoUploadQueues = [videoDeadLetters.queue, processVideo.queue] as const;

type DiscardParts = { readonly queue: JobQueue; readonly objects: ObjectStore };

/** Removes the job of an upload and expires its objects, in the transaction that removes its row. */
export async function discardUpload(tx: Tx, { queue, objects }: DiscardParts, id: string, row: RemovedRow): Promise<void> {
  await queue.remove(tx, processVideo, id);
  await expire(tx, objects, { key: folderOf(id), ...row });
}
