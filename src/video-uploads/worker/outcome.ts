import type { Logger } from "pino";
import { transaction, type Db, type Tx } from "../../database/client.ts";
import type { NotificationKind } from "#generated/operations.ts";
import type { OnAttemptEnd } from "../attempt-outcomes.ts";
import { processVideo } from "../jobs.ts";
import { failWithoutJob, notifyOwner, type VideoUploadRow } from "../store.ts";

/** The dependencies for ending an upload and notifying its owner. */
export type OutcomeEnv = {
  readonly db: Db;
  readonly log: Logger;
  /** Is told of the end of each attempt, and how long it took if that is known. */
  readonly onAttemptEnd?: OnAttemptEnd;
};

function noticeOf({ id, ownerId, name, status, errorDetail }: VideoUploadRow) {
  const kind: NotificationKind = status === "succeeded" ? "video_upload.succeeded" : "video_upload.failed";
  const end = status === "succeeded" ? "is ready" : "could not be processed";
  return { id, ownerId, kind, title: `Your video ${name ?? "without a name"} ${end}`, body: errorDetail };
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
 * Fails an upload whose attempts all died before they could record a reason, unless it has an unfinished job: then an operator has
 * started it again.
 */
export async function failInterrupted(env: OutcomeEnv, videoUploadId: string): Promise<void> {
  const detail = "Processing was interrupted too many times.";
  const hasEnded = await endUpload(env, (tx) => failWithoutJob(tx, videoUploadId, processVideo.name, "internal_error", detail));
  if (hasEnded) env.onAttemptEnd?.("interrupted");
}
