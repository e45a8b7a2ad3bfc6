import type { Tx } from "../database/client.ts";
import { placesOf } from "./object-keys.ts";

/** An object, or a folder of objects, that nothing needs any more: whose it is, and the bytes that count for the owner until it ends. */
export type Kept = { readonly key: string; readonly ownerId: string; readonly sizeBytes: number };

/** Keeps an object for this long, by the clock of the database. If it is kept already, the later end holds. */
export async function insertKept(tx: Tx, { key, ownerId, sizeBytes }: Kept, keepMs: number): Promise<void> {
  await tx.$executeRaw`
    INSERT INTO kept_objects (key, owner_id, size_bytes, keep_until)
    VALUES (${key}, ${ownerId}::uuid, ${sizeBytes}::bigint, clock_timestamp() + make_interval(secs => ${keepMs / 1_000}::double precision))
    ON CONFLICT (key) DO UPDATE SET keep_until = greatest(kept_objects.keep_until, excluded.keep_until)`;
}

/** Some of the keys whose time has ended. In random order, so that none that can't be removed holds up the others. */
export async function findEnded(tx: Tx, take: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ key: string }[]>`
    SELECT key FROM kept_objects WHERE keep_until <= now() ORDER BY random() LIMIT ${take}`;
  return rows.map(({ key }) => key);
}

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
