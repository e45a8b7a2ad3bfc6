import type { Tx } from "../../database/client.ts";
import { placesOf } from "./object-keys.ts";

export * from "#generated/sql/video-uploads/objects/kept-store.ts";

export async function forgetKept(tx: Tx, key: string): Promise<void> {
  await tx.keptObject.deleteMany({ where: { key } });
}

/** Which of these objects are kept, themselves or with a folder that they are in: the row of each. */
export async function findKeptAmong(tx: Tx, keys: readonly string[]) {
  const rows = await tx.keptObject.findMany({ where: { key: { in: [...new Set(keys.flatMap(placesOf))] } } });
  const byKey = new Map(rows.map((it) => [it.key, it]));
  const placed = keys.map((key) => [key, placesOf(key).flatMap((it) => byKey.get(it) ?? [])[0]] as const);
  return new Map(placed.flatMap(([key, row]) => (row === undefined ? [] : [[key, row] as const])));
}

/** All rows of a user, the earliest end first. */
export function findKeptOf(tx: Tx, ownerId: string) {
  return tx.keptObject.findMany({ where: { ownerId }, orderBy: [{ keepUntil: "asc" }, { key: "asc" }] });
}
