import type { Db } from "../database/client.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { ALL_UPLOADS, uploadIdOf } from "../video-uploads/object-keys.ts";
import { inBatches } from "../video-uploads/sweep/batches.ts";
import { findOwners } from "./store.ts";

const LOOKED_AT_TOGETHER = 1_000;
/** A shared bucket can hold objects of other programs. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Counts the objects of a user's uploads, and those that belong to no upload of anybody, which could be of a user who was
 * removed. Reads the whole list of the store.
 */
export async function countObjects(db: Db, objects: ObjectStore, userId: string) {
  const counted = { all: 0, ofUser: 0, ofNoUpload: 0 };
  for await (const batch of inBatches(objects.list(ALL_UPLOADS), LOOKED_AT_TOGETHER)) {
    const ids = batch.map(({ key }) => uploadIdOf(key));
    const owners = await findOwners(
      db,
      ids.filter((it) => UUID.test(it)),
    );
    for (const id of ids) {
      counted.all += 1;
      if (owners.get(id) === userId) counted.ofUser += 1;
      if (!owners.has(id)) counted.ofNoUpload += 1;
    }
  }
  return counted;
}
