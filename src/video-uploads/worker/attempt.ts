import type { Logger } from "pino";
import { transaction, type Db, type Tx } from "../../database/client.ts";
import type { Queue, VideoAttempt } from "../../jobs/queue.ts";
import type { Notify } from "../../notifier.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { watchAttempt } from "./attempt-watch.ts";
import { isFailureOfPlace } from "./transient-error.ts";
import { attemptFolderOf } from "../object-keys.ts";
import { makeResult } from "./make-result.ts";
import type { Engine } from "../media/engine.ts";
import { MediaFailure } from "../media/media-failure.ts";
import { notice } from "./notification.ts";
import type { ResultCheck } from "./result-check.ts";
import { openScratch, removeAbandoned, scratchOf, type Scratch } from "./scratch.ts";
import { beginAttempt, fail, hasSucceeded, requeueAttempt, succeed, type Fence, type VideoUploadRow } from "../store.ts";

type Parts = {
  readonly db: Db;
  readonly queue: Queue;
  readonly objects: ObjectStore;
  readonly engine: Engine;
  readonly notify: Notify;
  readonly checkResult: ResultCheck;
  readonly scratchDir: string;
  readonly keepOriginals: boolean;
  readonly log: Logger;
};

/**
 * One attempt at one upload. Every write is fenced by the attempt, so an attempt that was thought dead and comes back
 * changes nothing; result, notification and the end of the job are one transaction. What is wrong with the file ends
 * the job at once, what is wrong on our side is tried again.
 */
export async function processVideo(parts: Parts, attempt: VideoAttempt): Promise<void> {
  const { db, objects, engine, log } = parts;
  const video_upload_id = attempt.videoUploadId;
  const upload = await beginAttempt(db, attempt, "probing");
  if (upload === null) return;
  const madeFolder = attemptFolderOf(attempt);
  let scratch: Scratch | undefined;
  using watch = watchAttempt(db, attempt, { stage: "probing", percent: 0 });
  const { progress, lost } = watch;
  try {
    await clearEarlier(parts, attempt);
    const signal = AbortSignal.any([attempt.signal, lost]);
    scratch = await openScratch(parts.scratchDir, attempt);
    const workplace = { objects, engine, folder: scratch.path, madeFolder, progress, signal };
    const result = await makeResult(workplace, upload.objectKey);
    parts.checkResult(upload.id, result);
    if (!(await finishWith(parts, attempt, (tx) => succeed(tx, attempt, result)))) await clear(parts, attempt);
    else if (!parts.keepOriginals) await deleteOriginal(parts, upload);
  } catch (error) {
    // A COMMIT whose answer was lost has ended the job all the same, and what was made belongs to it.
    if (await hasSucceeded(db, attempt))
      return log.warn({ video_upload_id, err: error }, "an attempt succeeded without being told");
    await clear(parts, attempt);
    if (lost.aborted) return log.info({ video_upload_id }, "the upload was taken away from this attempt");
    await afterFailure(parts, attempt, error);
  } finally {
    await scratch?.remove().catch((error: unknown) => log.warn({ err: error }, "a scratch folder was not removed"));
  }
}

/** What becomes of a job whose attempt came to nothing: it is put back, has failed, or is tried again. */
async function afterFailure(parts: Parts, attempt: VideoAttempt, error: unknown): Promise<void> {
  const { db, queue, log } = parts;
  const video_upload_id = attempt.videoUploadId;
  const requeue = (settle: (tx: Tx) => Promise<void>) =>
    transaction(db, async (tx) => {
      if (await requeueAttempt(tx, attempt)) await settle(tx);
    });
  if (attempt.stopping.aborted && (attempt.mayGoUncounted || !attempt.isLast))
    return requeue((tx) => queue.putBackVideo(tx, attempt));
  if (attempt.signal.aborted) {
    await requeueAttempt(db, attempt);
    throw error;
  }
  if (attempt.mayGoUncounted && isFailureOfPlace(error)) {
    log.warn(
      { video_upload_id, attempt: attempt.attempt, err: error },
      "no video can be processed here just now, and the job is put off",
    );
    return requeue((tx) => queue.postponeVideo(tx, attempt));
  }
  if (error instanceof MediaFailure && (!error.retryable || attempt.isLast)) {
    log[error.code === "internal_error" ? "error" : "info"](
      { video_upload_id, code: error.code, err: error.cause },
      "video job failed",
    );
    return void (await finishWith(parts, attempt, (tx) => fail(tx, attempt, error.code, error.detail)));
  }
  if (attempt.isLast) {
    log.error({ video_upload_id, err: error }, "video job failed for the last time");
    const detail = "The video could not be processed because of an internal error.";
    return void (await finishWith(parts, attempt, (tx) => fail(tx, attempt, "internal_error", detail)));
  }
  log.warn({ video_upload_id, attempt: attempt.attempt, err: error }, "video job failed and is tried again");
  await requeue((tx) => queue.retryVideo(tx, attempt, error));
}

/** Ends the attempt, its job and tells the owner, all or nothing; false when the attempt is no longer the present one. */
async function finishWith(
  { db, queue, notify }: Parts,
  attempt: VideoAttempt,
  end: (tx: Tx) => Promise<VideoUploadRow | null>,
): Promise<boolean> {
  return transaction(db, async (tx) => {
    const row = await end(tx);
    if (row === null) return false;
    await queue.completeVideo(tx, attempt);
    await notify(tx, [row.ownerId], notice(row));
    return true;
  });
}

/** An attempt whose worker was killed has left whatever it had made so far. */
async function clearEarlier(parts: Parts, { videoUploadId, attempt }: VideoAttempt): Promise<void> {
  for (let number = 1; number < attempt; number++) {
    const earlier = { videoUploadId, attempt: number };
    await clear(parts, earlier);
    await removeAbandoned(scratchOf(parts.scratchDir, earlier)).catch((error: unknown) =>
      parts.log.warn({ err: error }, "a scratch folder was not removed"),
    );
  }
}

/** The job has succeeded: whatever happens to the original now must not be taken for a failure of it. */
async function deleteOriginal({ objects, log }: Parts, { objectKey }: VideoUploadRow): Promise<void> {
  await objects.delete(objectKey).catch((error: unknown) => log.warn({ err: error }, "an original was not deleted"));
}

/** Removes what an attempt has made. A store that is away must not decide what becomes of the job: then it is left to the sweeper. */
async function clear({ objects, log }: Parts, attempt: Fence): Promise<void> {
  await objects
    .deletePrefix(attemptFolderOf(attempt))
    .catch((error: unknown) =>
      log.warn({ video_upload_id: attempt.videoUploadId, err: error }, "what an attempt had made was not removed"),
    );
}
