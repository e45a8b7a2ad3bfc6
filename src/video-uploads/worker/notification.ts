import type { Notify } from "../../notifier.ts";
import type { VideoUploadRow } from "../store.ts";

/** What the owner of an upload is told when it has ended. */
export function notice(row: VideoUploadRow): Parameters<Notify>[2] {
  const name = row.name ?? "without a name";
  const resource = { type: "video_upload", id: row.id, href: `/video-uploads/${row.id}` } as const;
  const subjectId = row.id;
  return row.status === "succeeded"
    ? { kind: "video_upload.succeeded", title: `Your video ${name} is ready`, body: null, subjectId, resource }
    : {
        kind: "video_upload.failed",
        title: `Your video ${name} could not be processed`,
        body: row.errorDetail,
        subjectId,
        resource,
      };
}
