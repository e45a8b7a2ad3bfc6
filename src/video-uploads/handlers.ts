import type { Operations, Schemas } from "../contract/contract.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { etagOf, requireMatch } from "../util/etag.ts";
import { parsePage, page } from "../pagination/list.ts";
import { acceptedResponse, POLL_SECONDS } from "./accepted-response.ts";
import { digestsIn } from "./digests.ts";
import { downloadHandlers } from "./download-handlers.ts";
import { playbackHandlers } from "./playback/handlers.ts";
import type { PlaybackParts } from "./playback/service.ts";
import { beginUpload, transferHandlers } from "./resumable/handlers.ts";
import { openTransfers } from "./resumable/service.ts";
import { createUpload, deleteUpload, readUpload, type UploadParts } from "./service.ts";
import { createStorageQuota } from "./objects/storage-quota.ts";
import { findLocked, findUploads, removeUpload } from "./store.ts";
import type { Waits } from "../long-poll/waits.ts";
import { toVideoUpload } from "./wire.ts";

type HandlerParts = Omit<UploadParts, "quota"> &
  PlaybackParts & { readonly maxStoredBytesPerUser: number; readonly keepOriginals: boolean };

/** A wait ends with the job. A client that sends its entity tag also waits for earlier changes. */
export const videoUploadWaits: Pick<Waits, "getVideoUpload"> = {
  getVideoUpload: ({ path }) => ({ topic: `video_upload:${path.job_id}`, isEmpty: (body) => !isOver(body) }),
};

const isOver = ({ status }: Schemas["VideoUpload"]) => status === "succeeded" || status === "failed";

export function videoUploadHandlers(withoutQuota: HandlerParts): Operations<"Video uploads" | "Playback"> {
  const { db, cursors, objects, maxStoredBytesPerUser } = withoutQuota;
  const parts = { ...withoutQuota, quota: createStorageQuota(db, maxStoredBytesPerUser, objects.retainDeletedMs) };
  const transfers = openTransfers(parts);
  return {
    ...transferHandlers(transfers),
    ...downloadHandlers(parts),
    ...playbackHandlers(parts),

    createVideoUpload: (input) =>
      input.header["Upload-Complete"] === undefined
        ? createUpload(parts, input, digestsIn(input.header), (row) => acceptedResponse(row, {}))
        : beginUpload(transfers, input),

    async listVideoUploads(input) {
      const pageRequest = parsePage(cursors, input, BY_CREATION);
      const rows = await findUploads(db, input.principal.userId, input.query.status, pageRequest);
      return { status: 200, body: page(pageRequest, rows, toVideoUpload) };
    },

    async getVideoUpload({ principal, path }) {
      const body = toVideoUpload(await readUpload(db, principal.userId, path.job_id));
      return { status: 200, headers: { ETag: etagOf(body), ...(isOver(body) ? {} : { "Retry-After": POLL_SECONDS }) }, body };
    },

    async deleteVideoUpload({ principal: { userId: ownerId }, path: { job_id: id }, header }) {
      await deleteUpload(parts, id, async (tx) => {
        // Without a precondition, also a video can be deleted that this version can't show.
        const row = header["If-Match"] === undefined ? null : await findLocked(tx, id);
        if (row?.ownerId === ownerId) requireMatch(header["If-Match"], etagOf(toVideoUpload(row)), "video upload");
        return removeUpload(tx, { id, ownerId });
      });
      return { status: 204 };
    },
  };
}
