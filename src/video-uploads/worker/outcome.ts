import type { Logger } from "pino";
import { transaction, type Db, type Tx } from "../../database/client.ts";
import type { NotificationKind } from "#generated/operations.ts";
import type { OnAttemptEnd } from "../attempt-outcomes.ts";
import { processVideo } from "../jobs.ts";
import { failWithoutJob, findWithoutJob, notifyOwner, requeueAbandoned, type VideoUploadRow } from "../store.ts";

/** Younger rows are ignored, because their job may not be visible yet. */
const RECONCILE_AFTER_MS = 60_000;
const RECONCILE_BATCH = 500;

/** The dependencies for ending an upload and notifying its owner. */
export type OutcomeEnv = {
  readonly db: Db;
  readonly log: Logger;
  /** Called after each attempt, with its duration if known. */
  readonly onAttemptEnd?: OnAttemptEnd;
};

function noticeOf({ id, ownerId, name, status, errorDetail }: VideoUploadRow) {
  const kind: NotificationKind = status === "succeeded" ? "video_upload.succeeded" : "video_upload.failed";
  return { id, ownerId, kind, name, body: errorDetail };
}

/** Ends an upload and notifies its owner in one transaction. False if there was no upload to end. */
export function endUpload({ db }: Pick<OutcomeEnv, "db">, end: (tx: Tx) => Promise<VideoUploadRow | null>): Promise<boolean> {
  return transaction(db, async (tx) => {
    const row = await end(tx);
    if (row !== null) await notifyOwner(tx, noticeOf(row));
    return row !== null;
  });
}

/**
 * Fails an upload after all its attempts have died, unless it has an unfinished job: then an operator has started it again.
 */
export async function failInterrupted(env: OutcomeEnv, videoUploadId: string): Promise<void> {
  const detail = "Processing was interrupted too many times.";
  const hasEnded = await endUpload(env, (tx) => failWithoutJob(tx, videoUploadId, processVideo.name, "internal_error", detail));
  if (hasEnded) env.onAttemptEnd?.("interrupted");
}

/** Repairs rows whose jobs have another state, after a worker has died. */
export async function reconcileVideos(env: OutcomeEnv): Promise<void> {
  const { db, log } = env;
  const queue = processVideo.name;
  const requeued = await requeueAbandoned(db, { queue });
  if (requeued > 0) log.warn({ requeued }, "requeued uploads whose workers were lost");
  // A lost job is a defect, but its upload must still end.
  const before = new Date(Date.now() - RECONCILE_AFTER_MS).toISOString();
  for (const { id } of await findWithoutJob(db, { queue, before, limit: RECONCILE_BATCH })) {
    log.warn({ video_upload_id: id }, "an upload had lost its job");
    await failInterrupted(env, id);
  }
}
