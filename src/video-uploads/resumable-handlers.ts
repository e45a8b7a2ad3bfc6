import { randomUUIDv7 } from "node:crypto";
import type { Input, Operations, Output } from "../contract.ts";
import type { Db } from "../db/client.ts";
import { once } from "../db/idempotency.ts";
import { contentTooLarge } from "../failure.ts";
import type { Queue } from "../jobs/queue.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { insertPartial } from "./partial-store.ts";
import { createResumableUploads } from "./resumable.ts";

type Parts = { readonly db: Db; readonly queue: Queue; readonly objects: ObjectStore; readonly maxUploadBytes: number };
export type BeginUpload = Input<"createVideoUpload">;
type Area = "getUploadContent" | "updateUploadContent" | "deleteUploadContent";

/** The operations of resumable uploads, and how one begins: by the POST of a plain upload, with `Upload-Complete`. */
export function resumableHandlers({ db, queue, objects, maxUploadBytes }: Parts): Operations<Area> & { begin(input: BeginUpload): Promise<Output<"createVideoUpload">> } {
  const uploads = createResumableUploads({ db, queue, objects, maxUploadBytes });
  return {
    async begin({ principal, query, header, body, inform }) {
      const ownerId = principal.userId;
      const lengthBytes = header["Upload-Length"] === undefined ? null : Number(header["Upload-Length"]);
      if (lengthBytes !== null && lengthBytes > maxUploadBytes) throw contentTooLarge("A video", maxUploadBytes);
      const fresh = { id: randomUUIDv7(), ownerId, name: query.name ?? null, lengthBytes };
      // The key is for beginning, so that a retry finds the same upload; what has arrived tells how far it is.
      const request = { resumable: true, name: fresh.name, lengthBytes };
      const { body: { id } } = await once(db, { userId: ownerId, operationId: "createVideoUpload", key: header["Idempotency-Key"], request }, async (tx) => {
        await insertPartial(tx, fresh);
        return { status: 204, body: { id: fresh.id } };
      });
      const location = `/video-uploads/${id}/content`;
      const interop = header["Upload-Draft-Interop-Version"];
      if (interop !== undefined) inform({ Location: location, "Upload-Limit": uploads.limit, "Upload-Draft-Interop-Version": interop });
      if (id !== fresh.id) {
        return await uploads.finished(ownerId, id) ?? { status: 204, headers: { Location: location, "Idempotency-Replayed": "true", ...await uploads.state(ownerId, id) } };
      }
      const answer = await uploads.append({ ownerId, id, offset: null, isLast: header["Upload-Complete"] === "?1", body });
      return answer.status === 202 ? answer : { status: 204, headers: { Location: location, ...answer.headers } };
    },

    async getUploadContent({ principal, path }) {
      return { status: 204, headers: await uploads.state(principal.userId, path.job_id) };
    },

    updateUploadContent({ principal, path, header, body }) {
      return uploads.append({ ownerId: principal.userId, id: path.job_id, offset: Number(header["Upload-Offset"]), isLast: header["Upload-Complete"] === "?1", body });
    },

    async deleteUploadContent({ principal, path }) {
      await uploads.giveUp(principal.userId, path.job_id);
      return { status: 204 };
    },
  };
}
