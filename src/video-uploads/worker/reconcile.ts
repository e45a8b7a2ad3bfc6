import { unfinishedJobs } from "../../jobs/store.ts";
import { processVideo } from "../jobs.ts";
import { findWithoutJob, requeueAbandoned } from "../store.ts";
import { failInterrupted, type OutcomeEnv } from "./outcome.ts";

/** A row without a job is looked at only when it is so old that its job must be visible. */
const RECONCILE_AFTER_MS = 60_000;
const RECONCILE_BATCH = 500;

/** Makes rows agree with their jobs again, where a worker died before it could. */
export async function reconcileVideos(env: OutcomeEnv): Promise<void> {
  const { db, log } = env;
  const jobs = unfinishedJobs(processVideo);
  const requeued = await requeueAbandoned(db, jobs);
  if (requeued > 0) log.warn({ requeued }, "uploads whose workers were lost wait again");
  // That a job is gone without a trace should never happen, and must not last if it does.
  for (const id of await findWithoutJob(db, jobs, new Date(Date.now() - RECONCILE_AFTER_MS), RECONCILE_BATCH)) {
    log.warn({ video_upload_id: id }, "an upload had lost its job");
    await failInterrupted(env, id);
  }
}
