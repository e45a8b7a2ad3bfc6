import { processVideo } from "../jobs.ts";
import { findWithoutJob, requeueAbandoned } from "../store.ts";
import { failInterrupted, type OutcomeEnv } from "./outcome.ts";

/** Younger rows are ignored, because their job may not be visible yet. */
const RECONCILE_AFTER_MS = 60_000;
const RECONCILE_BATCH = 500;

/** Makes rows agree with their jobs again after a worker has died. */
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
