import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import type { Db } from "../db/client.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { ALL_UPLOADS, attemptFolderOf, uploadIdOf } from "./keys.ts";

type Parts = {
  readonly db: Db;
  readonly objects: ObjectStore;
  readonly log: Logger;
  /** Nothing younger is touched: an upload under way has no row yet. */
  readonly olderThanMs: number;
  /** Whether the original of a video that has succeeded has a reason to be there. */
  readonly keepOriginals?: boolean;
  /** Between the two looks at an object. Longer than a transaction lasts with all its attempts. */
  readonly settleMs?: number;
};

const SETTLE_MS = 60_000;
const LOOKED_AT_TOGETHER = 1_000;
const SETTLED_TOGETHER = 10_000;
const DELETED_TOGETHER = 20;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Removes what a crash has left behind: objects that belong to no upload, outputs of attempts that came to nothing, and
 * unfinished puts. An upload's bytes are stored before its row, and a bucket may take them for as old as the beginning
 * of the upload; so whoever has no row is looked for a second time, when every row that was being written must be there.
 */
export async function sweepObjects({
  db,
  objects,
  log,
  olderThanMs,
  keepOriginals = true,
  settleMs = SETTLE_MS,
}: Parts): Promise<{ readonly removed: number; readonly unfinished: number }> {
  const unfinished = await objects.removeUnfinished(olderThanMs);
  let removed = 0;
  for await (const suspects of inBatches(orphans(db, oldKeys(objects, olderThanMs), keepOriginals), SETTLED_TOGETHER)) {
    await delay(settleMs);
    for await (const keys of inBatches(orphans(db, suspects, keepOriginals), DELETED_TOGETHER)) {
      await Promise.all(keys.map((key) => objects.delete(key)));
      removed += keys.length;
    }
  }
  if (removed + unfinished > 0) log.warn({ removed, unfinished }, "removed objects that belonged to no video upload");
  return { removed, unfinished };
}

async function* oldKeys(objects: ObjectStore, olderThanMs: number): AsyncGenerator<string> {
  for await (const { key, modifiedAt } of objects.list(ALL_UPLOADS)) {
    if (Date.now() - modifiedAt.getTime() >= olderThanMs) yield key;
  }
}

/** Those of the keys that belong to no upload as it stands now. */
async function* orphans(db: Db, keys: AsyncIterable<string> | Iterable<string>, keepOriginals: boolean): AsyncGenerator<string> {
  for await (const batch of inBatches(keys, LOOKED_AT_TOGETHER)) {
    const where = { id: { in: [...new Set(batch.map(uploadIdOf).filter((id) => UUID.test(id)))] } };
    // In this order: an upload leaves the first table when it enters the second.
    const partials = await db.partialUpload.findMany({ where, select: { id: true } });
    const rows = await db.videoUpload.findMany({ where, select: { id: true, objectKey: true, attempt: true, status: true } });
    const unfinished = new Set(partials.map(({ id }) => id));
    const rowById = new Map(rows.map((row) => [row.id, row]));
    yield* batch.filter((key) => {
      const row = rowById.get(uploadIdOf(key));
      return row === undefined ? !unfinished.has(uploadIdOf(key)) : !belongsTo(row, key, keepOriginals);
    });
  }
}

type Row = { readonly id: string; readonly objectKey: string; readonly attempt: number; readonly status: string };

function belongsTo({ id, objectKey, attempt, status }: Row, key: string, keepOriginals: boolean): boolean {
  if (key === objectKey) return keepOriginals || status !== "succeeded";
  // What an attempt has made is of use while it runs and when it has succeeded; the next one begins anew.
  return (
    (status === "processing" || status === "succeeded") && key.startsWith(`${attemptFolderOf({ videoUploadId: id, attempt })}/`)
  );
}

async function* inBatches<T>(items: AsyncIterable<T> | Iterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
