import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "../../src/util/make-folder.ts";
import { tryLock } from "../../src/util/process-lock.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { MARKER_KEY } from "../../src/storage/marker.ts";
import { orNull, removeUnfinished, type ListedObject, type ObjectStore } from "../../src/storage/object-store.ts";
import { inBatches } from "../../src/video-uploads/objects/batches.ts";

/**
 * A copy has the current objects in `objects/`, removed ones in `gone/<milliseconds since 1970>/`, and in `began` the time of the
 * last complete copy.
 */
const BEGAN = "began";
const GONE = "gone";

const COPIED_TOGETHER = 8;
const DAY_MS = 24 * 3_600_000;

export type CopyOutcome = {
  readonly beganAt: Date;
  readonly copied: number;
  readonly bytes: number;
  /** The number of objects that are no longer in the store. */
  readonly gone: number;
  /**
   * Between this time and `beganAt`, a restore can lack files, because objects were deleted before this copy ended. Otherwise
   * null.
   */
  readonly gapFrom: Date | null;
};

/**
 * Brings a copy up to date. Removed objects stay in it for `keepDays`. `began` is written last, so an interrupted copy is not
 * complete.
 */
export async function copyStore(from: ObjectStore, folder: string, keepDays: number): Promise<CopyOutcome> {
  await makeFolder(folder, 0o700);
  using lock = tryLock(join(folder, "copy.lock"));
  if (lock === null) throw new StartupError(`Another copy into ${folder} is running.`);
  const beganAt = new Date();
  const earlier = await findBegan(folder);
  const to = createFileStore(folder);
  // Files of a copy that was killed.
  await removeUnfinished(to, 0);
  const seen = new Set<string>();
  let [copied, bytes, gone] = [0, 0, 0];
  for await (const batch of inBatches(from.list(""), COPIED_TOGETHER)) {
    for (const { key } of batch) seen.add(key);
    for (const it of await Promise.all(batch.map((object) => copyMissing(from, to, object)))) {
      copied += it === null ? 0 : 1;
      bytes += it ?? 0;
    }
  }
  await writeBegan(folder, beganAt);
  const isLate = Date.now() - (earlier ?? beganAt).getTime() > from.retainDeletedMs;
  for await (const { key } of to.list("")) {
    if (seen.has(key)) continue;
    await setAside(to, key, join(folder, GONE, String(beganAt.getTime())));
    gone += 1;
  }
  for (const it of await findGone(folder))
    if (it.sinceMs < beganAt.getTime() - keepDays * DAY_MS) await rm(it.path, { recursive: true, force: true });
  return { beganAt, copied, bytes, gone, gapFrom: isLate ? (earlier ?? beganAt) : null };
}

/** Puts the objects of a copy into an empty store, for a database of the time `at`; by default, of the copy. Repeatable. */
export async function restoreStore(folder: string, to: ObjectStore, at: Date | null) {
  const beganAt = await findBegan(folder);
  if (beganAt === null) throw new StartupError(`There is no complete copy in ${folder}.`);
  if (at !== null && at > beganAt)
    throw new StartupError(`The copy in ${folder} is of ${inSql(beganAt)}. Choose this moment or an earlier one.`);
  const since = (await findGone(folder)).filter((it) => it.sinceMs > (at ?? beganAt).getTime());
  const sources = [folder, ...since.map((it) => it.path)].map((it) => createFileStore(it));
  for await (const { key } of to.list("")) {
    const sizes = await Promise.all(sources.map((it) => sizeOf(it, key)));
    if (sizes.every((it) => it === null))
      throw new StartupError(`The store has ${key}, which the copy doesn't have. Restore into an empty store.`);
  }
  let [restored, bytes] = [0, 0];
  for (const from of sources)
    for await (const batch of inBatches(from.list(""), COPIED_TOGETHER))
      for (const it of await Promise.all(batch.map((object) => copyMissing(from, to, object)))) {
        restored += it === null ? 0 : 1;
        bytes += it ?? 0;
      }
  return { at: at ?? beganAt, restored, bytes };
}

/** Copies an object unless it exists already, and returns its size, or null. Only the marker ever changes. */
async function copyMissing(from: ObjectStore, to: ObjectStore, { key, sizeBytes }: ListedObject): Promise<number | null> {
  if (key !== MARKER_KEY && (await sizeOf(to, key)) === sizeBytes) return null;
  const found = await from.get(key);
  // It was deleted after it was listed.
  if (found === null) return null;
  const stored = await to.put(key, found.stream, { maxBytes: found.sizeBytes, expectedBytes: found.sizeBytes });
  if (stored.sizeBytes === found.sizeBytes) return stored.sizeBytes;
  await to.delete(key);
  throw new Error(`Only ${stored.sizeBytes} of ${found.sizeBytes} bytes of ${key} could be read.`);
}

async function sizeOf(store: ObjectStore, key: string): Promise<number | null> {
  const found = await store.get(key);
  found?.stream.destroy();
  return found?.sizeBytes ?? null;
}

/** Moves an object from `objects/` into another folder of a copy. */
async function setAside(copy: ObjectStore, key: string, folder: string): Promise<void> {
  const path = join(folder, "objects", ...key.split("/"));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await copy.fetchToFile(key, path);
  await copy.delete(key);
}

async function findGone(folder: string) {
  const names = (await orNull(readdir(join(folder, GONE)), isMissing)) ?? [];
  return names.map((name) => ({ path: join(folder, GONE, name), sinceMs: Number(name) }));
}

async function findBegan(folder: string): Promise<Date | null> {
  const text = await orNull(readFile(join(folder, BEGAN), "utf8"), isMissing);
  return text === null ? null : new Date(text.trim());
}

async function writeBegan(folder: string, at: Date): Promise<void> {
  const path = join(folder, BEGAN);
  await writeFile(`${path}.new`, `${inSql(at)}\n`, { flush: true });
  await rename(`${path}.new`, path);
}

/** A time in the format of `recovery_target_time` of PostgreSQL. */
export const inSql = (at: Date): string => at.toISOString().replace("T", " ").replace("Z", "+00:00");

const isMissing = (error: unknown) => (error as { code?: unknown }).code === "ENOENT";
