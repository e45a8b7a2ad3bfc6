import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import { transaction, type Db } from "../../database/client.ts";
import { etagOf } from "../../etag.ts";
import { Failure, notFound } from "../../failure.ts";
import type { JobQueue } from "../../jobs/jobs.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { acceptedUpload, acceptUpload, POLL_SECONDS } from "../service.ts";
import { expectDigest, watchedBy, type Expectation } from "../digests.ts";
import { discardUpload } from "../jobs.ts";
import { UPLOAD_AGE_SECONDS } from "./expire.ts";
import { folderOf } from "../object-keys.ts";
import {
  findPartial,
  findPieces,
  removePartial,
  removeTaken,
  takeBackPieces,
  takePartial,
  type PartialUploadRow,
  type Piece,
} from "./store.ts";
import { createPieceReceiver, isFull } from "./receive-pieces.ts";
import { announcedBytes } from "../receive-body.ts";
import { removeNow } from "../remove-objects.ts";
import { cutAt, lengthFailure, mismatch, tooEarly } from "./failures.ts";
import { createSegments } from "./segments.ts";
import type { StorageQuota } from "../storage-quota.ts";
import { findUpload } from "../store.ts";
import { createTurns, type Turn } from "./appends.ts";

type Parts = {
  readonly db: Db;
  readonly queue: JobQueue;
  readonly quota: StorageQuota;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly maxUploadBytes: number;
  readonly idleMs: number;
};
/** One request that adds to an upload: `isLast` says that nothing follows, `offset` is null when it begins the upload. */
export type Append = {
  readonly ownerId: string;
  readonly id: string;
  readonly offset: number | null;
  readonly isLast: boolean;
  readonly body: Readable;
  readonly contentDigest?: string | undefined;
  readonly reprDigest?: string | undefined;
};

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/**
 * Uploads that survive broken connections, after draft-ietf-httpbis-resumable-upload-11. What a request brings, up to
 * where it breaks, is one durable piece; the pieces are joined when the last one is there. At most one request adds to an
 * upload: a later one stops an earlier one in this process, and shuts out one in any other (the draft's "Concurrency").
 */
export function createResumableUploads({ db, queue, quota, objects, log, maxUploadBytes, idleMs }: Parts) {
  const pieceReceiver = createPieceReceiver({ db, quota, objects, maxUploadBytes });
  const turns = createTurns<Awaited<ReturnType<typeof complete>>>();

  /** What is announced; `max-age` is what is left of it. */
  const limitOf = ({ createdAt } = { createdAt: new Date() }) => {
    const leftSeconds = Math.max(0, UPLOAD_AGE_SECONDS - Math.floor((Date.now() - createdAt.getTime()) / 1_000));
    return `max-size=${maxUploadBytes}, min-append-size=${pieceReceiver.leastPieceBytes}, max-age=${leftSeconds}`;
  };

  const headersOf = (offset: number, isComplete: boolean, row?: PartialUploadRow) =>
    ({ "Upload-Offset": offset, "Upload-Complete": isComplete ? "?1" : "?0", "Upload-Limit": limitOf(row) }) as const;

  /** Joins the pieces and makes the job. A crash on the way leaves the upload as it was, to be completed again. */
  async function complete(row: PartialUploadRow, writer: string, added: readonly Piece[], whole: Expectation | null) {
    const pieces = await findPieces(db, row.id);
    const sizeBytes = sizeOf(pieces);
    if (sizeBytes === 0) throw new Failure("malformed_body", "The upload is empty. Send the bytes of the video.");
    if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes)
      throw lengthFailure(
        `Upload-Length is ${row.lengthBytes} bytes, but only ${sizeBytes} have arrived. They are kept; send the rest.`,
      );
    const [first] = pieces;
    const isWhole = pieces.length === 1 && first !== undefined;
    // Under a key of its own: who has lost the upload to another writer meanwhile must not overwrite what that one has made.
    const objectKey = isWhole ? first.key : `${folderOf(row.id)}/joined/${writer}`;
    const bytes = watchedBy(joined(pieces, sizeBytes), whole);
    const { sha256 } = isWhole ? first : await objects.put(objectKey, bytes, { maxBytes: sizeBytes, expectedBytes: sizeBytes });
    if (isWhole && whole !== null) for await (const _ of bytes);
    const refusal = whole?.refusal() ?? null;
    if (refusal !== null) {
      if (!isWhole) await objects.delete(objectKey);
      await takeBack(row, writer, added);
      throw refusal;
    }
    const accepted = await transaction(db, async (tx) => {
      if (!(await removeTaken(tx, row.id, writer))) return null;
      const { id, ownerId, name } = row;
      return acceptUpload(tx, { queue, quota }, { id, ownerId, name, objectKey, sizeBytes, sha256 });
    });
    if (accepted === null) {
      if (!isWhole) await objects.delete(objectKey);
      throw mismatch(sizeBytes, false);
    }
    if (!isWhole) await removeNow(objects, log, `${folderOf(row.id)}/pieces`);
    return { ...accepted, headers: { ...accepted.headers, ...headersOf(sizeBytes, true) } };
  }

  /** A request that is refused has changed nothing. */
  async function takeBack(row: PartialUploadRow, writer: string, added: readonly Piece[]): Promise<void> {
    if (!(await transaction(db, (tx) => takeBackPieces(tx, row, writer)))) return;
    for (const { key } of added) await objects.delete(key);
  }

  async function* joined(pieces: readonly Piece[], sizeBytes: number): AsyncGenerator<Buffer> {
    for (const { key } of pieces) {
      const piece = await objects.get(key);
      // Another process has joined them, or somebody has given the upload up.
      if (piece === null) throw mismatch(sizeBytes, false);
      for await (const chunk of piece.stream) yield chunk as Buffer;
    }
  }

  return {
    limitOf,
    mismatch,

    async append({ ownerId, id, offset, isLast, body, contentDigest, reprDigest }: Append) {
      if (reprDigest !== undefined && !isLast) throw tooEarly();
      const [content, whole] = [expectDigest("Content-Digest", contentDigest), expectDigest("Repr-Digest", reprDigest)];
      const joining = turns.present(turnOf(ownerId, id))?.joining;
      // The last bytes are there, only the answer was lost: it is the same one.
      if (isLast && joining !== null && joining !== undefined && offset === joining.sizeBytes) return joining.answer;
      const agrees = async () => {
        const row = await findPartial(db, ownerId, id);
        return row !== null && offset === row.offsetBytes;
      };
      const work = async (turn: Turn<Awaited<ReturnType<typeof complete>>>) => {
        const writer = randomUUID();
        const row = await takePartial(db, ownerId, id, writer);
        if (row === null) {
          const finished = await findUpload(db, ownerId, id);
          throw finished === null ? notFound("upload") : mismatch(Number(finished.sizeBytes), true);
        }
        if (offset !== null && offset !== row.offsetBytes) throw mismatch(row.offsetBytes, false);
        const announced = announcedBytes(body);
        if (!isLast && announced !== null && offset !== null && pieceReceiver.isShort(row, announced))
          throw pieceReceiver.tooShort(row);
        // Of bytes that can be checked only together, a part does not count.
        turn.segments = createSegments(body, { idleMs, isAllOrNothing: content !== null || isFull(row) });
        const received = await pieceReceiver.receivePieces(row, writer, turn.segments, { content, isLast });
        if (received.isCut) throw cutAt(received.offset);
        if (!isLast) return { status: 204, headers: headersOf(received.offset, false, row) } as const;
        turn.joining = { sizeBytes: received.offset, answer: complete(row, writer, received.added, whole) };
        return turn.joining.answer;
      };
      return turns.take(turnOf(ownerId, id), body, { agrees, work });
    },

    /** How far an upload has come. Whoever is still sending goes on; what that has brought up to now is put on record. */
    async state(ownerId: string, id: string) {
      await turns.settled(turnOf(ownerId, id));
      const row = await findPartial(db, ownerId, id);
      if (row !== null) return headersOf(row.offsetBytes, false, row);
      const finished = await findUpload(db, ownerId, id);
      if (finished === null) throw notFound("upload");
      return headersOf(Number(finished.sizeBytes), true);
    },

    /** The 202 of an upload that is complete, as it was when it was completed. */
    async finished(ownerId: string, id: string) {
      const row = await findUpload(db, ownerId, id);
      if (row === null) throw notFound("upload");
      const body = acceptedUpload(row);
      const headers = { Location: `/video-uploads/${id}`, ETag: etagOf(body), "Retry-After": POLL_SECONDS } as const;
      return { status: 202, headers: { ...headers, "Idempotency-Replayed": "true" }, body } as const;
    },

    async giveUp(ownerId: string, id: string): Promise<void> {
      await turns.quiet(turnOf(ownerId, id));
      await transaction(db, async (tx) => {
        if (!(await removePartial(tx, ownerId, id))) throw notFound("upload");
        await discardUpload(tx, queue, id);
      });
      await removeNow(objects, log, folderOf(id));
    },
  };
}

/** Turns are their owner's: whoever merely knows the id of somebody else's upload can neither stop it nor wait for it. */
const turnOf = (ownerId: string, id: string) => `${ownerId} ${id}`;

const sizeOf = (pieces: readonly Piece[]) => pieces.reduce((sum, it) => sum + it.sizeBytes, 0);
