import { createReadStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Logger } from "pino";
import { transaction, type Db } from "../db/client.ts";
import type { Queue, VideoAttempt } from "../jobs/queue.ts";
import type { Notify } from "../notifier.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Engine } from "./media/engine.ts";
import { MediaFailure } from "./media/media-failure.ts";
import { probe } from "./media/probe.ts";
import { transcode, type MediaFile } from "./media/transcode.ts";
import type { StoredFile, StoredResult } from "./result.ts";
import { scratchOf } from "./scratch.ts";
import { beginAttempt, fail, failUnfinished, findUnfinished, hasSucceeded, noteProgress, requeueAttempt, succeed, type VideoUploadRow } from "./store.ts";

type Parts = { readonly db: Db; readonly queue: Queue; readonly objects: ObjectStore; readonly engine: Engine; readonly notify: Notify; readonly scratchDir: string; readonly keepOriginals: boolean; readonly log: Logger };

/** How soon a job notices that its upload was deleted or that another attempt has taken over. */
const FENCE_CHECK_MS = 300;
// Of the work of an attempt, as a client sees it.
const PROBED_PERCENT = 3;
const TRANSCODED_PERCENT = 95;

/**
 * One attempt at one upload. Every write is fenced by the attempt, so an attempt that was thought dead and comes back
 * changes nothing; result, notification and the end of the job are one transaction. What is wrong with the file ends
 * the job at once, what is wrong on our side is tried again.
 */
export async function processVideo(parts: Parts, attempt: VideoAttempt): Promise<void> {
  const { db, log } = parts;
  const upload = await beginAttempt(db, attempt, "probing");
  if (upload === null) return;
  const made = `video-uploads/${upload.id}/${attempt.attempt}`;
  const progress = { stage: "probing", percent: 0 };
  const folder = scratchOf(parts.scratchDir, attempt);
  const lost = new AbortController();
  const signal = AbortSignal.any([attempt.signal, lost.signal]);
  const watch = setInterval(() => void noteProgress(db, attempt, progress.stage, progress.percent).then((present) => { if (!present) lost.abort(); }, () => undefined), FENCE_CHECK_MS);
  try {
    if (attempt.attempt > 1) await clearEarlier(parts, attempt);
    const result = await examine(parts, upload, { folder, made, progress, signal });
    if (!await finishWith(parts, attempt, (tx) => succeed(tx, attempt, result))) await parts.objects.deletePrefix(made);
    // It has succeeded: whatever happens to the original now must not be taken for a failure of the job.
    else if (!parts.keepOriginals) await parts.objects.delete(upload.objectKey).catch((error: unknown) => log.warn({ err: error }, "an original was not deleted"));
  } catch (error) {
    // A COMMIT whose answer was lost has ended the job all the same, and what was made belongs to it.
    if (await hasSucceeded(db, attempt)) return log.warn({ video_upload_id: upload.id, err: error }, "an attempt succeeded without being told");
    await parts.objects.deletePrefix(made);
    if (lost.signal.aborted) return log.info({ video_upload_id: upload.id }, "the upload was taken away from this attempt");
    await afterFailure(parts, attempt, error);
  } finally {
    clearInterval(watch);
    await rm(folder, { recursive: true, force: true });
  }
}

/** What becomes of a job whose attempt came to nothing: it is put back, has failed, or is tried again. */
async function afterFailure(parts: Parts, attempt: VideoAttempt, error: unknown): Promise<void> {
  const { db, queue, log } = parts;
  const video_upload_id = attempt.videoUploadId;
  const requeue = (settle: (tx: Parameters<Notify>[0]) => Promise<void>) => transaction(db, async (tx) => { if (await requeueAttempt(tx, attempt)) await settle(tx); });
  if (attempt.stopping.aborted) return requeue((tx) => queue.putBackVideo(tx, attempt));
  if (attempt.signal.aborted) {
    await requeueAttempt(db, attempt);
    throw error;
  }
  const isLast = attempt.attempt >= attempt.attemptsMax;
  if (error instanceof MediaFailure && (!error.retryable || isLast)) {
    log.info({ video_upload_id, code: error.code, err: error.cause }, "video job failed");
    return void await finishWith(parts, attempt, (tx) => fail(tx, attempt, error.code, error.detail));
  }
  if (isLast) {
    log.error({ video_upload_id, err: error }, "video job failed for the last time");
    return void await finishWith(parts, attempt, (tx) => fail(tx, attempt, "internal_error", "The video could not be processed for a reason on our side."));
  }
  log.warn({ video_upload_id, attempt: attempt.attempt, err: error }, "video job failed and is tried again");
  await requeue((tx) => queue.retryVideo(tx, attempt, error));
}

/** An attempt whose worker was killed has left whatever it had made so far. */
async function clearEarlier({ objects, scratchDir }: Parts, { videoUploadId, attempt }: VideoAttempt): Promise<void> {
  for (let earlier = 1; earlier < attempt; earlier++) {
    await objects.deletePrefix(`video-uploads/${videoUploadId}/${earlier}`);
    await rm(scratchOf(scratchDir, { videoUploadId, attempt: earlier }), { recursive: true, force: true });
  }
}

/** Every attempt died before it could say why: the upload must end all the same. */
export async function giveUpVideo({ db, notify }: Pick<Parts, "db" | "notify">, videoUploadId: string): Promise<void> {
  await transaction(db, async (tx) => {
    const row = await failUnfinished(tx, videoUploadId, "internal_error", "Processing was interrupted too many times.");
    if (row !== null) await notify(tx, [row.ownerId], notice(row));
  });
}

/** A row without a job is looked at only when it is so old that its job must be visible. */
const RECONCILE_AFTER_MS = 60_000;
const RECONCILE_BATCH = 500;

/** Ends uploads whose job is gone without having told: what should never happen, and must not last if it does. */
export async function reconcileVideos(parts: Pick<Parts, "db" | "notify" | "queue" | "log">): Promise<void> {
  for (const id of await findUnfinished(parts.db, new Date(Date.now() - RECONCILE_AFTER_MS), RECONCILE_BATCH)) {
    if (await parts.queue.isVideoAlive(id)) continue;
    parts.log.warn({ video_upload_id: id }, "an upload had lost its job");
    await giveUpVideo(parts, id);
  }
}

type Run = { readonly folder: string; readonly made: string; readonly progress: { stage: string; percent: number }; readonly signal: AbortSignal };

/** What is in the video, and what is made of it: poster and renditions, each durable under a key of this attempt. */
async function examine({ objects, engine }: Parts, upload: VideoUploadRow, { folder, made, progress, signal }: Run): Promise<StoredResult> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, "original");
  if (!await objects.fetchToFile(upload.objectKey, path)) throw new MediaFailure("internal_error", "The uploaded file is missing.");
  const info = await probe(engine, path, { signal });

  Object.assign(progress, { stage: "transcoding", percent: PROBED_PERCENT });
  const onProgress = ({ percent }: { readonly percent: number }) => {
    progress.percent = PROBED_PERCENT + (percent * (TRANSCODED_PERCENT - PROBED_PERCENT)) / 100;
  };
  const { poster, renditions } = await transcode(engine, path, info, join(folder, "made"), { signal, onProgress });

  Object.assign(progress, { stage: "finishing", percent: TRANSCODED_PERCENT });
  const store = async (file: MediaFile): Promise<StoredFile> => {
    const objectKey = `${made}/${basename(file.path)}`;
    const { sizeBytes, sha256 } = await objects.put(objectKey, createReadStream(file.path), { maxBytes: file.sizeBytes, signal });
    return { objectKey, contentType: file.contentType, width: file.width, height: file.height, sizeBytes, sha256 };
  };
  const storedRenditions = [];
  for (const rendition of renditions) storedRenditions.push({ ...await store(rendition), name: rendition.name, durationMs: rendition.durationMs });
  return {
    container: info.container, durationMs: info.durationMs, width: info.width, height: info.height, videoCodec: info.videoCodec, audioCodec: info.audioCodec,
    poster: await store(poster), renditions: storedRenditions,
  };
}

/** Ends the attempt, its job and tells the owner, all or nothing; false when the attempt is no longer the present one. */
async function finishWith({ db, queue, notify }: Parts, attempt: VideoAttempt, end: (tx: Parameters<Notify>[0]) => Promise<VideoUploadRow | null>): Promise<boolean> {
  return transaction(db, async (tx) => {
    const row = await end(tx);
    if (row === null) return false;
    await queue.completeVideo(tx, attempt);
    await notify(tx, [row.ownerId], notice(row));
    return true;
  });
}

function notice(row: VideoUploadRow): Parameters<Notify>[2] {
  const name = row.name ?? "without a name";
  const resource = { type: "video_upload", id: row.id, href: `/video-uploads/${row.id}` } as const;
  return row.status === "succeeded"
    ? { kind: "video_upload.succeeded", title: `Your video ${name} is ready`, body: null, resource }
    : { kind: "video_upload.failed", title: `Your video ${name} could not be processed`, body: row.errorDetail, resource };
}
