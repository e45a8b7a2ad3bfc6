import type { Input, Operations } from "../contract/contract.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { etagOf } from "../util/etag.ts";
import { orNotFound } from "../failure.ts";
import type { Cursors } from "../lists/cursor.ts";
import { openWindow, page } from "../lists/list.ts";
import { download } from "./download.ts";
import { resumableHandlers } from "./resumable/handlers.ts";
import { createUpload, deleteUpload, POLL_SECONDS, readResult, readUpload, type UploadParts } from "./service.ts";
import { createStorageQuota } from "./storage-quota.ts";
import { findUploads, removeUpload, type StoredFile, type StoredResult } from "./store.ts";
import { toVideoUpload } from "./wire.ts";

type Parts = Omit<UploadParts, "quota"> & { readonly cursors: Cursors; readonly maxStoredBytesPerUser: number };

export function videoUploadHandlers(given: Parts): Operations<"Video uploads"> {
  const { db, cursors, objects } = given;
  const parts = { ...given, quota: createStorageQuota(db, given.maxStoredBytesPerUser, objects.keepDeletedMs) };
  const { beginUpload, ...transferHandlers } = resumableHandlers(parts);
  type DownloadInput = Pick<Input<"getVideoPoster">, "principal" | "path" | "header">;
  const sendFile = async ({ principal, path, header }: DownloadInput, fileOf: (result: StoredResult) => StoredFile) => {
    const find = async () => fileOf(await readResult(db, principal.userId, path.job_id));
    return download(objects, await find(), header, find);
  };
  return {
    ...transferHandlers,

    createVideoUpload: (input) =>
      input.header["Upload-Complete"] === undefined ? createUpload(parts, input) : beginUpload(input),

    async listVideoUploads(input) {
      const window = openWindow(cursors, input, BY_CREATION);
      const rows = await findUploads(db, input.principal.userId, input.query.status, window);
      return { status: 200, body: page(window, rows, toVideoUpload) };
    },

    async getVideoUpload({ principal, path }) {
      const body = toVideoUpload(await readUpload(db, principal.userId, path.job_id));
      const isOver = body.status === "succeeded" || body.status === "failed";
      return { status: 200, headers: { ETag: etagOf(body), ...(isOver ? {} : { "Retry-After": POLL_SECONDS }) }, body };
    },

    getVideoPoster: (input) => sendFile(input, ({ poster }) => poster),

    getVideoRendition: (input) =>
      sendFile(input, ({ renditions }) => orNotFound(renditions.find((it) => it.name === input.path.name) ?? null, "rendition")),

    async deleteVideoUpload({ principal, path }) {
      await deleteUpload(parts, path.job_id, (tx) => removeUpload(tx, principal.userId, path.job_id));
      return { status: 204 };
    },
  };
}
