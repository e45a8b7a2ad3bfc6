import { randomUUIDv7 } from "node:crypto";
import type { Handlers } from "../../contract/contract.ts";
import { contentTooLarge, Failure } from "../../failure.ts";
import { inProgress, once } from "../../idempotency/idempotency.ts";
import type { UploadParts } from "../service.ts";
import { mismatch } from "./failures.ts";
import { createResumableUploads } from "./service.ts";

type Transfers = Pick<Handlers, "getUploadTransfer" | "updateUploadTransfer" | "deleteUploadTransfer">;

/** The operations of resumable uploads. `beginUpload` handles the POST of a plain upload with `Upload-Complete`. */
export function resumableHandlers(parts: UploadParts): Transfers & { beginUpload: Handlers["createVideoUpload"] } {
  const { db, maxUploadBytes } = parts;
  const uploads = createResumableUploads(parts);
  return {
    async beginUpload(input) {
      const { principal, query, header, body } = input;
      const ownerId = principal.userId;
      const lengthBytes = header["Upload-Length"] === undefined ? null : Number(header["Upload-Length"]);
      if (lengthBytes !== null && lengthBytes > maxUploadBytes) throw contentTooLarge("A video", maxUploadBytes);
      const fresh = { id: randomUUIDv7(), ownerId, name: query.name ?? null, lengthBytes };
      const isLast = header["Upload-Complete"] === "?1";
      // The idempotency key covers the new upload and not its bytes, which can stop at any point. A retry finds the same upload.
      const content = { resumable: true, isLast, name: fresh.name, lengthBytes };
      const begun = await once(
        db,
        // What is stored is the id, and not the response.
        { ...input, checkResponse: () => undefined },
        async (tx) => {
          await uploads.begin(tx, fresh);
          return { status: 204, body: { id: fresh.id } };
        },
        { content, isStillValid: (tx, earlier) => uploads.isPresent(tx, ownerId, earlier.body.id) },
      );
      const { id } = begun.body;
      const location = `/video-uploads/${id}/transfer`;
      input.announceUpload({ location, limit: uploads.limitOf() });
      try {
        if (id !== fresh.id) {
          const state = await uploads.state(ownerId, id);
          // A retry gets the same status as the first request, even if the upload is complete by now.
          if (!isLast) return { status: 204, headers: { Location: location, "Idempotency-Replayed": "true", ...state } };
          if (state["Upload-Complete"] === "?1") return await uploads.finished(ownerId, id);
          throw mismatch(state["Upload-Offset"], false, location);
        }
        const response = await uploads.append({ ownerId, id, offset: null, isLast, body, digests: header });
        return response.status === 202 ? response : { status: 204, headers: { Location: location, ...response.headers } };
      } catch (error) {
        // The upload was deleted during this request. A retry begins a new one.
        throw error instanceof Failure && error.code === "not_found" ? inProgress(error) : error;
      }
    },

    async getUploadTransfer({ principal, path }) {
      return { status: 204, headers: await uploads.state(principal.userId, path.job_id) };
    },

    updateUploadTransfer({ principal, path, header, body }) {
      return uploads.append({
        ownerId: principal.userId,
        id: path.job_id,
        offset: Number(header["Upload-Offset"]),
        isLast: header["Upload-Complete"] === "?1",
        body,
        digests: header,
      });
    },

    async deleteUploadTransfer({ principal, path }) {
      await uploads.giveUp(principal.userId, path.job_id);
      return { status: 204 };
    },
  };
}
