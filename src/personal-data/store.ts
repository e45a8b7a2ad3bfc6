import * as sql from "#generated/sql/personal-data.ts";
import type { Tx } from "../database/client.ts";
import { hasRows } from "../database/references.ts";
import type { ErasedUser } from "../database/table.ts";
import { DELETED_USER_NAME, DELETED_USER_ID } from "../auth/deleted-user.ts";
import { userColumns } from "./references-store.ts";

export const markUserDeleted = async (tx: Tx, userId: string): Promise<boolean> =>
  (await sql.markUserDeleted(tx, { userId, deletedUserId: DELETED_USER_ID })) === 1;

export type DeletedUser = ErasedUser & { deletedForSeconds(): number };

/** A deleted user whose row is not removed yet. */
export async function findDeletedUser(tx: Tx, userId: string): Promise<DeletedUser | null> {
  const startedMs = performance.now();
  const row = await sql.findDeletedUser(tx, { userId });
  if (row === null) return null;
  const { id, displayName, seconds } = row;
  return { id, displayName, deletedForSeconds: () => seconds + (performance.now() - startedMs) / 1_000 };
}

/** Deleted users whose erasure is overdue, at most one batch. */
export const findOverdueUsers = async (tx: Tx): Promise<string[]> =>
  (await sql.findOverdueUsers(tx, { deletedUserId: DELETED_USER_ID })).map(({ id }) => id);

export const insertDeletedUser = (tx: Tx) =>
  sql.insertDeletedUser(tx, { deletedUserId: DELETED_USER_ID, name: DELETED_USER_NAME });

/** The owners of uploads in any state, by id. The order matters, because an upload leaves each table when it enters the next. */
export async function findOwners(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const [where, select] = [{ id: { in: [...new Set(ids)] } }, { id: true, ownerId: true } as const];
  const found = [
    ...(await tx.uploadReservation.findMany({ where, select })),
    ...(await tx.partialUpload.findMany({ where, select })),
    ...(await tx.videoUpload.findMany({ where, select })),
  ];
  return new Map(found.map((it) => [it.id, it.ownerId]));
}

/** The columns without rows of an erased user. */
const ERASED_COLUMNS = userColumns.filter(({ onErase }) => onErase === "removed" || onErase === "erased");

/**
 * Removes the row of a deleted user. False if a running request has added rows since. The lock on the row makes further requests wait, and
 * fail when the row is removed.
 */
export async function removeUserRow(tx: Tx, userId: string): Promise<boolean> {
  await sql.askShardsInTurn(tx);
  await sql.lockUser(tx, { userId });
  if (await hasRows(tx, ERASED_COLUMNS, userId)) return false;
  await sql.removeUser(tx, { userId });
  return true;
}
