import { randomUUIDv7 } from "node:crypto";
import type { Operations, Output, Schemas } from "../contract.ts";
import type { Cursors } from "../cursor.ts";
import { transaction, type Db } from "../db/client.ts";
import { once } from "../db/idempotency.ts";
import { etagOf } from "../etag.ts";
import { Failure, notFound } from "../failure.ts";
import type { Queue } from "../jobs/queue.ts";
import { createdPosition, pageByTime } from "../pagination.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { download } from "./download.ts";
import { receive } from "./receive.ts";
import { videoResult, type StoredResult } from "./result.ts";
import { findUpload, findUploads, insertUpload, removeUpload, type VideoUploadRow } from "./store.ts";

type Parts = { readonly db: Db; readonly cursors: Cursors; readonly queue: Queue; readonly objects: ObjectStore; readonly maxUploadBytes: number };

type Area = "createVideoUpload" | "listVideoUploads" | "getVideoUpload" | "deleteVideoUpload" | "getVideoPoster" | "getVideoRendition";

/** How long a client should wait before it asks again. */
const POLL_SECONDS = 1;

/** Everything that is stored for an upload has a key below this. */
const folderOf = (id: string) => `video-uploads/${id}`;

export function videoUploadHandlers({ db, cursors, queue, objects, maxUploadBytes }: Parts): Operations<Area> {
  return {
    /** Bytes first, then row, job and key in one transaction: no 202 without a job, no job without its bytes. */
    async createVideoUpload({ principal, query, header, body }) {
      const id = randomUUIDv7();
      const objectKey = `${folderOf(id)}/original`;
      const { sizeBytes, sha256 } = await receive(objects, objectKey, body, { maxBytes: maxUploadBytes, contentDigest: header["Content-Digest"] });
      const name = query.name ?? null;
      let accepted = false;
      try {
        const request = { name, sizeBytes, sha256 };
        const answer = await once<Output<"createVideoUpload">>(db, { userId: principal.userId, operationId: "createVideoUpload", key: header["Idempotency-Key"], request }, async (tx) => {
          const row = await insertUpload(tx, { id, ownerId: principal.userId, name, objectKey, sizeBytes, sha256 });
          await queue.enqueueVideo(tx, id, principal.userId);
          return { status: 202, headers: { Location: `/video-uploads/${id}`, "Retry-After": POLL_SECONDS }, body: videoUpload(row) };
        });
        accepted = answer.body.id === id;
        return answer;
      } finally {
        // A replay or a failure: the first upload's bytes count, not these.
        if (!accepted) await objects.deletePrefix(folderOf(id));
      }
    },

    async listVideoUploads({ principal, query }) {
      const { status } = query;
      const { rows, page } = await pageByTime(cursors, { operation: "listVideoUploads", status }, query,
        (window) => findUploads(db, principal.userId, status, window), createdPosition);
      return { status: 200, body: { data: rows.map(videoUpload), page } };
    },

    async getVideoUpload({ principal, path }) {
      const row = await findUpload(db, principal.userId, path.job_id);
      if (row === null) throw notFound("video upload");
      const body = videoUpload(row);
      const isOver = row.status === "succeeded" || row.status === "failed";
      return { status: 200, headers: { ETag: etagOf(body), ...(isOver ? {} : { "Retry-After": POLL_SECONDS }) }, body };
    },

    async getVideoPoster({ principal, path, header }) {
      const { poster } = await requireResult(principal.userId, path.job_id);
      return download(objects, poster, { range: header.Range, ifRange: header["If-Range"] });
    },

    async getVideoRendition({ principal, path, header }) {
      const { renditions } = await requireResult(principal.userId, path.job_id);
      const rendition = renditions.find((it) => it.name === path.name);
      if (rendition === undefined) throw notFound("rendition");
      return download(objects, rendition, { range: header.Range, ifRange: header["If-Range"] });
    },

    /** The row goes first, and a running job with it: its next write finds nothing to write to, and it stops. */
    async deleteVideoUpload({ principal, path }) {
      await transaction(db, async (tx) => {
        if (!await removeUpload(tx, principal.userId, path.job_id)) throw notFound("video upload");
        await queue.removeVideo(tx, path.job_id);
      });
      await objects.deletePrefix(folderOf(path.job_id));
      return { status: 204 };
    },
  };

  async function requireResult(ownerId: string, id: string): Promise<StoredResult> {
    const row = await findUpload(db, ownerId, id);
    if (row === null) throw notFound("video upload");
    if (row.status === "failed") throw new Failure("not_ready", "The job has failed, so nothing was made of the video.");
    if (row.status !== "succeeded") throw new Failure("not_ready", "The job is still on the way; wait until it has succeeded.");
    return row.result as StoredResult;
  }
}

/** Row to wire, field by field, so that a new column is never sent by accident. */
function videoUpload(row: VideoUploadRow): Schemas["VideoUpload"] {
  return {
    id: row.id,
    status: row.status as Schemas["VideoUploadStatus"],
    name: row.name,
    size_bytes: Number(row.sizeBytes),
    sha256: row.sha256,
    progress: { percent: row.percent, stage: row.stage },
    attempt: row.attempt,
    error: row.errorCode === null ? null : { code: row.errorCode, detail: row.errorDetail ?? "" },
    result: row.result === null ? null : videoResult(row.id, row.result as StoredResult),
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}
