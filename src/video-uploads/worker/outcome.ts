import type { Logger } from "pino";
import { transaction, type Db, type Tx } from "../../database/client.ts";
import type { Notify } from "../../notifier.ts";
import { failUnfinished, type VideoUploadRow } from "../store.ts";

/** What it takes to end an upload and tell its owner. */
export type OutcomeEnv = { readonly db: Db; readonly notify: Notify; readonly log: Logger };

/** What the owner of an upload is told when it has ended. */
function noticeOf(row: VideoUploadRow): Parameters<Notify>[2] {
  const name = row.name ?? "without a name";
  const about = {
    subjectId: row.id,
    resource: { type: "video_upload", id: row.id, href: `/video-uploads/${row.id}` },
  } as const;
  return row.status === "succeeded"
    ? { ...about, kind: "video_upload.succeeded", title: `Your video ${name} is ready`, body: null }
    : { ...about, kind: "video_upload.failed", title: `Your video ${name} could not be processed`, body: row.errorDetail };
}

/** Ends an upload and tells its owner, all or nothing; false when there was nothing to end. */
export function endUpload({ db, notify }: OutcomeEnv, end: (tx: Tx) => Promise<VideoUploadRow | null>): Promise<boolean> {
  return transaction(db, async (tx) => {
    const row = await end(tx);
    if (row !== null) await notify(tx, [row.ownerId], noticeOf(row));
    return row !== null;
  });
}

/** Ends an upload whose every attempt died before it could say why. */
export async function failInterrupted(env: OutcomeEnv, videoUploadId: string): Promise<void> {
  const detail = "Processing was interrupted too many times.";
  await endUpload(env, (tx) => failUnfinished(tx, videoUploadId, "internal_error", detail));
}
