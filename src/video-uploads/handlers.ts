import type { Operations } from "../contract/contract.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { etagOf } from "../etag.ts";
import { notFound } from "../failure.ts";
import type { Cursors } from "../lists/cursor.ts";
import { list } from "../lists/list.ts";
import { download } from "./download.ts";
import { resumableHandlers } from "./resumable/handlers.ts";
import { createUpload, deleteUpload, POLL_SECONDS, readResult, readUpload, type UploadParts } from "./service.ts";
import { createStorageQuota } from "./storage-quota.ts";
import { findUploads, removeUpload } from "./store.ts";
import { toVideoUpload } from "./wire.ts";

type Parts = Omit<UploadParts, "quota"> & { readonly cursors: Cursors; readonly maxStoredBytesPerUser: number };

export function videoUploadHandlers(given: Parts): Operations<"Video uploads"> {
  const { db, cursors, objects } = given;
  const parts = { ...given, quota: createStorageQuota(db, given.maxStoredBytesPerUser) };
  const { beginUpload, ...transferHandlers } = resumableHandlers(parts);
  return {
    ...transferHandlers,

    createVideoUpload: (input) =>
      input.header["Upload-Complete"] === undefined ? createUpload(parts, input) : beginUpload(input),

    listVideoUploads: (input) =>
      list(cursors, input, {
        order: BY_CREATION,
        find: (window) => findUploads(db, input.principal.userId, input.query.status, window),
        toWire: toVideoUpload,
      }),

    async getVideoUpload({ principal, path }) {
      const body = toVideoUpload(await readUpload(db, principal.userId, path.job_id));
      const isOver = body.status === "succeeded" || body.status === "failed";
      return { status: 200, headers: { ETag: etagOf(body), ...(isOver ? {} : { "Retry-After": POLL_SECONDS }) }, body };
    },

    async getVideoPoster({ principal, path, header }) {
      const find = () => readResult(db, principal.userId, path.job_id);
      const { poster } = await find();
      return download(objects, poster, { header, requireRow: find });
    },

    async getVideoRendition({ principal, path, header }) {
      const find = () => readResult(db, principal.userId, path.job_id);
      const rendition = (await find()).renditions.find((it) => it.name === path.name);
      if (rendition === undefined) throw notFound("rendition");
      return download(objects, rendition, { header, requireRow: find });
    },

    async deleteVideoUpload({ principal, path }) {
      await deleteUpload(parts, path.job_id, (tx) => removeUpload(tx, principal.userId, path.job_id));
      return { status: 204 };
    },
  };
}
