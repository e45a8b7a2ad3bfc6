import { etagOf } from "../util/etag.ts";
import type { VideoUploadRow } from "./store.ts";
import { toAcceptedUpload } from "./wire.ts";

/** How long a client should wait before it polls an unfinished upload again. */
export const POLL_SECONDS = 1;

/** The 202 response for an upload. Except for `more`, it is the same for every retry. */
export function acceptedResponse<More extends object>(row: VideoUploadRow, more: More) {
  const body = toAcceptedUpload(row);
  const headers = { Location: `/video-uploads/${row.id}`, ETag: etagOf(body), "Retry-After": POLL_SECONDS, ...more };
  return { status: 202, headers, body } as const;
}
