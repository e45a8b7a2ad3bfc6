import type { Logger } from "pino";
import type { Db } from "../../database/client.ts";
import { claimMarker, readMarker, replaceMarker } from "../../storage/marker.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { ALL_UPLOADS, uploadIdOf } from "./object-keys.ts";
import { inBatches } from "./batches.ts";
import { findIdentity, findKnownIds, forgetOrphans, identityOf, ownDatabaseId } from "./store.ts";

/** Whether the store belongs to this database and, if not, why the sweep must not remove anything from it. */
type Ownership = {
  readonly problem: null | "other_database" | "copied_database" | "unknown_objects";
  readonly databaseId: string;
  /** The id in the marker of the store; null without a marker. */
  readonly storeSays: string | null;
  /** The finding and the remedy, for the operator. */
  readonly sentence: string;
};

/** A store without a marker is claimed when this database knows at least this share of its objects. */
const FAIR_SHARE = 0.5;
/** The number of objects to check for that share. */
const SAMPLE = 10_000;
const LOOKED_AT_TOGETHER = 1_000;
const ADVICE = "The sweep removes nothing from it until you tie it to this database with `npm run store -- tie`.";

/**
 * Checks whether the store belongs to this database, by an id that both have. Claims an empty store, and a store without a
 * marker if the database knows a fair share of its objects, as after an upgrade from a version without markers.
 */
export async function claimStore(db: Db, objects: ObjectStore): Promise<Ownership> {
  const { databaseId, isCopy } = await identityOf(db);
  const said = await readMarker(objects);
  if (said !== null) return verdict(databaseId, said, isCopy);
  const id = await ownDatabaseId(db);
  const unknown = await findUnknown(db, objects);
  return unknown === null ? verdict(id, await claimMarker(objects, id), false) : { databaseId: id, storeSays: null, ...unknown };
}

/**
 * Says whether the store belongs to this database, and changes nothing. Null if neither knows the other yet, and the next start
 * will claim the store.
 */
export async function examineStore(db: Db, objects: ObjectStore): Promise<Pick<Ownership, "problem" | "sentence"> | null> {
  const identity = await findIdentity(db);
  const said = await readMarker(objects);
  if (said === null) return findUnknown(db, objects);
  return verdict(identity?.databaseId ?? "a database without an id", said, identity?.isCopy === true);
}

/** Claims a new store for this database. Logs a store of another database at startup, before the first sweep finds it. */
export async function logStoreOwner(db: Db, objects: ObjectStore, log: Logger): Promise<void> {
  try {
    const { problem, sentence } = await claimStore(db, objects);
    if (problem !== null) log.error({ store_problem: problem }, sentence);
  } catch (error) {
    // The store may be full or unavailable now. The sweep checks again before it removes anything.
    log.warn({ err: error }, "it is not known yet whether the object store belongs to this database");
  }
}

/** Ties the store to this database, even if it belonged to another one. The age of every orphan starts at zero again. */
export async function reclaimStore(db: Db, objects: ObjectStore) {
  const id = await ownDatabaseId(db);
  await forgetOrphans(db);
  await replaceMarker(objects, id);
  return { ...verdict(id, id, false), ...(await countKnown(db, objects)) };
}

/** Null if the database knows a fair share of the objects. */
async function findUnknown(db: Db, objects: ObjectStore) {
  const { looked, known } = await countKnown(db, objects);
  const sentence = `The object store has no marker, and this database knows ${known} of ${looked} objects in it. ${ADVICE}`;
  return known >= looked * FAIR_SHARE ? null : ({ problem: "unknown_objects", sentence } as const);
}

function verdict(databaseId: string, storeSays: string, isCopy: boolean): Ownership {
  const told = (problem: Ownership["problem"], sentence: string) => ({ problem, databaseId, storeSays, sentence });
  if (storeSays !== databaseId) {
    const ids = `to ${storeSays}, and this one is ${databaseId}`;
    return told("other_database", `The object store belongs to another database: ${ids}. ${ADVICE}`);
  }
  if (!isCopy) return told(null, "The object store belongs to this database.");
  return told("copied_database", `This database is a copy of ${databaseId}, which the object store belongs to. ${ADVICE}`);
}

/** Counts how many objects belong to uploads of this database, in a sample of the store. */
async function countKnown(db: Db, objects: ObjectStore) {
  let [looked, known] = [0, 0];
  for await (const batch of inBatches(objects.list(ALL_UPLOADS), LOOKED_AT_TOGETHER)) {
    const ids = batch.map(({ key }) => uploadIdOf(key));
    const found = await findKnownIds(db, ids);
    looked += ids.length;
    known += ids.filter((id) => found.has(id)).length;
    if (looked >= SAMPLE) break;
  }
  return { looked, known };
}
