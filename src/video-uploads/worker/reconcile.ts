import type { Logger } from "pino";
import { transaction, type Db } from "../../database/client.ts";
import type { Notify } from "../../notifier.ts";
import { notice } from "./notification.ts";
import { failUnfinished, findWithoutJob, requeueAbandoned } from "../store.ts";

type Parts = { readonly db: Db; readonly notify: Notify; readonly log: Logger };

/** A row without a job is looked at only when it is so old that its job must be visible. */
const RECONCILE_AFTER_MS = 60_000;
const RECONCILE_BATCH = 500;

/** Makes rows agree with their jobs again, where a worker died before it could. */
export async function reconcileVideos(parts: Parts): Promise<void> {
  const { db, log } = parts;
  const requeued = await requeueAbandoned(db);
  if (requeued > 0) log.warn({ requeued }, "uploads whose workers were lost wait again");
  // That a job is gone without having told should never happen, and must not last if it does.
  for (const id of await findWithoutJob(db, new Date(Date.now() - RECONCILE_AFTER_MS), RECONCILE_BATCH)) {
    log.warn({ video_upload_id: id }, "an upload had lost its job");
    await giveUpVideo(parts, id);
  }
}

/** Every attempt died before it could say why: the upload must end all the same. */
export async function giveUpVideo({ db, notify }: Pick<Parts, "db" | "notify">, videoUploadId: string): Promise<void> {
  await transaction(db, async (tx) => {
    const row = await failUnfinished(tx, videoUploadId, "internal_error", "Processing was interrupted too many times.");
    if (row !== null) await notify(tx, [row.ownerId], notice(row));
  });
}
