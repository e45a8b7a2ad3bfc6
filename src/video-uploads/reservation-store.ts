import type { Tx } from "../database/client.ts";

/** An upload that takes room before it is there; `isResumable` ones have a row of their own, and the room goes with that. */
export type Claimant = { readonly id: string; readonly ownerId: string; readonly isResumable: boolean };

/**
 * Takes so much room in all for an upload under way; what it has taken already is never given back by this. Does nothing
 * for a resumable one that is gone: its next write finds that out.
 */
export async function reserve(tx: Tx, { id, ownerId, isResumable }: Claimant, bytes: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO upload_reservations AS mine (id, owner_id, partial_id, size_bytes)
    SELECT ${id}::uuid, ${ownerId}::uuid, ${isResumable ? id : null}::uuid, ${bytes}::bigint
    WHERE ${!isResumable} OR EXISTS (SELECT FROM partial_uploads WHERE id = ${id}::uuid FOR KEY SHARE)
    ON CONFLICT (id) DO UPDATE SET size_bytes = greatest(mine.size_bytes, excluded.size_bytes), touched_at = clock_timestamp()`;
}

export async function release(tx: Tx, id: string): Promise<void> {
  await tx.uploadReservation.deleteMany({ where: { id } });
}

/** What the user's uploads and reservations take up together, those of this transaction among them. */
export async function usedBytes(tx: Tx, ownerId: string): Promise<number> {
  const row = await tx.storageUsage.findUnique({ where: { userId: ownerId } });
  return Number(row?.sizeBytes ?? 0);
}

/** Gives the room back of plain uploads whose process has died; says how many. A slow one is counted when it is complete. */
export function releaseAbandoned(tx: Tx, ageSeconds: number): Promise<number> {
  return tx.$executeRaw`
    DELETE FROM upload_reservations
    WHERE partial_id IS NULL AND touched_at < clock_timestamp() - make_interval(secs => ${ageSeconds}::double precision)`;
}
