import * as sql from "#generated/sql/video-uploads/playback.ts";
import type { Runner } from "../../database/statement.ts";
import type { StoredResult } from "../store.ts";

/** The name and the files of a video. */
export type Playable = { readonly name: string | null; readonly result: StoredResult };

/** Null if the upload is gone or has no result, or if the deletion of its owner has begun. */
export async function findPlayable(runner: Runner, ownerId: string, id: string): Promise<Playable | null> {
  const row = await sql.findPlayable(runner, { ownerId, id });
  return row && { name: row.name, result: row.result as StoredResult };
}
