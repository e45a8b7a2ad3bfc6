import type { Handlers, Input, Output } from "../../contract/contract.ts";
import { acceptedResponse } from "../accepted-response.ts";
import { digestsIn } from "../digests.ts";
import { mismatch } from "./failures.ts";
import * as service from "./service.ts";
import type { Transfer, TransferParts } from "./service.ts";
import { toTransferHeaders, toUploadLimit } from "./wire.ts";

const REPLAYED = { "Idempotency-Replayed": "true" } as const;

type TransferHandlers = Pick<Handlers, "getUploadTransfer" | "updateUploadTransfer" | "deleteUploadTransfer">;

export const transferHandlers = (transfers: TransferParts): TransferHandlers => ({
  async getUploadTransfer({ principal, path }) {
    const transfer = await service.findTransfer(transfers, principal.userId, path.job_id);
    return { status: 204, headers: headersOf(transfers, transfer) };
  },

  async updateUploadTransfer({ principal, path, header, body }) {
    const transfer = await service.append(transfers, {
      ownerId: principal.userId,
      id: path.job_id,
      offset: Number(header["Upload-Offset"]),
      isLast: header["Upload-Complete"] === "?1",
      body,
      digests: digestsIn(header),
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
  const { principal, header, body } = input;
  const isLast = header["Upload-Complete"] === "?1";
  const lengthBytes = header["Upload-Length"] === undefined ? null : Number(header["Upload-Length"]);
  const stored = (id: string) => ({ status: 204, body: { id } });
  const { id, isFresh } = await service.beginTransfer(transfers, input, { isLast, lengthBytes }, stored);
  const location = `/video-uploads/${id}/transfer`;
  input.announceUpload({ location, limit: toUploadLimit(service.limitsOf(transfers)) });
  const first = { ownerId: principal.userId, id, isFresh, isLast, body, digests: digestsIn(header) };
  const transfer = await service.storeFirstBytes(transfers, first);
  const { offsetBytes, accepted } = transfer;
  const headers = headersOf(transfers, transfer);
  if (isFresh)
    return accepted === null ? { status: 204, headers: { Location: location, ...headers } } : acceptedResponse(accepted, headers);
  // A retry gets the same status as the first request, even if the upload is complete by now.
  if (!isLast) return { status: 204, headers: { Location: location, ...REPLAYED, ...headers } };
  if (accepted === null) throw mismatch(offsetBytes, false, location);
  return acceptedResponse(accepted, REPLAYED);
}

const headersOf = (transfers: TransferParts, transfer: Transfer) =>
  toTransferHeaders(transfer, service.limitsOf(transfers, transfer.begunAt));
