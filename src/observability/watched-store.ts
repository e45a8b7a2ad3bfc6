import { StorageFailure, type ObjectStore, type PutOptions, type PutResult } from "../storage/object-store.ts";
import { isStoreFailure, type WorkRecorder } from "./work-metrics.ts";

/** Counts the bytes that an object store has stored for clients, and how often it fails. */
export function watchStore(store: ObjectStore, { onStored, onStorageFailure }: WorkRecorder): ObjectStore {
  const count = (error: unknown) => {
    if (error instanceof StorageFailure && isStoreFailure(error.kind)) onStorageFailure(error.kind);
  };
  const counted = <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
    async function (...given: Given): Promise<Result> {
      try {
        return await call(...given);
      } catch (error) {
        count(error);
        throw error;
      }
    };
  const countedList = <Given extends readonly unknown[], Item>(list: (...given: Given) => AsyncIterable<Item>) =>
    async function* (...given: Given): AsyncGenerator<Item> {
      try {
        yield* list(...given);
      } catch (error) {
        count(error);
        throw error;
      }
    };
  const countedBytes = (result: PutResult, { freesChunks }: PutOptions): PutResult => {
    // Only bodies of clients free their chunks. A video that is joined from parts is a copy.
    if (freesChunks === true) onStored(result.sizeBytes);
    return result;
  };
  return {
    keepDeletedMs: store.keepDeletedMs,
    put: counted(async (key, source, options) => countedBytes(await store.put(key, source, options), options)),
    extend: counted(async (key, sizeBytes, source, options) => {
      const result = await store.extend(key, sizeBytes, source, options);
      return result === null ? null : countedBytes(result, options);
    }),
    putFile: counted(store.putFile),
    create: counted(store.create),
    get: counted(async (key, range) => {
      const object = await store.get(key, range);
      object?.stream.once("error", count);
      return object;
    }),
    delete: counted(store.delete),
    deletePrefix: counted(store.deletePrefix),
    list: countedList(store.list),
    fetchToFile: counted(store.fetchToFile),
    checkAccess: counted(store.checkAccess),
    findOldVersions: counted(store.findOldVersions),
    listUnfinished: countedList(store.listUnfinished),
    removeUnfinished: counted(store.removeUnfinished),
  };
}
