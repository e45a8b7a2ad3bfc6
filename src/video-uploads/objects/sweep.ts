import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Db } from "../../database/client.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { findKeptAmong } from "./kept-store.ts";
import { ALL_UPLOADS, attemptFolderOf, uploadIdOf } from "./object-keys.ts";
import type { UploadRow } from "../store.ts";
import { inBatches } from "./batches.ts";
import * as store from "./store.ts";
import { claimStore } from "./store-owner.ts";

type SweepParts = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly log: Logger;
  /** Whether to keep the original of a video that has succeeded. */
  readonly keepOriginals?: boolean;
  /** Younger objects are ignored, because their row may not be committed yet. */
  readonly graceMs?: number;
  /** How long an object must have been an orphan without a break before it is removed. */
  readonly orphanAgeMs?: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A sweep that would remove more than this share of the stored objects removes nothing. A few can always be removed. */
const SHARE_MAX = 0.05;
const FEW = 10;
const LOOKED_AT_TOGETHER = 1_000;
const DELETED_TOGETHER = 20;

/** Called before each step of a sweep. Throws if the sweep must stop. */
type Hold = () => Promise<void>;

type Outcome = { readonly problem: string; readonly stored: number; readonly orphans: number };
/** `original_not_kept` follows from a setting; the other reasons should be rare. */
type Orphan = { readonly key: string; readonly reason: "unknown_upload" | "other_attempt" | "original_not_kept" };

/**
 * Removes the leftovers of a crash: objects that belong to no upload, and outputs of failed attempts. A
 * database that does not know an object may be the wrong database. So the sweep removes nothing from a store that belongs to
 * another database, no object that has not been an orphan for a day, and nothing at all if there are too many orphans. Only one
 * sweep runs at a time, and it stops when its signal is aborted.
 */
export async function sweepObjects(parts: SweepParts, signal?: AbortSignal) {
  const { db, objects } = parts;
  const owner = await claimStore(db, objects);
  if (owner.problem !== null) return refuse(parts, { problem: owner.problem, stored: 0, orphans: 0 }, owner.sentence);

  const sweeper = randomUUID();
  if ((await store.takeStep(db, { sweeper })) === 0) return { problem: "already_running", stored: 0, orphans: 0, removed: 0 };
  try {
    return await sweep(parts, async () => {
      signal?.throwIfAborted();
      if ((await store.takeStep(db, { sweeper })) === 0)
        throw new Error("Another sweep has begun, because this one took too long.");
    });
  } finally {
    await store.releaseSweep(db, { sweeper });
  }
}

async function sweep(parts: SweepParts, hold: Hold) {
  const { db, log } = parts;
  const { stored, orphans } = await lookForOrphans(parts, hold);
  const limit = Math.max(FEW, Math.floor(stored * SHARE_MAX));
  const approvedCount = await store.findApprovedCount(db);
  if (orphans > Math.max(limit, approvedCount))
    return refuse(
      parts,
      { problem: "too_many_orphans", stored, orphans },
      `${orphans} of ${stored} stored objects belong to no video that this database knows, which is more than a sweep removes (${limit}). ` +
        "If this is the right database and it is up to date, approve their removal with `npm run store -- approve`.",
    );
  const removed = await removeDue(parts, hold);
  await store.recordSweep(db, { problem: null, stored, orphans, isApprovalSpent: orphans <= limit });
  if (removed > 0) log.warn({ removed }, "removed objects that belonged to no video upload");
  return { problem: null, stored, orphans, removed };
}

async function refuse({ db, log }: SweepParts, outcome: Outcome, sentence: string) {
  await store.recordSweep(db, { ...outcome, isApprovalSpent: false });
  const { problem, stored, orphans } = outcome;
  log.error({ store_problem: problem, stored, orphans }, sentence);
  return { ...outcome, removed: 0 };
}

/** Updates the list of orphans. Returns the number of orphans that no setting explains, and of all objects. */
async function lookForOrphans({ db, objects, keepOriginals = true, graceMs = HOUR_MS }: SweepParts, hold: Hold) {
  const { now: begun } = await store.readClock(db);
  let stored = 0;
  for await (const batch of inBatches(objects.list(ALL_UPLOADS), LOOKED_AT_TOGETHER)) {
    await hold();
    stored += batch.length;
    const old = batch.filter(({ modifiedAt }) => Date.now() - modifiedAt.getTime() >= graceMs).map(({ key }) => key);
    const orphans = await orphansAmong(db, old, keepOriginals);
    await store.insertOrphans(db, { keys: orphans.map(({ key }) => key), reasons: orphans.map(({ reason }) => reason) });
  }
  // Those that this sweep has not seen were removed or are in use again.
  await store.forgetOrphans(db, { seenAt: { lt: begun } });
  return { stored, orphans: await store.countUnexplained(db) };
}

async function removeDue({ db, objects, keepOriginals = true, orphanAgeMs = DAY_MS }: SweepParts, hold: Hold): Promise<number> {
  for (let [removed, after] = [0, ""]; ;) {
    const found = await store.findDue(db, { ageSeconds: orphanAgeMs / 1_000, after, limit: LOOKED_AT_TOGETHER });
    if (found.length === 0) return removed;
    const due = found.map(({ key }) => key);
    after = due.at(-1)!;
    // Checked again, because a backup may have been restored since the list was updated.
    const orphans = (await orphansAmong(db, due, keepOriginals)).map(({ key }) => key);
    for await (const keys of inBatches(orphans, DELETED_TOGETHER)) {
      await hold();
      await Promise.all(keys.map((key) => objects.delete(key)));
    }
    await store.forgetOrphans(db, { key: { in: orphans } });
    removed += orphans.length;
  }
}

/** The keys that no upload uses now, with the reasons. What is kept has an end of its own. */
async function orphansAmong(db: Db, keys: readonly string[], keepOriginals: boolean): Promise<Orphan[]> {
  const { partials, uploads } = await store.findUploadsOf(db, keys.map(uploadIdOf));
  // In this order, because a deleted upload leaves its table when it enters the list of what is kept.
  const kept = await findKeptAmong(db, keys);
  const unfinished = new Set(partials.map(({ id }) => id));
  const rowById = new Map(uploads.map((row) => [row.id, row]));
  return keys.flatMap((key): Orphan[] => {
    if (kept.has(key)) return [];
    const row = rowById.get(uploadIdOf(key));
    if (row === undefined) return unfinished.has(uploadIdOf(key)) ? [] : [{ key, reason: "unknown_upload" }];
    const reason = reasonFor(row, key, keepOriginals);
    return reason === null ? [] : [{ key, reason }];
  });
}

function reasonFor({ id, objectKey, attempt, status }: UploadRow, key: string, keepOriginals: boolean) {
  if (key === objectKey) return keepOriginals || status !== "succeeded" ? null : "original_not_kept";
  // The files of an attempt are of use while it runs and after it has succeeded. The next attempt starts from zero.
  const isOfUse = status === "processing" || status === "succeeded";
  return isOfUse && key.startsWith(`${attemptFolderOf({ videoUploadId: id, attempt })}/`) ? null : "other_attempt";
}
