/**
 * The object store in a folder. `objects/` holds finished objects under their keys, `incoming/` holds
 * puts under way, so that nothing unfinished can be mistaken for an object.
 */
import { createHash, randomUUID } from "node:crypto";
import * as fs from "node:fs";
import { copyFile, link, lstat, mkdir, open, opendir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { keySegments, StorageFailure } from "./object-store.ts";
import type { ByteRange, ListedObject, ObjectStore, OpenObject, PutOptions, PutResult } from "./object-store.ts";

const openDescriptor = promisify(fs.open);
const measureDescriptor = promisify(fs.fstat);
const closeDescriptor = promisify(fs.close);

/** An object store in the folder `rootDir`, which is made when the first object comes. */
export function createFileStore(rootDir: string): ObjectStore {
  const objectsDir = join(rootDir, "objects");
  const incomingDir = join(rootDir, "incoming");
  const pathOf = (key: string): string => join(objectsDir, ...keySegments(key));

  const head: ObjectStore["head"] = async (key) => {
    const entry = await orNull(lstat(pathOf(key)));
    return entry?.isFile() ? { sizeBytes: entry.size } : null;
  };

  return {
    async put(key, source, options): Promise<PutResult> {
      const target = pathOf(key);
      const unfinished = join(incomingDir, randomUUID());
      try {
        await makeDurableFolder(incomingDir);
        const result = await receive(source, unfinished, options);
        await publish(unfinished, target);
        return result;
      } catch (error) {
        await rm(unfinished, { force: true });
        throw asStoreFull(error);
      }
    },

    head,

    async get(key, range): Promise<OpenObject | null> {
      // A plain descriptor: a handle whose stream somebody forgot would end the process when collected.
      const fd = await orNull(openDescriptor(pathOf(key), "r"));
      if (fd === null) return null;
      try {
        // Opened before it is measured, so a concurrent put or delete cannot mix two objects.
        const entry = await measureDescriptor(fd);
        if (!entry.isFile()) {
          await closeDescriptor(fd);
          return null;
        }
        return { stream: fs.createReadStream("", { fd, ...clip(range, entry.size) }), sizeBytes: entry.size };
      } catch (error) {
        await closeDescriptor(fd);
        throw error;
      }
    },

    async delete(key) {
      await rm(pathOf(key), { force: true });
    },

    async deletePrefix(prefix) {
      await rm(pathOf(prefix), { recursive: true, force: true, maxRetries: 3 });
    },

    list(prefix) {
      return walk(prefix === "" ? objectsDir : pathOf(prefix), prefix === "" ? "" : `${prefix}/`);
    },

    async fetchToFile(key, path) {
      if (await head(key) === null) return false;
      const object = pathOf(key);
      try {
        await link(object, path);
      } catch (error) {
        if (!hasCode(error, "EXDEV", "EPERM", "EMLINK", "ENOTSUP", "ENOSYS")) throw error;
        // Another file system, or one without hard links: a copy, shared block by block where that exists.
        await copyFile(object, path, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
      }
      return true;
    },

    async removeUnfinished(olderThanMs) {
      let removed = 0;
      for await (const { key, modifiedAt } of walk(incomingDir, "")) {
        if (Date.now() - modifiedAt.getTime() < olderThanMs) continue;
        await rm(join(incomingDir, key), { force: true });
        removed += 1;
      }
      return removed;
    },
  };
}

/** Streams the source into a new file and onto the disk, one chunk at a time, counting and hashing on the way. */
async function receive(source: AsyncIterable<Uint8Array>, path: string, options: PutOptions): Promise<PutResult> {
  const { maxBytes, signal } = options;
  const hash = createHash("sha256");
  const chunks = source[Symbol.asyncIterator]();
  let sizeBytes = 0;
  try {
    await using file = await open(path, "wx", 0o600);
    for (let next = await nextChunk(chunks, signal); next.done !== true; next = await nextChunk(chunks, signal)) {
      sizeBytes += next.value.byteLength;
      if (sizeBytes > maxBytes) throw new StorageFailure("too_large", `more than ${maxBytes} bytes`);
      hash.update(next.value);
      await file.writeFile(next.value);
    }
    await file.sync();
  } catch (error) {
    // Not awaited: a source that is stuck would never answer, and there is nothing to learn from it.
    chunks.return?.()?.catch(() => undefined);
    throw error;
  }
  return { sizeBytes, sha256: hash.digest("hex") };
}

/** Waits for a chunk, but not for a source that is stuck: `stream.pipeline` never settles there (measured). */
function nextChunk(chunks: AsyncIterator<Uint8Array>, signal?: AbortSignal): Promise<IteratorResult<Uint8Array>> {
  if (signal === undefined) return chunks.next();
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => resolve(reasonOf(signal));
    signal.addEventListener("abort", stop, { once: true });
    chunks.next().then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Rejects with the reason of an aborted signal. */
async function reasonOf(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  throw new Error("the signal is not aborted");
}

/** Gives a finished file its name; when it resolves, the name survives a power cut too. */
async function publish(unfinished: string, target: string): Promise<void> {
  const folder = dirname(target);
  await makeDurableFolder(folder);
  try {
    await rename(unfinished, target);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
    // A concurrent deletePrefix took the folder away between the two steps: once more.
    await makeDurableFolder(folder);
    await rename(unfinished, target);
  }
  await syncFolder(folder);
}

/** Makes a folder and its parents, each one durable in the folder that holds it. */
async function makeDurableFolder(folder: string): Promise<void> {
  const firstMade = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (firstMade === undefined) return;
  for (let made = folder; made.length >= firstMade.length; made = dirname(made)) await syncFolder(dirname(made));
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return; // Windows cannot flush a folder, and needs no flush to keep a name.
  await using handle = await open(folder, "r");
  await handle.sync();
}

async function* walk(folder: string, keyPrefix: string): AsyncIterable<ListedObject> {
  const entries = await orNull(opendir(folder));
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path, `${keyPrefix}${entry.name}/`);
    const file = entry.isFile() ? await orNull(lstat(path)) : null;
    if (file !== null) yield { key: `${keyPrefix}${entry.name}`, sizeBytes: file.size, modifiedAt: file.mtime };
  }
}

function clip(range: ByteRange | undefined, sizeBytes: number): { start?: number; end?: number } {
  if (range === undefined) return {};
  const { start, end } = range;
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end;
  if (!valid || start >= sizeBytes) throw new StorageFailure("invalid_range", `no bytes ${start}-${end} of ${sizeBytes}`);
  return { start, end: Math.min(end, sizeBytes - 1) };
}

/** What the promise gives, or null when nothing is there (a file in place of a folder included). */
async function orNull<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return typeof error === "object" && error !== null && "code" in error && codes.includes(String(error.code));
}

function asStoreFull(error: unknown): unknown {
  if (!hasCode(error, "ENOSPC", "EDQUOT")) return error;
  return new StorageFailure("store_full", "the object store has no room left", { cause: error });
}
