import * as sql from "#generated/sql/video-uploads/worker/running-store.ts";
import type { Tx } from "../../database/client.ts";

export { purgeRunningTime } from "#generated/sql/video-uploads/worker/running-store.ts";

type Upload = { readonly id: string; readonly ownerId: string };

/** Adds to the running time of an upload, if it is still there, and of its owner in this hour. */
export async function addRunningTime(tx: Tx, { id, ownerId }: Upload, seconds: number): Promise<void> {
  await sql.addRunningTime(tx, { id, ownerId, seconds });
}

/** How long jobs have worked on the videos of the owner of an upload within the last 24 hours, to the hour. */
export const ranSecondsOfOwner = async (tx: Tx, id: string): Promise<number> => (await sql.ranSecondsOfOwner(tx, { id })).seconds;
