import * as sql from "#generated/sql/video-uploads/playback.ts";
import type { Runner } from "../../database/statement.ts";
import type { StoredResult } from "../store.ts";

/** A video that can be played: the name of its upload, and its files. */
export type Playable = { readonly name: string | null; readonly result: StoredResult };

/** Null if the upload is gone or has no result, or if the deletion of its owner has begun. */
export async function findPlayable(runner: Runner, ownerId: string, id: string): Promise<Playable | null> {
  const row = await sql.findPlayable(runner, { ownerId, id });
  return row && { name: row.name, result: row.result as StoredResult };
}
