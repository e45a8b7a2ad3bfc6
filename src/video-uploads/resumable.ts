import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import type { Logger } from "pino";
import { transaction, type Db } from "../db/client.ts";
import { etagOf } from "../etag.ts";
import { contentTooLarge, Failure, notFound } from "../failure.ts";
import type { Queue } from "../jobs/queue.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { acceptedUpload, acceptUpload, POLL_SECONDS } from "./accept.ts";
import { expectDigest, watchedBy, type Expectation } from "./digests.ts";
import { folderOf } from "./keys.ts";
import {
  addPiece,
  findPartial,
  findPieces,
  removePartial,
  removeTaken,
  takeBackPieces,
  takePartial,
  type PartialUploadRow,
  type Piece,
} from "./partial-store.ts";
import { announcedBytes, metered, put } from "./receive.ts";
import { removeNow } from "./remove-objects.ts";
import { createSegments, type Segments } from "./segments.ts";
import type { StorageQuota } from "./storage-quota.ts";
import { findUpload } from "./store.ts";
import { createTurns, type Turn } from "./turns.ts";

type Parts = {
  readonly db: Db;
  readonly queue: Queue;
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

/** How long an upload may take in all. */
export const UPLOAD_AGE_SECONDS = 24 * 3600;

/** What a piece should have at least, and what the largest video is then sent in, with room for broken connections. */
const PIECE_LEAST_BYTES = 256 * 1024;
const PIECES_FOR_LARGEST = 8_000;
const PIECES_MAX = 10_000;
/** From how many pieces on a short one is refused. */
const SHORT_PIECES_MAX = 100;

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

/**
 * Uploads that survive broken connections, after draft-ietf-httpbis-resumable-upload-11. What a request brings, up to
 * where it breaks, is one durable piece; the pieces are joined when the last one is there. At most one request adds to an
 * upload: a later one stops an earlier one in this process, and shuts out one in any other (the draft's "Concurrency").
 */
export function createResumableUploads({ db, queue, quota, objects, log, maxUploadBytes, idleMs }: Parts) {
  const turns = createTurns<Awaited<ReturnType<typeof complete>>>();
  const leastPieceBytes = Math.max(PIECE_LEAST_BYTES, Math.ceil(maxUploadBytes / PIECES_FOR_LARGEST));

  /** What is announced; `max-age` is what is left of it. */
  const limitOf = ({ createdAt } = { createdAt: new Date() }) => {
    const leftSeconds = Math.max(0, UPLOAD_AGE_SECONDS - Math.floor((Date.now() - createdAt.getTime()) / 1_000));
    return `max-size=${maxUploadBytes}, min-append-size=${leastPieceBytes}, max-age=${leftSeconds}`;
  };

  const headersOf = (offset: number, isComplete: boolean, row?: PartialUploadRow) =>
    ({ "Upload-Offset": offset, "Upload-Complete": isComplete ? "?1" : "?0", "Upload-Limit": limitOf(row) }) as const;

  /** Some short pieces are nobody's harm, and connections break; many would be. The last one may always come. */
  const isShort = ({ pieceCount }: PartialUploadRow, sizeBytes: number) =>
    pieceCount >= PIECES_MAX || (pieceCount >= SHORT_PIECES_MAX && sizeBytes < leastPieceBytes);

  function tooShort({ pieceCount }: PartialUploadRow): Failure {
    const detail =
      pieceCount >= PIECES_MAX
        ? `The upload has ${pieceCount} pieces, which is the most: send all that is left as the last one.`
        : `The upload has ${pieceCount} pieces: send ${leastPieceBytes} bytes or more at once, or the last ones.`;
    return new Failure("validation_failed", detail, {
      errors: [{ in: "header", pointer: "/content-length", code: "minimum", detail }],
    });
  }

  async function receiveNext(
    row: PartialUploadRow,
    writer: string,
    segments: Segments,
    { content, isLast }: { content: Expectation | null; isLast: boolean },
  ): Promise<{ offset: number; added: readonly Piece[]; isCut: boolean }> {
    const lengthBytes = row.lengthBytes ?? maxUploadBytes;
    const refusal = (error: unknown) =>
      row.lengthBytes === null
        ? contentTooLarge("A video", maxUploadBytes, error)
        : lengthFailure(`Upload-Length announced ${lengthBytes} bytes, and more have come.`);
    const meter = quota.meter({ id: row.id, ownerId: row.ownerId, isResumable: true }, row.lengthBytes ?? 0);
    let offset = row.offsetBytes;
    const added: Piece[] = [];
    try {
      while (!segments.isOver()) {
        const key = `${folderOf(row.id)}/pieces/${writer}-${added.length}`;
        const earlierBytes = offset;
        const maxBytes = lengthBytes - earlierBytes;
        const source = metered(watchedBy(segments.segment(), content), (bytes) => meter(earlierBytes + bytes));
        const bounds = { maxBytes, expectedBytes: row.lengthBytes === null ? undefined : maxBytes, refusal };
        const { sizeBytes, sha256 } = await put(objects, key, source, bounds);
        const wrong = segments.isCut() ? null : (content?.refusal() ?? null);
        if (wrong !== null) {
          await objects.delete(key);
          throw wrong;
        }
        if (!isLast && segments.isOver() && !segments.isCut() && added.length === 0 && isShort(row, sizeBytes)) {
          await objects.delete(key);
          throw tooShort(row);
        }
        const isFull = row.pieceCount + added.length >= PIECES_MAX;
        const counts = sizeBytes > 0 && (segments.isCut() ? segments.keepsTail() && !isFull : true);
        const piece = { key, sizeBytes, sha256 };
        if (counts && (await addPiece(db, row.id, writer, piece))) {
          added.push(piece);
          offset += sizeBytes;
        } else {
          await objects.delete(key);
          if (counts) return { offset, added, isCut: true };
        }
        segments.recorded();
      }
      return { offset, added, isCut: segments.isCut() };
    } finally {
      segments.end();
    }
  }

  /** Joins the pieces and makes the job. A crash on the way leaves the upload as it was, to be completed again. */
  async function complete(row: PartialUploadRow, writer: string, added: readonly Piece[], whole: Expectation | null) {
    const pieces = await findPieces(db, row.id);
    const sizeBytes = sizeOf(pieces);
    if (sizeBytes === 0) throw new Failure("malformed_body", "The upload is empty; send the bytes of the video.");
    if (row.lengthBytes !== null && row.lengthBytes !== sizeBytes)
      throw lengthFailure(
        `Upload-Length announced ${row.lengthBytes} bytes, and ${sizeBytes} have arrived; they are kept, send the others.`,
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

  function mismatch(offset: number, isComplete: boolean, location?: string): Failure {
    const detail = isComplete ? "The upload is complete." : `The upload has ${offset} bytes; go on from there.`;
    const place = location === undefined ? {} : { Location: location };
    return new Failure("upload_offset_mismatch", detail, {
      headers: { "Upload-Offset": String(offset), "Upload-Complete": isComplete ? "?1" : "?0", ...place },
    });
  }

  /** Whoever was too slow is told where to go on; one whose connection broke does not read it. */
  function cutAt(offset: number): Failure {
    const detail = `The bytes came too slowly. What had come is kept: the upload has ${offset} bytes; go on from there.`;
    return new Failure("request_timeout", detail, {
      headers: { "Upload-Offset": String(offset), "Upload-Complete": "?0" },
    });
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
        if (!isLast && announced !== null && offset !== null && isShort(row, announced)) throw tooShort(row);
        // Of bytes that can be checked only together, a part does not count.
        turn.segments = createSegments(body, { idleMs, isAllOrNothing: content !== null || row.pieceCount >= PIECES_MAX });
        const received = await receiveNext(row, writer, turn.segments, { content, isLast });
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
        await queue.removeVideo(tx, id);
      });
      await removeNow(objects, log, folderOf(id));
    },
  };
}

/** Turns are their owner's: whoever merely knows the id of somebody else's upload can neither stop it nor wait for it. */
const turnOf = (ownerId: string, id: string) => `${ownerId} ${id}`;

/** It would have to be kept until the last bytes come; with them it can be sent. */
function tooEarly(): Failure {
  const detail = "Repr-Digest is for the whole video: send it with the last bytes, where Upload-Complete is ?1.";
  return new Failure("validation_failed", detail, {
    errors: [{ in: "header", pointer: "/repr-digest", code: "conflicting_parameters", detail }],
  });
}

function lengthFailure(detail: string): Failure {
  return new Failure("validation_failed", detail, {
    errors: [{ in: "header", pointer: "/upload-length", code: "upload_length", detail }],
  });
}

const sizeOf = (pieces: readonly Piece[]) => pieces.reduce((sum, it) => sum + it.sizeBytes, 0);
