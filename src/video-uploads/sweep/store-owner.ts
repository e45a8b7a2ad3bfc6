import type { Db } from "../../database/client.ts";
import { claimMarker, readMarker, replaceMarker } from "../../storage/marker.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { ALL_UPLOADS, uploadIdOf } from "../object-keys.ts";
import { inBatches } from "./batches.ts";
import { becomeAnother, findKnownIds, forgetAllOrphans, identityOf } from "./store.ts";

/** Whether the store belongs to this database, or why nothing in it may be swept. */
export type Tie = {
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

/** Makes the store belong to this database, whichever it belonged to. What counted as an orphan starts to age anew. */
export async function retieStore(db: Db, objects: ObjectStore): Promise<Tie & KnownObjects> {
  const { databaseId, isCopy } = await identityOf(db);
  const id = isCopy ? await becomeAnother(db) : databaseId;
  await forgetAllOrphans(db);
  await replaceMarker(objects, id);
  return { ...verdict(id, id, false), ...(await countKnown(db, objects)) };
}

async function claim(db: Db, objects: ObjectStore, databaseId: string): Promise<Tie> {
  const { looked, known } = await countKnown(db, objects);
  if (known < looked * FAIR_SHARE)
    return {
      problem: "unknown_objects",
      databaseId,
      storeSays: null,
      sentence: `The object store does not say which database it belongs to, and this one knows ${known} of ${looked} objects in it. ${ADVICE}`,
    };
  return verdict(databaseId, await claimMarker(objects, databaseId), false);
}

function verdict(databaseId: string, storeSays: string, isCopy: boolean): Tie {
  const found = { databaseId, storeSays };
  if (storeSays !== databaseId)
    return {
      ...found,
      problem: "other_database",
      sentence: `The object store belongs to another database: to ${storeSays}, and this one is ${databaseId}. ${ADVICE}`,
    };
  if (isCopy)
    return {
      ...found,
      problem: "copied_database",
      sentence: `This database is a copy of ${databaseId}, which the object store belongs to. ${ADVICE}`,
    };
  return { ...found, problem: null, sentence: "The object store belongs to this database." };
}

type KnownObjects = { readonly looked: number; readonly known: number };

/** How many of the objects in the store belong to uploads of this database; not all are looked at. */
async function countKnown(db: Db, objects: ObjectStore): Promise<KnownObjects> {
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
