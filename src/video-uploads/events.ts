import { z } from "zod";
import type { EventSources, StoredEvent } from "../contract/events.ts";
import type { Connections } from "../database/client.ts";
import { nullIfUnreadable } from "../failure.ts";
import { readUpload } from "./service.ts";
import { toVideoUpload } from "./wire.ts";

const ids = z.object({ job_id: z.uuid() });

const ended = {
  scope: "video_uploads:read",
  async data({ db }: Connections, { ownerId, ids: storedIds, mayRead }: StoredEvent) {
    const { job_id } = ids.parse(storedIds);
    const row = mayRead ? await nullIfUnreadable(readUpload(db, ownerId, job_id)) : null;
    return { job_id, video_upload: row && toVideoUpload(row) };
  },
} as const;

/** The events at the end of a video upload. */
export const videoUploadEventSources: Pick<EventSources<Connections>, "video_upload.succeeded" | "video_upload.failed"> = {
  "video_upload.succeeded": ended,
  "video_upload.failed": ended,
};
