import { cancelVideo, retryVideo } from "../../src/video-uploads/admin/service.ts";
import { processVideo } from "../../src/video-uploads/jobs.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import { findObserved, type FindObservedRow } from "../../src/video-uploads/store.ts";
import { ageOf, requireYes } from "./arguments.ts";
import { audit } from "./audit.ts";
import { printAll, type Position } from "./pages.ts";
import { SILENT, type CommandParts, type Work } from "./parts.ts";

function jobOf({ jobState, startAfter, silentSeconds }: FindObservedRow): string {
  if (jobState === null) return "no job";
  if (silentSeconds !== null) return `its worker sent a heartbeat ${ageOf(silentSeconds)} ago`;
  if (startAfter === null) return `its job is ${jobState}`;
  return new Date(startAfter) > new Date() ? `its job waits until ${startAfter}` : "its job waits for a worker";
}

const toJson = (it: FindObservedRow) => ({
  id: it.id,
  owner_id: it.ownerId,
  name: it.name,
  status: it.status,
  age_seconds: it.ageSeconds,
  attempt: it.attempt,
  error_code: it.errorCode,
  created_at: it.createdAt,
  job: it.jobState,
  job_starts_at: it.startAfter,
  worker_silent_seconds: it.silentSeconds,
});

const toLine = (it: FindObservedRow) =>
  `${it.id}  ${it.errorCode ?? it.status} for ${ageOf(it.ageSeconds)}, attempt ${it.attempt}, ${jobOf(it)}; user ${it.ownerId}`;

const UNFINISHED = ["queued", "processing"];

type Wanted = Position & { readonly state?: string | undefined; readonly olderThan: number; readonly json: boolean };

export const list =
  ({ state, olderThan: olderThanSeconds, json, ...position }: Wanted): Work =>
  async ({ db, openJobs }) => {
    const statuses = state === undefined ? UNFINISHED : [state];
    // Creates the tables of the queue if the service has never run.
    await openJobs();
    const find = (after: string | null, take: number) =>
      findObserved(db, { queue: processVideo.name, statuses, olderThanSeconds, after, limit: take });
    const printed = await printAll(find, (it) => (json ? JSON.stringify(toJson(it)) : toLine(it)), position);
    return printed === 0 && !json ? `There are no such videos.` : undefined;
  };

async function envOf({ config, db, openJobs, openObjects }: CommandParts) {
  const objects = await openObjects();
  const quota = createStorageQuota(db, config.MAX_STORED_BYTES_PER_USER, objects.retainDeletedMs);
  return { db, log: SILENT, queue: (await openJobs()).queue, objects, quota };
}

type OfVideo = { readonly videoId: string; readonly json: boolean };

export const retry =
  ({ videoId: id, json }: OfVideo): Work =>
  async (parts) => {
    const queued = await retryVideo(await envOf(parts), id);
    await audit(parts, "video.retry", { video_upload_id: id, queued_id: queued });
    if (json) return JSON.stringify({ id, queued_id: queued });
    return queued === id ? `The video ${id} is queued again.` : `The file of ${id} is queued as the new upload ${queued}.`;
  };

export function cancel({ videoId: id, yes, json }: OfVideo & { readonly yes: boolean }): Work {
  requireYes(yes, `This ends the video ${id} as failed, permanently, and notifies its owner.`);
  return async (parts) => {
    await cancelVideo(await envOf(parts), id);
    await audit(parts, "video.cancel", { video_upload_id: id });
    return json ? JSON.stringify({ id, status: "failed" }) : `The video ${id} has failed now, and its owner is notified.`;
  };
}
