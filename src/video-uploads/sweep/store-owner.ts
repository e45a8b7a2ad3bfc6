import type { Logger } from "pino";
import type { Db } from "../../database/client.ts";
import { claimMarker, readMarker, replaceMarker } from "../../storage/marker.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { ALL_UPLOADS, uploadIdOf } from "../object-keys.ts";
import { inBatches } from "./batches.ts";
import { becomeAnother, findKnownIds, forgetAllOrphans, identityOf } from "./store.ts";

/** Whether the store belongs to this database, or why nothing in it may be swept. */
type Tie = {
  readonly problem: null | "other_database" | "copied_database" | "unknown_objects";
  readonly databaseId: string;
  /** What the store says; null when it says nothing. */
  readonly storeSays: string | null;
  /** For the operator: the finding, and what to do. */
  readonly sentence: string;
};

/** A store without a marker is claimed when this database knows at least this share of its objects. */
const FAIR_SHARE = 0.5;
/** How many objects are looked at for that. */
const SAMPLE = 10_000;
const LOOKED_AT_TOGETHER = 1_000;
const ADVICE = "Nothing in it is swept until `npm run store -- tie` says that it belongs to this database.";

/**
 * Whether the store belongs to this database, by an id that both hold. An empty store is claimed, and so is one without a
 * marker of which the database knows a fair share, as after an upgrade from a version without markers.
 */
export async function tieStore(db: Db, objects: ObjectStore): Promise<Tie> {
  const { databaseId, isCopy } = await identityOf(db);
  const said = await readMarker(objects);
  if (said === null) return claim(db, objects, isCopy ? await becomeAnother(db) : databaseId);
  return verdict(databaseId, said, isCopy);
}

/** Claims a new store for this database, and says at the start, not in an hour, when the store belongs to another. */
export async function logStoreOwner(db: Db, objects: ObjectStore, log: Logger): Promise<void> {
  try {
    const { problem, sentence } = await tieStore(db, objects);
    if (problem !== null) log.error({ store_problem: problem }, sentence);
  } catch (error) {
    // A store that is full or away just now: the sweep asks again before it does anything.
    log.warn({ err: error }, "it is not known yet whether the object store belongs to this database");
  }
}

/** Makes the store belong to this database, whichever it belonged to. What counted as an orphan starts to age anew. */
export async function retieStore(db: Db, objects: ObjectStore) {
  const { databaseId, isCopy } = await identityOf(db);
  const id = isCopy ? await becomeAnother(db) : databaseId;
  await forgetAllOrphans(db);
  await replaceMarker(objects, id);
  return { ...verdict(id, id, false), ...(await countKnown(db, objects)) };
}

async function claim(db: Db, objects: ObjectStore, databaseId: string): Promise<Tie> {
  const { looked, known } = await countKnown(db, objects);
  if (known >= looked * FAIR_SHARE) return verdict(databaseId, await claimMarker(objects, databaseId), false);
  const sentence = `The object store does not say which database it belongs to, and this one knows ${known} of ${looked} objects in it. ${ADVICE}`;
  return { problem: "unknown_objects", databaseId, storeSays: null, sentence };
}

function verdict(databaseId: string, storeSays: string, isCopy: boolean): Tie {
  const [problem, sentence]: readonly [Tie["problem"], string] =
    storeSays !== databaseId
      ? [
          "other_database",
          `The object store belongs to another database: to ${storeSays}, and this one is ${databaseId}. ${ADVICE}`,
        ]
      : isCopy
        ? ["copied_database", `This database is a copy of ${databaseId}, which the object store belongs to. ${ADVICE}`]
        : [null, "The object store belongs to this database."];
  return { problem, databaseId, storeSays, sentence };
}

/** How many of the objects in the store belong to uploads of this database; not all are looked at. */
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
