import type { Logger } from "pino";
import type { Db } from "../../database/client.ts";
import { claimMarker, readMarker, replaceMarker } from "../../storage/marker.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { ALL_UPLOADS, uploadIdOf } from "./object-keys.ts";
import { inBatches } from "./batches.ts";
import { findIdentity, findKnownIds, forgetOrphans, identityOf, ownDatabaseId } from "./store.ts";

/** Whether the store is bound to this database and, if not, why the orphan GC must not delete anything from it. */
type StoreBinding = {
  readonly problem: null | "other_database" | "copied_database" | "unknown_objects";
  readonly databaseId: string;
  /** The id in the marker; null without a marker. */
  readonly markerDatabaseId: string | null;
  /** The finding and the remedy, for the operator. */
  readonly sentence: string;
};

/** A store without a marker is claimed if this database knows at least this share of its objects. */
const KNOWN_SHARE_MIN = 0.5;
const SAMPLE_SIZE = 10_000;
const BATCH_SIZE = 1_000;
const ADVICE =
  "The orphan GC deletes nothing from it until you bind it to this database with `npm run -s plumbline -- store bind`.";

/**
 * Compares the marker with the id of this database. Claims a store without a marker if the database knows enough of its objects.
 */
export async function claimStore(db: Db, objects: ObjectStore): Promise<StoreBinding> {
  const { databaseId, isCopy } = await identityOf(db);
  const markerId = await readMarker(objects);
  if (markerId !== null) return bindingOf(databaseId, markerId, isCopy);
  const id = await ownDatabaseId(db);
  const unknown = await findUnknown(db, objects);
  return unknown === null
    ? bindingOf(id, await claimMarker(objects, id), false)
    : { databaseId: id, markerDatabaseId: null, ...unknown };
}

/** Like `claimStore`, but changes nothing. Null if the next start will claim the store. */
export async function checkBinding(db: Db, objects: ObjectStore): Promise<Pick<StoreBinding, "problem" | "sentence"> | null> {
  const identity = await findIdentity(db);
  const markerId = await readMarker(objects);
  if (markerId === null) return findUnknown(db, objects);
  return bindingOf(identity?.databaseId ?? "a database without an id", markerId, identity?.isCopy === true);
}

/** Claims a new store for this database. Logs a store of another database at startup, before the first orphan GC. */
export async function logStoreBinding(db: Db, objects: ObjectStore, log: Logger): Promise<void> {
  try {
    const { problem, sentence } = await claimStore(db, objects);
    if (problem !== null) log.error({ store_problem: problem }, sentence);
  } catch (error) {
    // The store may be full or unavailable now. The orphan GC checks again before it deletes anything.
    log.warn({ err: error }, "it is not known yet whether the object store belongs to this database");
  }
}

/** Binds the store to this database, even if it belonged to another one. The age of every orphan starts at zero again. */
export async function rebindStore(db: Db, objects: ObjectStore) {
  const id = await ownDatabaseId(db);
  await forgetOrphans(db);
  await replaceMarker(objects, id);
  return { ...bindingOf(id, id, false), ...(await countKnown(db, objects)) };
}

/** Null if the database knows enough of the objects. */
async function findUnknown(db: Db, objects: ObjectStore) {
  const { sampled, known } = await countKnown(db, objects);
  const sentence = `The object store has no marker, and this database knows ${known} of ${sampled} objects in it. ${ADVICE}`;
  return known >= sampled * KNOWN_SHARE_MIN ? null : ({ problem: "unknown_objects", sentence } as const);
}

function bindingOf(databaseId: string, markerDatabaseId: string, isCopy: boolean): StoreBinding {
  const result = (problem: StoreBinding["problem"], sentence: string) => ({ problem, databaseId, markerDatabaseId, sentence });
  if (markerDatabaseId !== databaseId) {
    const ids = `to ${markerDatabaseId}, and this one is ${databaseId}`;
    return result("other_database", `The object store belongs to another database: ${ids}. ${ADVICE}`);
  }
  if (!isCopy) return result(null, "The object store belongs to this database.");
  return result("copied_database", `This database is a copy of ${databaseId}, which the object store belongs to. ${ADVICE}`);
}

/** Counts how many objects belong to uploads of this database, in a sample of the store. */
async function countKnown(db: Db, objects: ObjectStore) {
  let [sampled, known] = [0, 0];
  for await (const batch of inBatches(objects.list(ALL_UPLOADS), BATCH_SIZE)) {
    const ids = batch.map(({ key }) => uploadIdOf(key));
    const found = await findKnownIds(db, ids);
    sampled += ids.length;
    known += ids.filter((id) => found.has(id)).length;
    if (sampled >= SAMPLE_SIZE) break;
  }
  return { sampled, known };
}
