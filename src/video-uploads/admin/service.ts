import { randomUUIDv7 } from "node:crypto";
import { transaction } from "../../database/client.ts";
import { StartupError } from "../../util/startup-error.ts";
import { processVideo } from "../jobs.ts";
import { folderOf, removeObjectsNow } from "../objects/object-keys.ts";
import { acceptUpload, type UploadParts } from "../service.ts";
import { failUnfinished, findLocked, requeueUnfinished, type VideoUploadRow } from "../store.ts";
import { endUpload, type OutcomeEnv } from "../worker/outcome.ts";

type Env = OutcomeEnv & Pick<UploadParts, "queue" | "objects" | "quota">;

/** The maximum of `attempt` in the contract. */
const ATTEMPTS_MAX = 100;
const CANCELLED = "The operator of the service has cancelled the processing of this video.";

const noSuchVideo = (id: string) => new StartupError(`There is no video ${id}.`);

/**
 * Processes a video again, with a new job. A failed video never changes, so its bytes become a new upload. Returns the queued id.
 */
export async function retryVideo(env: Env, id: string): Promise<string> {
  const { db, queue } = env;
  const failed = await transaction(db, async (tx) => {
    const row = await findLocked(tx, id);
    if (row === null) throw noSuchVideo(id);
    if (row.status === "succeeded") throw new StartupError(`The video ${id} has succeeded.`);
    if (row.status === "failed") return row;
    if (row.attempt >= ATTEMPTS_MAX)
      throw new StartupError(`The video ${id} has had all its ${ATTEMPTS_MAX} attempts. Cancel it.`);
    await requeueUnfinished(tx, id);
    await queue.remove(tx, processVideo, id);
    const position = { lane: 0, behindSeconds: 0 };
    await queue.enqueue(tx, processVideo, { videoUploadId: id }, { id, position, attemptsBefore: row.attempt });
    return null;
  });
  return failed === null ? id : uploadAgain(env, failed);
}

async function uploadAgain(env: Env, failed: VideoUploadRow): Promise<string> {
  const { db, objects } = env;
  const { ownerId, name, sizeBytes, sha256 } = failed;
  const original = await objects.get(failed.objectKey);
  if (original === null) throw new StartupError(`The file of the video ${failed.id} is missing.`);
  const id = randomUUIDv7();
  const objectKey = `${folderOf(id)}/original`;
  const upload = { id, ownerId, name, objectKey, sizeBytes: Number(sizeBytes), sha256 };
  try {
    const copied = await objects.put(objectKey, original.stream, { maxBytes: upload.sizeBytes });
    if (copied.sha256 !== sha256)
      throw new StartupError(`The file of the video ${failed.id} has other bytes than those uploaded.`);
    await transaction(db, (tx) => acceptUpload(tx, env, upload));
  } catch (error) {
    if (error instanceof StartupError) await removeObjectsNow(env, folderOf(id));
    throw error;
  }
  return id;
}

/** Fails an unfinished video, and notifies its owner. Throws a StartupError if the video has ended already. */
export async function cancelVideo(env: Env, id: string): Promise<void> {
  const { db, queue } = env;
  const ended = await endUpload(env, async (tx) => {
    const row = await failUnfinished(tx, id, "internal_error", CANCELLED);
    if (row !== null) await queue.remove(tx, processVideo, id);
    return row;
  });
  if (ended) return;
  const row = await transaction(db, (tx) => findLocked(tx, id));
  throw row === null ? noSuchVideo(id) : new StartupError(`The video ${id} has ended already: it has ${row.status}.`);
}
