import type { Tx } from "../../database/client.ts";
import { withParentFolders } from "./object-keys.ts";

export {
  findExpired,
  insertRetained,
  type InsertRetainedParameters,
} from "#generated/sql/video-uploads/objects/retained-store.ts";

export async function deleteRetained(tx: Tx, key: string): Promise<void> {
  await tx.retainedObject.deleteMany({ where: { key } });
}

/** The rows of the retained keys among these, by key. A key can be retained with a parent folder. */
export async function findRetained(tx: Tx, keys: readonly string[]) {
  const rows = await tx.retainedObject.findMany({ where: { key: { in: [...new Set(keys.flatMap(withParentFolders))] } } });
  const byKey = new Map(rows.map((it) => [it.key, it]));
  const found = keys.map((key) => [key, withParentFolders(key).flatMap((it) => byKey.get(it) ?? [])[0]] as const);
  return new Map(found.flatMap(([key, row]) => (row === undefined ? [] : [[key, row] as const])));
}

/** All rows of a user, in the order of their expiry. */
export function findRetainedOfOwner(tx: Tx, ownerId: string) {
  return tx.retainedObject.findMany({ where: { ownerId }, orderBy: [{ keepUntil: "asc" }, { key: "asc" }] });
}
