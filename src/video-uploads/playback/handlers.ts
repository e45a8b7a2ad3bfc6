import type { Operations } from "../../contract/contract.ts";
import type { Db } from "../../database/client.ts";
import { download } from "../download.ts";
import { readResult } from "../service.ts";
import { findFile, linksTo, type PlaybackParts } from "./service.ts";
import { toPlayback } from "./wire.ts";

/** The default in the contract. */
const LINK_SECONDS = 3_600;

export function playbackHandlers(parts: PlaybackParts & { readonly db: Db }): Operations<"Playback"> {
  const { db, cursors } = parts;
  return {
    async createPlayback({ principal: { userId: ownerId }, path: { job_id: jobId }, body }) {
      const result = await readResult(db, ownerId, jobId);
      const expiresAt = new Date(Date.now() + (body.expires_in_seconds ?? LINK_SECONDS) * 1_000);
      const links = linksTo(cursors, jobId, { ownerId, expiresAt });
      return {
        status: 201,
        headers: { Location: `/video-uploads/${jobId}/playback` },
        body: toPlayback(result, expiresAt, links),
      };
    },

    async getPlaybackFile({ path: { job_id: jobId, file }, query, header }) {
      const find = () => findFile(parts, { jobId, file }, query.token);
      const { source, file: stored, name, expiresAt: endsAt } = await find();
      return download(source, stored, header, { requireRow: find, shownAs: { type: "inline", name }, endsAt });
    },
  };
}
