import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { Db } from "../../database/client.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { findRetained } from "./retained-store.ts";
import { ALL_UPLOADS, attemptFolderOf, uploadIdOf } from "./object-keys.ts";
import type { UploadRow } from "../store.ts";
import { inBatches } from "./batches.ts";
import * as store from "./store.ts";
import { claimStore } from "./store-binding.ts";

type OrphanGcDeps = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly log: Logger;
  /** Whether to keep the original of a video that has succeeded. */
  readonly keepOriginals?: boolean;
  /** Ignores younger objects, because their row may not be committed yet. */
  readonly graceMs?: number;
  /** How long an object must be an orphan, without interruption, before it is deleted. */
  readonly orphanAgeMs?: number;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** If more than this share of the stored objects are orphans, nothing is deleted. A few orphans are always allowed. */
const ORPHAN_SHARE_MAX = 0.05;
const ALWAYS_ALLOWED = 10;
const BATCH_SIZE = 1_000;
const CONCURRENT_DELETES = 20;

/** Called before each step. Throws if the GC must stop. */
type RenewLease = () => Promise<void>;

type Outcome = { readonly problem: string; readonly stored: number; readonly orphans: number };
/** `original_not_kept` is caused by a setting; the other reasons should be rare. */
type Orphan = { readonly key: string; readonly reason: "unknown_upload" | "other_attempt" | "original_not_kept" };

/**
 * Deletes objects that no upload needs. Because the database may be the wrong one, it is careful: old orphans only, and not too
 * many.
 */
export async function collectOrphans(parts: OrphanGcDeps, signal?: AbortSignal) {
  const { db, objects } = parts;
  const owner = await claimStore(db, objects);
  if (owner.problem !== null) return refuse(parts, { problem: owner.problem, stored: 0, orphans: 0 }, owner.sentence);

  const runId = randomUUID();
  if ((await store.renewLease(db, { sweeper: runId })) === 0)
    return { problem: "already_running", stored: 0, orphans: 0, removed: 0 };
  try {
    return await runGc(parts, async () => {
      signal?.throwIfAborted();
      if ((await store.renewLease(db, { sweeper: runId })) === 0)
        throw new Error("Another orphan GC has begun, because this one took too long.");
    });
  } finally {
    await store.releaseLease(db, { sweeper: runId });
  }
}

async function runGc(parts: OrphanGcDeps, renewLease: RenewLease) {
  const { db, log } = parts;
  const { stored, orphans } = await updateOrphans(parts, renewLease);
  const limit = Math.max(ALWAYS_ALLOWED, Math.floor(stored * ORPHAN_SHARE_MAX));
  const approvedCount = await store.findApprovedCount(db);
  if (orphans > Math.max(limit, approvedCount))
    return refuse(
      parts,
      { problem: "too_many_orphans", stored, orphans },
      `${orphans} of ${stored} stored objects belong to no video that this database knows, which is more than the orphan GC deletes (${limit}). ` +
        "If this is the right database and it is up to date, approve their deletion with `npm run -s plumbline -- store approve`.",
    );
  const removed = await deleteDue(parts, renewLease);
  await store.recordGc(db, { problem: null, stored, orphans, isApprovalSpent: orphans <= limit });
  if (removed > 0) log.warn({ removed }, "removed objects that belonged to no video upload");
  return { problem: null, stored, orphans, removed };
}

async function refuse({ db, log }: OrphanGcDeps, outcome: Outcome, sentence: string) {
  await store.recordGc(db, { ...outcome, isApprovalSpent: false });
  const { problem, stored, orphans } = outcome;
  log.error({ store_problem: problem, stored, orphans }, sentence);
  return { ...outcome, removed: 0 };
}

/** Updates the list of orphans. Returns the number of unexplained orphans, and of all objects. */
async function updateOrphans({ db, objects, keepOriginals = true, graceMs = HOUR_MS }: OrphanGcDeps, renewLease: RenewLease) {
  const { now: begun } = await store.readClock(db);
  let stored = 0;
  for await (const batch of inBatches(objects.list(ALL_UPLOADS), BATCH_SIZE)) {
    await renewLease();
    stored += batch.length;
    const old = batch.filter(({ modifiedAt }) => Date.now() - modifiedAt.getTime() >= graceMs).map(({ key }) => key);
    const orphans = await orphansAmong(db, old, keepOriginals);
    await store.insertOrphans(db, { keys: orphans.map(({ key }) => key), reasons: orphans.map(({ reason }) => reason) });
  }
  // The others were deleted or are in use again.
  await store.forgetOrphans(db, { seenAt: { lt: begun } });
  return { stored, orphans: await store.countUnexplained(db) };
}

async function deleteDue(
  { db, objects, keepOriginals = true, orphanAgeMs = DAY_MS }: OrphanGcDeps,
  renewLease: RenewLease,
): Promise<number> {
  for (let [removed, after] = [0, ""]; ;) {
    const found = await store.findDue(db, { ageSeconds: orphanAgeMs / 1_000, after, limit: BATCH_SIZE });
    if (found.length === 0) return removed;
    const due = found.map(({ key }) => key);
    after = due.at(-1)!;
    // Checked again, because a backup may have been restored since the list was updated.
    const orphans = (await orphansAmong(db, due, keepOriginals)).map(({ key }) => key);
    for await (const keys of inBatches(orphans, CONCURRENT_DELETES)) {
      await renewLease();
      await Promise.all(keys.map((key) => objects.delete(key)));
    }
    await store.forgetOrphans(db, { key: { in: orphans } });
    removed += orphans.length;
  }
}

/** The keys that no upload uses now, with the reasons. Retained objects have an expiry of their own. */
async function orphansAmong(db: Db, keys: readonly string[], keepOriginals: boolean): Promise<Orphan[]> {
  const { partials, uploads } = await store.findUploadsOf(db, keys.map(uploadIdOf));
  // In this order, because a deleted upload leaves its table when its objects become retained.
  const retained = await findRetained(db, keys);
  const unfinished = new Set(partials.map(({ id }) => id));
  const rowById = new Map(uploads.map((row) => [row.id, row]));
  return keys.flatMap((key): Orphan[] => {
    if (retained.has(key)) return [];
    const row = rowById.get(uploadIdOf(key));
    if (row === undefined) return unfinished.has(uploadIdOf(key)) ? [] : [{ key, reason: "unknown_upload" }];
    const reason = reasonFor(row, key, keepOriginals);
    return reason === null ? [] : [{ key, reason }];
  });
}

function reasonFor({ id, objectKey, attempt, status }: UploadRow, key: string, keepOriginals: boolean) {
  if (key === objectKey) return keepOriginals || status !== "succeeded" ? null : "original_not_kept";
  // The files of an attempt are in use while it runs and after it has succeeded. The next attempt starts from zero.
  const isInUse = status === "processing" || status === "succeeded";
  return isInUse && key.startsWith(`${attemptFolderOf({ videoUploadId: id, attempt })}/`) ? null : "other_attempt";
}
