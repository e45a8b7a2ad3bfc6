import * as sql from "#generated/sql/personal-data.ts";
import type { Tx } from "../database/client.ts";
import { hasRows } from "../database/references.ts";
import type { ErasedUser } from "../database/table.ts";
import { NAME_OF_NOBODY, NOBODY } from "../auth/deleted-user.ts";
import { userColumns } from "./references-store.ts";

export const markUserDeleted = async (tx: Tx, userId: string): Promise<boolean> =>
  (await sql.markUserDeleted(tx, { userId, nobody: NOBODY })) === 1;

export type DeletedUser = ErasedUser & { deletedForSeconds(): number };

/** A user who is deleted, and not removed yet. */
export async function findDeletedUser(tx: Tx, userId: string): Promise<DeletedUser | null> {
  const startedMs = performance.now();
  const row = await sql.findDeletedUser(tx, { userId });
  if (row === null) return null;
  const { id, displayName, seconds } = row;
  return { id, displayName, deletedForSeconds: () => seconds + (performance.now() - startedMs) / 1_000 };
}

/** Deleted users whose data should have been removed by now, at most one batch. */
export const findOverdueUsers = async (tx: Tx): Promise<string[]> =>
  (await sql.findOverdueUsers(tx, { nobody: NOBODY })).map(({ id }) => id);

export const insertNobody = (tx: Tx) => sql.insertNobody(tx, { nobody: NOBODY, name: NAME_OF_NOBODY });

/** The owners of uploads in any state, by id. Reads in this order, because an upload leaves each table when it enters the next. */
export async function findOwners(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const [where, select] = [{ id: { in: [...new Set(ids)] } }, { id: true, ownerId: true } as const];
  const found = [
    ...(await tx.uploadReservation.findMany({ where, select })),
    ...(await tx.partialUpload.findMany({ where, select })),
    ...(await tx.videoUpload.findMany({ where, select })),
  ];
  return new Map(found.map((it) => [it.id, it.ownerId]));
}

/** The columns that no row of an erased user is left in. */
const EMPTIED = userColumns.filter(({ onErase }) => onErase === "removed" || onErase === "erased");

/**
 * Removes the row of a deleted user. False if a request that was running has added something since: its foreign key keeps the
 * row, whose lock makes any further one wait, and fail when the row is gone.
 */
export async function removeUserRow(tx: Tx, userId: string): Promise<boolean> {
  await sql.askShardsInTurn(tx);
  await sql.lockUser(tx, { userId });
  if (await hasRows(tx, EMPTIED, userId)) return false;
  await sql.removeUser(tx, { userId });
  return true;
}
