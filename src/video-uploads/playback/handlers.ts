import type { Operations } from "../../contract/contract.ts";
import type { Db } from "../../database/client.ts";
import { once } from "../../idempotency/idempotency.ts";
import { download } from "../download.ts";
import { readResult } from "../service.ts";
import { findFile, linksTo, type PlaybackParts } from "./service.ts";
import { toPlayback } from "./wire.ts";

/** The default in the contract. */
const LINK_SECONDS = 3_600;

export function playbackHandlers(parts: PlaybackParts & { readonly db: Db }): Operations<"Playback"> {
  const { db, cursors } = parts;
  return {
    async createPlayback(input) {
      const { userId: ownerId } = input.principal;
      const { job_id: jobId } = input.path;
      const result = await readResult(db, ownerId, jobId);
      const expiresAt = new Date(Date.now() + (input.body.expires_in_seconds ?? LINK_SECONDS) * 1_000);
      const body = toPlayback(result, expiresAt, linksTo(cursors, jobId, { ownerId, expiresAt }));
      const response = { status: 201, headers: { Location: `/video-uploads/${jobId}/playback` }, body } as const;
      // Without a key, nothing is written, so there is no transaction.
      return input.header["Idempotency-Key"] === undefined ? response : once(db, input, () => Promise.resolve(response));
    },

    async getPlaybackFile({ path: { job_id: jobId, file }, query, header }) {
      const find = () => findFile(parts, { jobId, file }, query.token);
      const { source, file: stored, name, expiresAt: endsAt } = await find();
      return download(source, stored, header, { requireRow: find, shownAs: { type: "inline", name }, endsAt });
    },
  };
}
