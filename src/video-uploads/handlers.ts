import type { Handlers, Input, Operations, Output, Schemas } from "../contract/contract.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { etagOf } from "../util/etag.ts";
import { orNotFound } from "../failure.ts";
import { openWindow, page } from "../pagination/list.ts";
import { digestsIn } from "./digests.ts";
import { download } from "./download.ts";
import { playbackHandlers } from "./playback/handlers.ts";
import type { PlaybackParts } from "./playback/service.ts";
import { mismatch } from "./resumable/failures.ts";
import { leastPieceBytes } from "./resumable/receive-pieces.ts";
import { append, beginTransfer, deleteTransfer, findTransfer, openTransfers, sendFirstBytes } from "./resumable/service.ts";
import { UPLOAD_AGE_SECONDS, type Transfer, type TransferParts } from "./resumable/service.ts";
import { createUpload, deleteUpload, readOriginal, readResult, readUpload, type UploadParts } from "./service.ts";
import { createStorageQuota } from "./objects/storage-quota.ts";
import { findUploads, removeUpload, type StoredFile, type StoredResult, type VideoUploadRow } from "./store.ts";
import type { Waits } from "../long-poll/waits.ts";
import { toAcceptedUpload, toVideoUpload } from "./wire.ts";

type HandlerParts = Omit<UploadParts, "quota"> &
  PlaybackParts & { readonly maxStoredBytesPerUser: number; readonly keepOriginals: boolean };
type DownloadInput = Pick<Input<"getVideoPoster">, "principal" | "path" | "header">;

/** How long a client should wait before it polls an unfinished upload again. */
const POLL_SECONDS = 1;
const REPLAYED = { "Idempotency-Replayed": "true" } as const;

/** The end of a job. What has changed before that is new only to a client that says what it has. */
export const videoUploadWaits: Pick<Waits, "getVideoUpload"> = {
  getVideoUpload: ({ path }) => ({ topic: `video_upload:${path.job_id}`, isNothing: (body) => !isOver(body) }),
};

const isOver = ({ status }: Schemas["VideoUpload"]) => status === "succeeded" || status === "failed";

export function videoUploadHandlers(given: HandlerParts): Operations<"Video uploads" | "Playback"> {
  const { db, cursors, objects } = given;
  const parts = { ...given, quota: createStorageQuota(db, given.maxStoredBytesPerUser, objects.retainDeletedMs) };
  const transfers = openTransfers(parts);
  const sendFile = async ({ principal, path, header }: DownloadInput, fileOf: (result: StoredResult) => StoredFile) => {
    const find = async () => fileOf(await readResult(db, principal.userId, path.job_id));
    return download(objects, await find(), header, { requireRow: find });
  };
  return {
    ...transferHandlers(transfers),
    ...playbackHandlers(given),

    createVideoUpload: (input) =>
      input.header["Upload-Complete"] === undefined
        ? createUpload(parts, input, digestsIn(input.header), (row) => acceptedAnswer(row, {}))
        : beginUpload(transfers, input),

    async listVideoUploads(input) {
      const window = openWindow(cursors, input, BY_CREATION);
      const rows = await findUploads(db, input.principal.userId, input.query.status, window);
      return { status: 200, body: page(window, rows, toVideoUpload) };
    },

    async getVideoUpload({ principal, path }) {
      const body = toVideoUpload(await readUpload(db, principal.userId, path.job_id));
      return { status: 200, headers: { ETag: etagOf(body), ...(isOver(body) ? {} : { "Retry-After": POLL_SECONDS }) }, body };
    },

    getVideoPoster: (input) => sendFile(input, ({ poster }) => poster),

    getVideoRendition: (input) =>
      sendFile(input, ({ renditions }) => orNotFound(renditions.find((it) => it.name === input.path.name) ?? null, "rendition")),

    async getVideoOriginal({ principal, path, header }) {
      const { name, ...original } = await readOriginal(parts, principal.userId, path.job_id);
      const file = { ...original, contentType: "application/octet-stream" };
      const requireRow = () => readOriginal(parts, principal.userId, path.job_id);
      return download(objects, file, header, { requireRow, shownAs: { type: "attachment", name: name ?? "video" } });
    },

    async deleteVideoUpload({ principal, path }) {
      await deleteUpload(parts, path.job_id, (tx) => removeUpload(tx, { id: path.job_id, ownerId: principal.userId }));
      return { status: 204 };
    },
  };
}

type TransferHandlers = Pick<Handlers, "getUploadTransfer" | "updateUploadTransfer" | "deleteUploadTransfer">;

const transferHandlers = (transfers: TransferParts): TransferHandlers => ({
  async getUploadTransfer({ principal, path }) {
    return { status: 204, headers: headersOf(transfers, await findTransfer(transfers, principal.userId, path.job_id)) };
  },

  async updateUploadTransfer({ principal, path, header, body }) {
    const transfer = await append(transfers, {
      ownerId: principal.userId,
      id: path.job_id,
      offset: Number(header["Upload-Offset"]),
      isLast: header["Upload-Complete"] === "?1",
      body,
      digests: digestsIn(header),
    });
    const headers = headersOf(transfers, transfer);
    return transfer.accepted === null ? { status: 204, headers } : acceptedAnswer(transfer.accepted, headers);
  },

  async deleteUploadTransfer({ principal, path }) {
    await deleteTransfer(transfers, principal.userId, path.job_id);
    return { status: 204 };
  },
});

/** Begins a resumable upload: the POST of a plain upload with `Upload-Complete`. */
async function beginUpload(transfers: TransferParts, input: Input<"createVideoUpload">): Promise<Output<"createVideoUpload">> {
  const { principal, header, body } = input;
  const isLast = header["Upload-Complete"] === "?1";
  const lengthBytes = header["Upload-Length"] === undefined ? null : Number(header["Upload-Length"]);
  const stored = (id: string) => ({ status: 204, body: { id } });
  const { id, isFresh } = await beginTransfer(transfers, input, { isLast, lengthBytes }, stored);
  const location = `/video-uploads/${id}/transfer`;
  input.announceUpload({ location, limit: limitOf(transfers) });
  const first = { ownerId: principal.userId, id, isFresh, isLast, body, digests: digestsIn(header) };
  const transfer = await sendFirstBytes(transfers, first);
  const { offsetBytes, accepted } = transfer;
  const headers = headersOf(transfers, transfer);
  if (isFresh)
    return accepted === null ? { status: 204, headers: { Location: location, ...headers } } : acceptedAnswer(accepted, headers);
  // A retry gets the same status as the first request, even if the upload is complete by now.
  if (!isLast) return { status: 204, headers: { Location: location, ...REPLAYED, ...headers } };
  if (accepted === null) throw mismatch(offsetBytes, false, location);
  return acceptedAnswer(accepted, REPLAYED);
}

/** The 202 response for an upload. Except for the headers in `more`, it is the same for every request. */
function acceptedAnswer<More extends object>(row: VideoUploadRow, more: More) {
  const body = toAcceptedUpload(row);
  const headers = { Location: `/video-uploads/${row.id}`, ETag: etagOf(body), "Retry-After": POLL_SECONDS, ...more };
  return { status: 202, headers, body } as const;
}

const headersOf = (transfers: TransferParts, { offsetBytes, accepted, begunAt }: Transfer) =>
  ({
    "Upload-Offset": offsetBytes,
    "Upload-Complete": accepted === null ? "?0" : "?1",
    "Upload-Limit": limitOf(transfers, begunAt),
  }) as const;

/** The value of `Upload-Limit`. `max-age` is the remaining time. */
function limitOf(transfers: TransferParts, begunAt = new Date()): string {
  const leftSeconds = Math.max(0, UPLOAD_AGE_SECONDS - Math.floor((Date.now() - begunAt.getTime()) / 1_000));
  return `max-size=${transfers.maxUploadBytes}, min-append-size=${leastPieceBytes(transfers)}, max-age=${leftSeconds}`;
}
