/** The object store in a folder. `objects/` has finished objects under their keys, and `incoming/` has unfinished puts. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import { access, lstat, open, opendir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { bytesAt, fill, seal } from "./file-bytes.ts";
import { asStorageFailure } from "./file-failures.ts";
import { hasCode, isMissing, linkOrCopy, makeDurableFolder, publish, removeEmptyFolders, type Naming } from "./file-names.ts";
import { guardFreeSpace, requireFreeSpace } from "./free-space.ts";
import { keySegments, orNull, StorageFailure } from "./object-store.ts";
import type { ListedObject, ObjectStore, OpenObject, PutOptions, PutResult } from "./object-store.ts";
import { withErrors } from "./with-errors.ts";

const measureDescriptor = promisify(fs.fstat);

/** The folders of a store, and the free space to leave on their disk. */
type Folders = {
  readonly objectsDir: string;
  readonly incomingDir: string;
  readonly minFreeBytes: number;
  pathOf(key: string): string;
};

/**
 * Creates an object store in `rootDir`. A put fails with `store_full` if less than `minFreeBytes` of the disk would stay free.
 */
export function createFileStore(rootDir: string, minFreeBytes = 0, retainDeletedMs = 0): ObjectStore {
  const [objectsDir, incomingDir] = [join(rootDir, "objects"), join(rootDir, "incoming")];
  const pathOf = (key: string): string => join(objectsDir, ...keySegments(key));
  const folders = { objectsDir, incomingDir, minFreeBytes, pathOf };
  const store = { retainDeletedMs, ...writesTo(folders), ...readsFrom(folders), ...removalsFrom(folders) };
  return withErrors(store, (error) => {
    throw asStorageFailure(rootDir, error);
  });
}

function writesTo(folders: Folders) {
  const { incomingDir, minFreeBytes, pathOf } = folders;
  const guarded = (source: AsyncIterable<Uint8Array>, { expectedBytes }: PutOptions) =>
    minFreeBytes === 0 ? source : guardFreeSpace(source, incomingDir, minFreeBytes, expectedBytes);
  const put: ObjectStore["put"] = async (key, source, options) =>
    add(folders, key, rename, (unfinished) => receive(guarded(source, options), unfinished, options));

  return {
    put,

    async extend(key, sizeBytes, source, options) {
      const file = await orNull(open(pathOf(key), fs.constants.O_WRONLY | fs.constants.O_APPEND), isMissing);
      if (file === null) return null;
      await using _ = file;
      if ((await file.stat()).size < sizeBytes) throw new Error(`The object ${key} has lost bytes.`);
      await file.truncate(sizeBytes);
      try {
        return await fill(file, guarded(source, options), options);
      } catch (error) {
        // Only frees disk space: these bytes are never read.
        await file.truncate(sizeBytes).catch(() => undefined);
        throw error;
      }
    },

    async putFile(key, path, options) {
      options.signal?.throwIfAborted();
      try {
        return await add(folders, key, rename, async (unfinished) => {
          await rename(path, unfinished);
          return seal(unfinished, options);
        });
      } catch (error) {
        if (!hasCode(error, "EXDEV")) throw error;
        return put(key, bytesAt(path), { expectedBytes: (await lstat(path)).size, ...options });
      }
    },

    async create(key, bytes) {
      try {
        const source = Readable.from([bytes]);
        await add(folders, key, linkOrCopy, (unfinished) => receive(source, unfinished, { maxBytes: bytes.byteLength }));
        return true;
      } catch (error) {
        if (hasCode(error, "EEXIST")) return false;
        throw error;
      }
    },

    async checkAccess(prefix) {
      for (const folder of [incomingDir, pathOf(prefix)]) await requireWritable(folder);
    },
  } satisfies Partial<ObjectStore>;
}

/** Makes a new file in `incoming/` and publishes it. Leaves nothing in `incoming/`. */
async function add(
  { incomingDir, pathOf }: Folders,
  key: string,
  name: Naming,
  make: (unfinished: string) => Promise<PutResult>,
): Promise<PutResult> {
  const target = pathOf(key);
  const unfinished = join(incomingDir, randomUUID());
  try {
    await makeDurableFolder(incomingDir);
    const result = await make(unfinished);
    await publish(unfinished, target, name);
    return result;
  } finally {
    // An error here would hide the first one. `removeUnfinished` removes the file later.
    await rm(unfinished, { force: true }).catch(() => undefined);
  }
}

const readsFrom = ({ objectsDir, pathOf }: Folders) =>
  ({
    async get(key, range): Promise<OpenObject | null> {
      // Not a FileHandle: if the stream is never closed, garbage collection of an open handle ends the process.
      const stream = fs.createReadStream(pathOf(key), range);
      const opened = await orNull(once(stream, "open") as Promise<[fd: number]>, isMissing);
      if (opened === null) return null;
      // Measured through the open descriptor, so that a concurrent put cannot mix two objects.
      const entry = await measureDescriptor(opened[0]);
      const isInside = range === undefined || range.start < entry.size;
      if (entry.isFile() && isInside) return { stream, sizeBytes: entry.size };
      stream.destroy();
      if (!entry.isFile()) return null;
      throw new StorageFailure("invalid_range", `no byte of ${entry.size} is in the range`);
    },

    list: (prefix) => (prefix === "" ? walk(objectsDir, "") : walk(pathOf(prefix), `${prefix}/`)),

    async fetchToFile(key, path, { signal, minFreeBytes = 0 } = {}) {
      signal?.throwIfAborted();
      const object = pathOf(key);
      const found = await orNull(lstat(object), isMissing);
      if (!found?.isFile()) return false;
      await linkOrCopy(object, path, () => requireFreeSpace(dirname(path), minFreeBytes, found.size));
      return true;
    },

    findOldVersions: async () => ({ stay: "never" }),
  }) satisfies Partial<ObjectStore>;

const removalsFrom = ({ objectsDir, incomingDir, pathOf }: Folders) =>
  ({
    async delete(key) {
      await rm(pathOf(key), { force: true, maxRetries: 3 });
      await removeEmptyFolders(dirname(pathOf(key)), objectsDir);
    },

    async deletePrefix(prefix) {
      await rm(pathOf(prefix), { recursive: true, force: true, maxRetries: 3 });
    },

    async *listUnfinished(olderThanMs) {
      for await (const { key, modifiedAt } of walk(incomingDir, "")) {
        const endsAt = new Date(modifiedAt.getTime() + olderThanMs);
        yield { endsAt, remove: () => rm(join(incomingDir, key), { force: true }).then(() => true) };
      }
    },
  }) satisfies Partial<ObjectStore>;

/** Fails unless this process can add files to a folder or, if it doesn't exist, to the nearest parent that does. */
async function requireWritable(folder: string): Promise<void> {
  await access(folder, fs.constants.W_OK | fs.constants.X_OK).catch((error: unknown) => {
    if (!hasCode(error, "ENOENT")) throw error;
    return requireWritable(dirname(folder));
  });
}

async function receive(source: AsyncIterable<Uint8Array>, path: string, options: PutOptions): Promise<PutResult> {
  await using file = await open(path, "wx", 0o600);
  return await fill(file, source, options);
}

async function* walk(folder: string, keyPrefix: string): AsyncIterable<ListedObject> {
  const entries = await orNull(opendir(folder), isMissing);
  if (entries === null) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path, `${keyPrefix}${entry.name}/`);
    const file = entry.isFile() ? await orNull(lstat(path), isMissing) : null;
    if (file !== null) yield { key: `${keyPrefix}${entry.name}`, sizeBytes: file.size, modifiedAt: file.mtime };
  }
}
