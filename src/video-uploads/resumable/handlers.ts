import { randomUUIDv7 } from "node:crypto";
import type { Input, Handlers, Output } from "../../contract/contract.ts";
import type { Tx } from "../../database/client.ts";
import { inProgress, once } from "../../idempotency/idempotency.ts";
import { contentTooLarge, Failure } from "../../failure.ts";
import { countPartials, hasPartial, insertPartial } from "./store.ts";
import { createResumableUploads } from "./service.ts";
import { findUpload } from "../store.ts";

type Parts = Parameters<typeof createResumableUploads>[0];
export type BeginUpload = Input<"createVideoUpload">;
type Area = "getUploadTransfer" | "updateUploadTransfer" | "deleteUploadTransfer";

/** The operations of resumable uploads, and how one begins: by the POST of a plain upload, with `Upload-Complete`. */
export function resumableHandlers(
  parts: Parts,
): Pick<Handlers, Area> & { begin(input: BeginUpload): Promise<Output<"createVideoUpload">> } {
  const { db, quota, maxUploadBytes } = parts;
  const uploads = createResumableUploads(parts);
  return {
    async begin(input) {
      const { principal, query, header, body } = input;
      const ownerId = principal.userId;
      const lengthBytes = header["Upload-Length"] === undefined ? null : Number(header["Upload-Length"]);
      if (lengthBytes !== null && lengthBytes > maxUploadBytes) throw contentTooLarge("A video", maxUploadBytes);
      const fresh = { id: randomUUIDv7(), ownerId, name: query.name ?? null, lengthBytes };
      const isLast = header["Upload-Complete"] === "?1";
      // The key stands for the beginning and not for the bytes, which may break off anywhere: a retry finds the same upload.
      const content = { resumable: true, isLast, name: fresh.name, lengthBytes };
      const {
        body: { id },
      } = await once(
        db,
        input,
        async (tx) => {
          if ((await countPartials(tx, ownerId, UNFINISHED_MAX)) === UNFINISHED_MAX) throw tooManyUnfinished();
          await insertPartial(tx, fresh);
          if (lengthBytes !== null) await quota.take(tx, { id: fresh.id, ownerId, isResumable: true }, lengthBytes);
          return { status: 204, body: { id: fresh.id } };
        },
        { content, holds: (tx, { body: { id: earlier } }) => isPresent(tx, ownerId, earlier) },
      );
      const location = `/video-uploads/${id}/transfer`;
      input.announceUpload({ location, limit: uploads.limitOf() });
      try {
        if (id !== fresh.id) {
          const state = await uploads.state(ownerId, id);
          // What is asked for decides the answer, not how far the upload has come: the same request gets the same one.
          if (!isLast) return { status: 204, headers: { Location: location, "Idempotency-Replayed": "true", ...state } };
          if (state["Upload-Complete"] === "?1") return await uploads.finished(ownerId, id);
          throw uploads.mismatch(state["Upload-Offset"], false, location);
        }
        const answer = await uploads.append({ ownerId, id, offset: null, isLast, body, ...digestsIn(header) });
        return answer.status === 202 ? answer : { status: 204, headers: { Location: location, ...answer.headers } };
      } catch (error) {
        // Somebody has deleted it in this very moment: the next attempt begins another one.
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
        ...digestsIn(header),
      });
    },

    async deleteUploadTransfer({ principal, path }) {
      await uploads.giveUp(principal.userId, path.job_id);
      return { status: 204 };
    },
  };
}

/** How many uploads a user may have begun and not completed. Each is removed after a day. */
const UNFINISHED_MAX = 100;

function tooManyUnfinished(): Failure {
  const detail = `${UNFINISHED_MAX} of your uploads are not complete. Complete or delete some first.`;
  return new Failure("rate_limited", detail, { retryAfterSeconds: 60 });
}

const digestsIn = (header: { readonly "Content-Digest"?: string; readonly "Repr-Digest"?: string }) => ({
  contentDigest: header["Content-Digest"],
  reprDigest: header["Repr-Digest"],
});

/** Whether an upload that was begun is still there, unfinished or as a job. In this order: it leaves the first table when it enters the second. */
async function isPresent(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  return (await hasPartial(tx, ownerId, id)) || (await findUpload(tx, ownerId, id)) !== null;
}
