import type { Db } from "../database/client.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { isUuid } from "../util/uuid.ts";
import { findRetained, findRetainedOfOwner } from "../video-uploads/objects/retained-store.ts";
import { ALL_UPLOADS, uploadIdOf } from "../video-uploads/objects/object-keys.ts";
import { inBatches } from "../video-uploads/objects/batches.ts";
import { findOwners } from "./store.ts";

const BATCH_SIZE = 1_000;

/** A retained object or folder of a user: the number of its objects, and when they expire. */
export type RetainedObject = { readonly key: string; readonly objects: number; readonly endsAt: Date };

/**
 * Counts the objects of a user's uploads, and objects without an upload, which can belong to an erased user. `kept` has the retained
 * objects of the user. Lists the whole store.
 */
export async function countObjects(db: Db, objects: ObjectStore, userId: string) {
  const counted = { all: 0, ofUser: 0, ofNoUpload: 0 };
  const keptByKey = new Map<string, number>();
  for await (const batch of inBatches(objects.list(ALL_UPLOADS), BATCH_SIZE)) {
    const keys = batch.map(({ key }) => key);
    // A shared bucket can hold objects of other programs.
    const owners = await findOwners(db, keys.map(uploadIdOf).filter(isUuid));
    // In this order, because a deleted upload leaves its table when its objects become retained.
    const kept = await findRetained(db, keys);
    for (const key of keys) {
      const [row, owner] = [kept.get(key), owners.get(uploadIdOf(key))];
      counted.all += 1;
      if (row?.ownerId === userId) keptByKey.set(row.key, (keptByKey.get(row.key) ?? 0) + 1);
      else if (row === undefined && owner === userId) counted.ofUser += 1;
      else if (row === undefined && owner === undefined) counted.ofNoUpload += 1;
    }
  }
  const rows = await findRetainedOfOwner(db, userId);
  const kept = rows.map(({ key, keepUntil }): RetainedObject => ({ key, objects: keptByKey.get(key) ?? 0, endsAt: keepUntil }));
  return { ...counted, kept };
}

/** Counts unfinished puts of all users in the store, and when the last one expires. */
export async function countUnfinished(objects: ObjectStore, ageMs: number) {
  let [count, endsAt] = [0, null as Date | null];
  for await (const it of objects.listUnfinished(ageMs)) {
    count += 1;
    if (endsAt === null || it.endsAt > endsAt) endsAt = it.endsAt;
  }
  return { count, endsAt };
}
