import { transaction, type Tx } from "../../database/client.ts";
import type { Execution } from "../../jobs/job.ts";
import { StorageFailure, type ObjectStore } from "../../storage/object-store.ts";
import type { AttemptOutcome } from "../attempt-outcomes.ts";
import type { Payload } from "../jobs.ts";
import { LANES } from "../lanes.ts";
import type { Engine } from "../../media/engine.ts";
import { DEFAULT_MEDIA_LIMITS } from "../../media/limits.ts";
import { internalError, MediaFailure, overQuota } from "../../media/media-failure.ts";
import { attemptFolderOf, removeObjectsNow } from "../objects/object-keys.ts";
import { expire, purgeExpired } from "../objects/removal.ts";
import type { StorageQuota } from "../objects/storage-quota.ts";
import { beginAttempt, fail, hasSucceeded, requeueAttempt, succeed, type StoredResult, type VideoUploadRow } from "../store.ts";
import { watchAttempt } from "./attempt-watch.ts";
import { makeResult } from "./make-result.ts";
import { countRunningTime } from "./running-time.ts";
import { assertLane, moveToLane, deferOverBudget, watchOverrun, WrongLane, type Attempt } from "./scheduling.ts";
import { endUpload, type OutcomeEnv } from "./outcome.ts";
import type { ResultCheck } from "./result-check.ts";
import { openScratch, removeIfAbandoned, scratchOf, type Scratch } from "./scratch.ts";

export type AttemptEnv = OutcomeEnv & {
  readonly objects: ObjectStore;
  readonly engine: Engine;
  readonly checkResult: ResultCheck;
  readonly quota: StorageQuota;
  readonly scratchDir: string;
  /** The space to leave free on the disk of the scratch folder. */
  readonly minFreeBytes: number;
  readonly keepOriginals: boolean;
  /** The budget of running time per user and 24 hours. Beyond it, videos of other users run first. */
  readonly budgetSeconds: number;
};

/** The total running time of all attempts at a video, as in the contract. */
const RUNNING_MAX_SECONDS = 12 * 3600;

/** From this attempt on, all count, because the maximum of `attempt` in the contract is 100. */
const UNCOUNTED_ATTEMPTS_MAX = 90;
/** The delay after a failure that counts as an attempt. */
const RETRY_SECONDS = { first: 10, later: 60 };
/** Delays after failures of the machine or the store. The last one repeats, so that an outage of hours is possible. */
const POSTPONEMENT_SECONDS = [10, 60, 300];

/** Runs one attempt, which writes only while it is the current one. The job is retried unless the file is at fault. */
export async function runAttempt(env: AttemptEnv, payload: Payload, execution: Execution): Promise<void> {
  const startedMs = performance.now();
  let outcome: AttemptOutcome | null = "lost";
  try {
    outcome = await work(env, payload, execution);
  } finally {
    const durationMs = performance.now() - startedMs;
    if (outcome !== null) env.onAttemptEnd?.(outcome, durationMs);
    if (outcome === "succeeded") {
      const ids = { video_upload_id: payload.videoUploadId, attempt: execution.attempt };
      env.log.info({ ...ids, duration_ms: Math.round(durationMs) }, "video job succeeded");
    }
  }
}

/** Null if there is nothing to do. */
async function work(env: AttemptEnv, payload: Payload, execution: Execution): Promise<AttemptOutcome | null> {
  const { db, objects, engine, log } = env;
  const attempt: Attempt = { ...execution, videoUploadId: payload.videoUploadId, payload };
  const video_upload_id = attempt.videoUploadId;
  // An attempt with a high number must end, so it is neither deferred nor moved.
  const isMovable = attempt.attempt < UNCOUNTED_ATTEMPTS_MAX;
  if (isMovable && (await deferOverBudget(env, attempt))) return null;
  const upload = await beginAttempt(db, attempt, "probing");
  if (upload === null) return null;
  const attemptFolder = attemptFolderOf(attempt);
  let scratch: Scratch | undefined;
  const progress = { stage: "probing", percent: 0 };
  using watch = watchAttempt(db, attempt, progress);
  await using _running = countRunningTime(db, upload);
  using overrun = isMovable ? watchOverrun(attempt.lane, progress) : null;
  try {
    await removeEarlierFiles(env, attempt);
    const signal = AbortSignal.any([attempt.signal, watch.lost, ...(overrun === null ? [] : [overrun.signal])]);
    scratch = await openScratch(env.scratchDir, attempt);
    const budget = { minFreeBytes: env.minFreeBytes, quotaBytes: await env.quota.freeBytesOf(db, upload.ownerId) };
    const limits = { niceness: LANES[attempt.lane]!.niceness, transcodeTimeoutMs: timeLeftMs(upload) };
    const checkLane = isMovable ? assertLane(attempt.lane, engine.kind) : () => undefined;
    const context = { objects, engine, folder: scratch.path, attemptFolder, budget, progress, limits, checkLane, signal };
    const result = await makeResult(context, upload);
    env.checkResult(upload.id, result);
    if (!(await finish(env, attempt, (tx) => succeedWith(tx, env, attempt, upload, result)))) {
      await removeObjectsNow(env, attemptFolder);
      return "lost";
    }
    if (!env.keepOriginals) await purgeExpired(env, upload.objectKey);
    return "succeeded";
  } catch (error) {
    // A COMMIT can succeed although its response is lost. Then the files belong to the result.
    if (await hasSucceeded(db, attempt)) {
      log.warn({ video_upload_id, err: error }, "an attempt succeeded, although its commit reported an error");
      return "succeeded";
    }
    await removeObjectsNow(env, attemptFolder);
    if (watch.lost.aborted) {
      log.info({ video_upload_id }, "the upload was deleted, or another attempt has taken over");
      return "lost";
    }
    const cause: unknown = overrun?.signal.aborted ? overrun.signal.reason : error;
    if (cause instanceof WrongLane && !attempt.signal.aborted) return await moveToLane(env, attempt, upload, cause);
    return await handleFailure(env, attempt, error);
  } finally {
    await scratch?.remove().catch((error: unknown) => log.warn({ err: error }, "a scratch folder was not removed"));
  }
}

/** The remaining time for transcoding. Throws if the attempts at this upload have used up their time. */
function timeLeftMs({ ranSeconds }: VideoUploadRow): number {
  const leftMs = (RUNNING_MAX_SECONDS - ranSeconds) * 1_000;
  if (leftMs <= 0) throw new MediaFailure("processing_timeout", "The attempts at the video took too long together.");
  return Math.min(leftMs, DEFAULT_MEDIA_LIMITS.transcodeTimeoutMs);
}

/**
 * Stores the result, unless it exceeds the storage quota. An original that expires counts 0 bytes: the upload still counts them.
 */
async function succeedWith(tx: Tx, env: AttemptEnv, attempt: Attempt, upload: VideoUploadRow, result: StoredResult) {
  const { keepOriginals, objects, quota } = env;
  const { objectKey, ownerId } = upload;
  const row = await succeed(tx, attempt, result);
  // Other videos may have used the storage quota since the attempt began. The counter of the owner is locked until the COMMIT.
  if (row !== null && (await quota.freeBytesOf(tx, ownerId)) < 0) throw overQuota({ result });
  if (row !== null && !keepOriginals) await expire(tx, objects, { key: objectKey, ownerId, sizeBytes: 0 });
  return row;
}

async function handleFailure(env: AttemptEnv, attempt: Attempt, error: unknown): Promise<AttemptOutcome> {
  const { db, log } = env;
  const { videoUploadId } = attempt;
  const { postponements = 0 } = attempt.payload;
  const ids = { video_upload_id: videoUploadId, attempt: attempt.attempt };
  const isLast = attempt.attempt >= attempt.attemptsMax;
  const uncounted = attempt.attempt < UNCOUNTED_ATTEMPTS_MAX;
  const requeue = (settle: (tx: Tx) => Promise<void>) =>
    transaction(db, async (tx) => {
      if (await requeueAttempt(tx, attempt)) await settle(tx);
    });
  if (attempt.stopping.aborted && (uncounted || !isLast)) {
    await requeue((tx) => attempt.putBack(tx, { uncounted }));
    return "stopped";
  }
  if (attempt.signal.aborted) {
    await requeueAttempt(db, attempt);
    throw error;
  }
  if (uncounted && isTransientError(error)) {
    log.warn({ ...ids, err: error }, "this machine cannot process videos now; the job is postponed");
    const startAfter = POSTPONEMENT_SECONDS[Math.min(postponements, POSTPONEMENT_SECONDS.length - 1)]!;
    const payload = { ...attempt.payload, postponements: postponements + 1 };
    await requeue((tx) => attempt.putBack(tx, { uncounted, startAfter, payload }));
    return "postponed";
  }
  const { code, detail, retryable, cause } = error instanceof MediaFailure ? error : internalError(error, { retryable: true });
  if (!retryable || isLast) {
    log[code === "internal_error" ? "error" : "info"]({ ...ids, code, err: cause }, "video job failed");
    return (await finish(env, attempt, (tx) => fail(tx, attempt, code, detail))) ? "failed" : "lost";
  }
  log.warn({ ...ids, err: error }, "video job failed and is retried");
  await requeue((tx) => attempt.retry(tx, error, attempt.attempt === 1 ? RETRY_SECONDS.first : RETRY_SECONDS.later));
  return "retried";
}

/** Ends the upload and the job of the attempt. False if the attempt is no longer the current one. */
function finish(env: AttemptEnv, attempt: Attempt, end: Parameters<typeof endUpload>[1]): Promise<boolean> {
  return endUpload(env, async (tx) => {
    const row = await end(tx);
    if (row !== null) await attempt.complete(tx);
    return row;
  });
}

/** Removes the files of earlier attempts, because their workers may have been killed. */
async function removeEarlierFiles(env: AttemptEnv, { videoUploadId, attempt }: Attempt): Promise<void> {
  for (let number = 1; number < attempt; number++) {
    const earlier = { videoUploadId, attempt: number };
    await removeObjectsNow(env, attemptFolderOf(earlier));
    await removeIfAbandoned(scratchOf(env.scratchDir, earlier)).catch((error: unknown) =>
      env.log.warn({ err: error }, "a scratch folder was not removed"),
    );
  }
}

/** No space, file descriptor or process is left, or the disk can't be used. SQLite has its own code for that. */
const SYSTEM_ERRORS = /^(ENOSPC|EDQUOT|EMFILE|ENFILE|EAGAIN|ENOMEM|EIO|EROFS|EACCES|ESTALE|ENODEV|ERR_SQLITE_ERROR)$/;

/** Whether the machine or the store is at fault, so that attempts at other videos would fail, too. */
function isTransientError(error: unknown): boolean {
  if (error instanceof StorageFailure) return ["store_full", "unavailable", "refused"].includes(error.kind);
  const { code } = ((error instanceof MediaFailure ? error.cause : error) ?? {}) as { readonly code?: unknown };
  return SYSTEM_ERRORS.test(String(code));
}
