import { randomUUIDv7 } from "node:crypto";
import type { Logger } from "pino";
import type { Input, Operations, Output } from "../contract/contract.ts";
import type { Cursors } from "../lists/cursor.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { isAnswered, once } from "../idempotency/idempotency.ts";
import { etagOf } from "../etag.ts";
import { Failure, notFound } from "../failure.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import { list } from "../lists/list.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { acceptUpload, POLL_SECONDS, videoUpload } from "./service.ts";
import { expectDigest } from "./digests.ts";
import { download } from "./download.ts";
import { discardUpload } from "./jobs.ts";
import { folderOf } from "./object-keys.ts";
import { announcedBytes, receive } from "./receive-body.ts";
import { removeNow } from "./remove-objects.ts";
import { resumableHandlers } from "./resumable/handlers.ts";
import type { StoredResult } from "./wire.ts";
import { createStorageQuota } from "./storage-quota.ts";
import { findUpload, findUploads, removeUpload } from "./store.ts";

type Parts = {
  readonly db: Db;
  readonly cursors: Cursors;
  readonly queue: JobQueue;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly maxUploadBytes: number;
  readonly maxStoredBytesPerUser: number;
  readonly idleMs: number;
};

export function videoUploadHandlers(parts: Parts): Operations<"Video uploads"> {
  const { db, cursors, queue, objects, log, maxUploadBytes, idleMs } = parts;
  const quota = createStorageQuota(db, parts.maxStoredBytesPerUser);
  const { begin, ...transferHandlers } = resumableHandlers({ ...parts, quota });
  return {
    ...transferHandlers,

    createVideoUpload(input) {
      return input.header["Upload-Complete"] === undefined ? createPlain(input) : begin(input);
    },

    listVideoUploads: (input) =>
      list(cursors, input, {
        order: BY_CREATION,
        find: (window) => findUploads(db, input.principal.userId, input.query.status, window),
        toWire: videoUpload,
      }),

    async getVideoUpload({ principal, path }) {
      const row = await findUpload(db, principal.userId, path.job_id);
      if (row === null) throw notFound("video upload");
      const body = videoUpload(row);
      const isOver = row.status === "succeeded" || row.status === "failed";
      return { status: 200, headers: { ETag: etagOf(body), ...(isOver ? {} : { "Retry-After": POLL_SECONDS }) }, body };
    },

    async getVideoPoster({ principal, path, header }) {
      const find = () => requireResult(principal.userId, path.job_id);
      const { poster } = await find();
      return download(objects, poster, { header, requireRow: find });
    },

    async getVideoRendition({ principal, path, header }) {
      const find = () => requireResult(principal.userId, path.job_id);
      const rendition = (await find()).renditions.find((it) => it.name === path.name);
      if (rendition === undefined) throw notFound("rendition");
      return download(objects, rendition, { header, requireRow: find });
    },

    /**
     * The row goes first, and a running job with it: its next write finds nothing to write to, and it stops. With the row
     * a job is made that removes the bytes should the store fail now: the sweep would leave them for a day, and has to, as
     * whoever connects the service to a wrong database by mistake must have time to notice.
     */
    async deleteVideoUpload({ principal, path }) {
      await transaction(db, async (tx) => {
        if (!(await removeUpload(tx, principal.userId, path.job_id))) throw notFound("video upload");
        await discardUpload(tx, queue, path.job_id);
      });
      await removeNow(objects, log, folderOf(path.job_id));
      return { status: 204 };
    },
  };

  /** The room of an upload first, which becomes its row's. */
  async function createPlain(input: Input<"createVideoUpload">): Promise<Output<"createVideoUpload">> {
    const { userId } = input.principal;
    const claimant = { id: randomUUIDv7(), ownerId: userId, isResumable: false };
    const room = await quota.open(claimant, announcedBytes(input.body), () => isAnswered(db, input));
    try {
      return await store(claimant.id, room.meter, input);
    } finally {
      await room.close().catch((error: unknown) => log.warn({ err: error }, "the room of an upload was not given back yet"));
    }
  }

  /** Bytes first, then row, job and key in one transaction. */
  async function store(
    id: string,
    meter: (bytes: number) => Promise<void>,
    input: Input<"createVideoUpload">,
  ): Promise<Output<"createVideoUpload">> {
    const { principal, query, header, body } = input;
    const objectKey = `${folderOf(id)}/original`;
    const expected = [
      expectDigest("Content-Digest", header["Content-Digest"]),
      expectDigest("Repr-Digest", header["Repr-Digest"]),
    ];
    const bounds = { idleMs, meter, maxBytes: maxUploadBytes, expected };
    const { sizeBytes, sha256 } = await receive(objects, objectKey, body, bounds);
    const upload = { id, ownerId: principal.userId, name: query.name ?? null, objectKey, sizeBytes, sha256 };
    const content = { name: upload.name, sizeBytes, sha256 };
    try {
      const accept = (tx: Tx): Promise<Accepted> => acceptUpload(tx, { queue, quota }, upload);
      const answer = await once(db, input, accept, { content });
      // A replay: the first upload's bytes count, not these.
      if (answer.body.id !== id) await objects.deletePrefix(folderOf(id));
      return answer;
    } catch (error) {
      // Only a refusal says for certain that there is no row. A COMMIT whose answer was lost may have made one; bytes that turn out to be nobody's are swept later.
      if (error instanceof Failure) await objects.deletePrefix(folderOf(id));
      throw error;
    }
  }

  async function requireResult(ownerId: string, id: string): Promise<StoredResult> {
    const row = await findUpload(db, ownerId, id);
    if (row === null) throw notFound("video upload");
    if (row.status === "failed") throw new Failure("not_ready", "The job has failed, so there is no result.");
    if (row.status !== "succeeded") throw new Failure("not_ready", "The job is still in progress. Wait until it has succeeded.");
    return row.result as StoredResult;
  }
}

type Accepted = Extract<Output<"createVideoUpload">, { readonly status: 202 }>;
