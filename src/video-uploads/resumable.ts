import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { transaction, type Db } from "../db/client.ts";
import { Failure, notFound } from "../failure.ts";
import type { Queue } from "../jobs/queue.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { acceptUpload, folderOf, POLL_SECONDS, videoUpload } from "./accept.ts";
import { removePartial, removeTaken, setPieces, takePartial, type PartialUploadRow, type Piece } from "./partial-store.ts";
import { receivePiece } from "./receive.ts";
import { findUpload } from "./store.ts";

type Parts = { readonly db: Db; readonly queue: Queue; readonly objects: ObjectStore; readonly maxUploadBytes: number };
/** One request that adds to an upload: `isLast` says that nothing follows, `offset` is null when it begins the upload. */
export type Append = { readonly ownerId: string; readonly id: string; readonly offset: number | null; readonly isLast: boolean; readonly body: Readable };

/** How long an upload may take in all. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/**
 * Uploads that survive broken connections, after draft-ietf-httpbis-resumable-upload. What a request brings, up to
 * where it breaks, is one durable piece; the pieces are joined when the last one is there. At most one request adds to an
 * upload: a later one stops an earlier one in this process, and shuts out one in any other (the draft's "Concurrency").
 */
export function createResumableUploads({ db, queue, objects, maxUploadBytes }: Parts) {
  const receiving = new Map<string, { readonly body: Readable; readonly done: Promise<unknown> }>();
  const limit = `max-size=${maxUploadBytes}, max-age=${UPLOAD_AGE_SECONDS}`;

  const headersOf = (offset: number, isComplete: boolean) =>
    ({ "Upload-Offset": offset, "Upload-Complete": isComplete ? "?1" : "?0", "Upload-Limit": limit }) as const;

  async function take(ownerId: string, id: string, writer: string): Promise<PartialUploadRow | null> {
    const earlier = receiving.get(id);
    earlier?.body.destroy();
    await earlier?.done.catch(() => undefined);
    return takePartial(db, ownerId, id, writer);
  }

  async function receiveNext(row: PartialUploadRow, writer: string, body: Readable): Promise<{ pieces: readonly Piece[]; isCut: boolean }> {
    const key = `${folderOf(row.id)}/pieces/${writer}`;
    const { sizeBytes, sha256, isCut } = await receivePiece(objects, key, body, { maxBytes: maxUploadBytes - sizeOf(row.pieces), limitBytes: maxUploadBytes });
    if (sizeBytes === 0) {
      await objects.delete(key);
      return { pieces: row.pieces, isCut };
    }
    const pieces = [...row.pieces, { key, sizeBytes, sha256 }];
    if (await setPieces(db, row.id, writer, pieces)) return { pieces, isCut };
    await objects.delete(key);
    return { pieces: row.pieces, isCut: true };
  }

  /** Joins the pieces and makes the job. A crash on the way leaves the upload as it was, to be completed again. */
  async function complete(row: PartialUploadRow, writer: string, pieces: readonly Piece[]) {
    const sizeBytes = sizeOf(pieces);
    if (sizeBytes === 0) throw new Failure("malformed_body", "The upload is empty; send the bytes of the video.");
    if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes) {
      const detail = `Upload-Length announced ${row.lengthBytes} bytes, and ${sizeBytes} have arrived.`;
      throw new Failure("validation_failed", detail, { errors: [{ in: "header", pointer: "/upload-complete", code: "upload_length", detail }] });
    }
    const [first] = pieces;
    const isWhole = pieces.length === 1 && first !== undefined;
    const objectKey = isWhole ? first.key : `${folderOf(row.id)}/original`;
    const { sha256 } = isWhole ? first : await objects.put(objectKey, joined(objects, pieces), { maxBytes: sizeBytes });
    const accepted = await transaction(db, async (tx) => {
      if (!await removeTaken(tx, row.id, writer)) throw mismatch(sizeBytes, false);
      return acceptUpload(tx, queue, { id: row.id, ownerId: row.ownerId, name: row.name, objectKey, sizeBytes, sha256 });
    });
    if (!isWhole) await objects.deletePrefix(`${folderOf(row.id)}/pieces`);
    return { ...accepted, headers: { ...accepted.headers, ...headersOf(sizeBytes, true) } };
  }

  function mismatch(offset: number, isComplete: boolean): Failure {
    const detail = isComplete ? "The upload is complete." : `The upload has ${offset} bytes; go on from there.`;
    return new Failure("upload_offset_mismatch", detail, { headers: { "Upload-Offset": String(offset), "Upload-Complete": isComplete ? "?1" : "?0" } });
  }

  return {
    limit,

    async append({ ownerId, id, offset, isLast, body }: Append) {
      const writer = randomUUID();
      const row = await take(ownerId, id, writer);
      if (row === null) {
        const finished = await findUpload(db, ownerId, id);
        throw finished === null ? notFound("upload") : mismatch(Number(finished.sizeBytes), true);
      }
      const present = sizeOf(row.pieces);
      if (offset !== null && offset !== present) throw mismatch(present, false);
      const done = receiveNext(row, writer, body);
      receiving.set(id, { body, done });
      const { pieces, isCut } = await done.finally(() => receiving.delete(id));
      if (isCut) throw new Failure("request_timeout", "The connection broke; ask how much has arrived, and go on from there.");
      return isLast ? complete(row, writer, pieces) : ({ status: 204, headers: headersOf(sizeOf(pieces), false) } as const);
    },

    /** How far an upload has come; whoever is still sending to it is stopped, so that the number holds. */
    async state(ownerId: string, id: string) {
      const row = await take(ownerId, id, randomUUID());
      if (row !== null) return headersOf(sizeOf(row.pieces), false);
      const finished = await findUpload(db, ownerId, id);
      if (finished === null) throw notFound("upload");
      return headersOf(Number(finished.sizeBytes), true);
    },

    /** The job of an upload that has become one meanwhile, as the 202 that was lost. */
    async finished(ownerId: string, id: string) {
      const row = await findUpload(db, ownerId, id);
      if (row === null) return null;
      return { status: 202, headers: { Location: `/video-uploads/${id}`, "Retry-After": POLL_SECONDS, "Idempotency-Replayed": "true" }, body: videoUpload(row) } as const;
    },

    async giveUp(ownerId: string, id: string): Promise<void> {
      if (await take(ownerId, id, randomUUID()) === null || !await removePartial(db, ownerId, id)) throw notFound("upload");
      await objects.deletePrefix(folderOf(id));
    },
  };
}

const sizeOf = (pieces: readonly Piece[]) => pieces.reduce((sum, it) => sum + it.sizeBytes, 0);

async function* joined(objects: ObjectStore, pieces: readonly Piece[]): AsyncGenerator<Buffer> {
  for (const { key } of pieces) {
    const piece = await objects.get(key);
    if (piece === null) throw new Error(`The piece ${key} is missing.`);
    for await (const chunk of piece.stream) yield chunk as Buffer;
  }
}
