import type { Handlers, Input, Output } from "../../contract/contract.ts";
import { acceptedResponse } from "../accepted-response.ts";
import { digestsIn } from "../digests.ts";
import { mismatch } from "./failures.ts";
import { limitsOf } from "./limits.ts";
import * as service from "./service.ts";
import type { TransferParts } from "./service.ts";
import type { Transfer } from "./transfer.ts";
import { toTransferHeaders, toUploadLimit } from "./wire.ts";

/** The value of `Upload-Limit` for an upload that has not begun. */
export const uploadLimit = (maxUploadBytes: number): string => toUploadLimit(limitsOf({ maxUploadBytes }));

const REPLAYED = { "Idempotency-Replayed": "true" } as const;

type TransferHandlers = Pick<Handlers, "getUploadTransfer" | "updateUploadTransfer" | "deleteUploadTransfer">;

export const transferHandlers = (transfers: TransferParts): TransferHandlers => ({
  async getUploadTransfer({ principal, path }) {
    const transfer = await service.findTransfer(transfers, principal.userId, path.job_id);
    const { lengthBytes } = transfer;
    const length = lengthBytes === null ? {} : { "Upload-Length": lengthBytes };
    return { status: 204, headers: { ...headersOf(transfers, transfer), ...length } };
  },

  async updateUploadTransfer({ principal, path, header, body, announceOffset }) {
    const transfer = await service.append(transfers, {
      ownerId: principal.userId,
      id: path.job_id,
      offset: Number(header["Upload-Offset"]),
      isLast: header["Upload-Complete"] === "?1",
      announcedBytes: announcedIn(header),
      body,
      digests: digestsIn(header),
      onStored: announceOffset,
    });
    const headers = headersOf(transfers, transfer);
    return transfer.accepted === null ? { status: 204, headers } : acceptedResponse(transfer.accepted, headers);
  },

  async deleteUploadTransfer({ principal, path }) {
    await service.deleteTransfer(transfers, principal.userId, path.job_id);
    return { status: 204 };
  },
});

/** Begins a resumable upload: `createVideoUpload` with `Upload-Complete`. */
export async function beginUpload(
  transfers: TransferParts,
  input: Input<"createVideoUpload">,
): Promise<Output<"createVideoUpload">> {
  const { principal, header, body, announceOffset: onStored } = input;
  const isLast = header["Upload-Complete"] === "?1";
  const announcedBytes = announcedIn(header);
  const stored = (id: string) => ({ status: 204, body: { id } });
  const { id, isFresh } = await service.beginTransfer(transfers, input, { isLast, announcedBytes }, stored);
  const location = `/video-uploads/${id}/transfer`;
  input.announceUpload({ location, limit: toUploadLimit(limitsOf(transfers)) });
  const first = { ownerId: principal.userId, id, isFresh, isLast, announcedBytes, body, digests: digestsIn(header), onStored };
  const transfer = await service.storeFirstBytes(transfers, first);
  const { offsetBytes, accepted } = transfer;
  const headers = headersOf(transfers, transfer);
  if (isFresh)
    return accepted === null ? { status: 204, headers: { Location: location, ...headers } } : acceptedResponse(accepted, headers);
  // A retry gets the same status as the first request, even if the upload is complete by now.
  if (!isLast) return { status: 204, headers: { Location: location, ...REPLAYED, ...headers } };
  if (accepted === null) throw mismatch(offsetBytes, false);
  return acceptedResponse(accepted, REPLAYED);
}

const headersOf = (transfers: TransferParts, transfer: Transfer) =>
  toTransferHeaders(transfer, limitsOf(transfers, transfer.begunAt));

const announcedIn = ({ "Upload-Length": length }: { readonly "Upload-Length"?: string }) =>
  length === undefined ? null : Number(length);
