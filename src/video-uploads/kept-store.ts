import * as sql from "#generated/sql/video-uploads/kept-store.ts";
import type { Tx } from "../database/client.ts";
import { placesOf } from "./object-keys.ts";

/** An object, or a folder of objects, that nothing needs any more: whose it is, and the bytes that count for the owner until it ends. */
export type Kept = { readonly key: string; readonly ownerId: string; readonly sizeBytes: number };

/** Keeps an object for this long, by the clock of the database. If it is kept already, the later end holds. */
export async function insertKept(tx: Tx, { key, ownerId, sizeBytes }: Kept, keepMs: number): Promise<void> {
  await sql.insertKept(tx, { key, ownerId, sizeBytes, keepSeconds: keepMs / 1_000 });
}

/** Some of the keys whose time has ended. */
export const findEnded = async (tx: Tx, limit: number): Promise<string[]> =>
  (await sql.findEnded(tx, { limit })).map(({ key }) => key);

export async function forgetKept(tx: Tx, key: string): Promise<void> {
  await tx.keptObject.deleteMany({ where: { key } });
}

/** Which of these objects are kept, themselves or with a folder that they are in: the row of each. */
export async function findKeptAmong(tx: Tx, keys: readonly string[]) {
  const rows = await tx.keptObject.findMany({ where: { key: { in: [...new Set(keys.flatMap(placesOf))] } } });
  const byKey = new Map(rows.map((it) => [it.key, it]));
  const found = new Map<string, (typeof rows)[number]>();
  for (const key of keys) {
    const place = placesOf(key).find((it) => byKey.has(it));
    if (place !== undefined) found.set(key, byKey.get(place)!);
  }
  return found;
}

/** All rows of a user, the earliest end first. */
export function findKeptOf(tx: Tx, ownerId: string) {
  return tx.keptObject.findMany({ where: { ownerId }, orderBy: [{ keepUntil: "asc" }, { key: "asc" }] });
}
