/** The entry point for the worker: its jobs and their dependencies. */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import type { Db } from "../../database/client.ts";
import { scheduled, withWork } from "../../jobs/job.ts";
import { EVERY_MINUTE, HOURLY } from "../../jobs/queues.ts";
import { makeFolder, unusableFolder } from "../../util/make-folder.ts";
import { removeUnfinished, type ObjectStore } from "../../storage/object-store.ts";
import { videoDeadLetters, processVideo } from "../jobs.ts";
import { findEngine } from "../../media/engine.ts";
import { UPLOAD_AGE_SECONDS } from "../resumable/limits.ts";
import { expireUploads } from "../resumable/service.ts";
import { purgeAllExpired, UNFINISHED_AGE_MS } from "../objects/removal.ts";
import { createStorageQuota } from "../objects/storage-quota.ts";
import { purgeRunningTime, releaseAbandoned } from "../store.ts";
import { collectOrphans } from "../objects/orphan-gc.ts";
import { runAttempt } from "./attempt.ts";
import { failInterrupted, reconcileVideos, type OutcomeEnv } from "./outcome.ts";
import { loadResultCheck } from "./result-check.ts";
import { removeAbandonedScratch } from "./scratch.ts";

type StoreEnv = { readonly objects: ObjectStore };

export const videoUploadJobs = [
  withWork(videoDeadLetters, async (env: OutcomeEnv & { readonly scratchDir: string }, { videoUploadId }) => {
    await failInterrupted(env, videoUploadId);
    await removeAbandonedScratch(env);
  }),
  withWork(processVideo, runAttempt),
  scheduled(EVERY_MINUTE, "kept_objects", purgeAllExpired),
  scheduled(EVERY_MINUTE, "reconcile_video_uploads", reconcileVideos),
  scheduled(HOURLY, "unfinished_uploads", expireUploads),
  scheduled(HOURLY, "video_running_time", ({ db }: { readonly db: Db }) => purgeRunningTime(db)),
  scheduled(HOURLY, "reservations", ({ db }: { readonly db: Db }) => releaseAbandoned(db, { ageSeconds: UPLOAD_AGE_SECONDS })),
  scheduled(HOURLY, "scratch_folders", removeAbandonedScratch),
  scheduled(HOURLY, "unfinished_puts", ({ objects }: StoreEnv) => removeUnfinished(objects, UNFINISHED_AGE_MS)),
  scheduled(HOURLY, "orphaned_objects", collectOrphans),
] as const;

type VideoWorkerEnv = StoreEnv & { readonly db: Db; readonly log: Logger };

/** Finds the engine and creates the scratch folder. Throws a StartupError if videos can't be processed. */
export async function openVideoWorker(config: Config, dataDir: string, { db, objects, log }: VideoWorkerEnv) {
  const engine = findEngine({ mode: config.MEDIA_ENGINE, ffmpegPath: config.FFMPEG_PATH, searchPath: config.PATH });
  // Shows operators which engine reads uploaded files, and in which sandbox.
  const { prlimit, active, missing } = engine.sandbox;
  const found = { engine: engine.description, sandbox: active, ...(missing.length === 0 ? {} : { sandbox_lacks: missing }) };
  if (prlimit !== null) log.info(found, "the media engine");
  else log.warn(found, "the media engine runs without limits: setpriv and prlimit (util-linux) are missing or forbidden");
  const scratchDir = join(dataDir, "scratch");
  try {
    await makeFolder(scratchDir);
    // ffmpeg may run as another user, which must not reach the files of other uploads.
    await chmod(scratchDir, 0o700);
  } catch (error) {
    throw unusableFolder(dataDir, error);
  }
  await removeAbandonedScratch({ scratchDir, log });
  return {
    engine,
    scratchDir,
    quota: createStorageQuota(db, config.MAX_STORED_BYTES_PER_USER, objects.retainDeletedMs),
    minFreeBytes: config.MIN_FREE_BYTES,
    checkResult: loadResultCheck(),
    concurrency: config.VIDEO_CONCURRENCY,
    budgetSeconds: config.VIDEO_MINUTES_PER_USER * 60,
    keepOriginals: config.KEEP_ORIGINALS,
  };
}
