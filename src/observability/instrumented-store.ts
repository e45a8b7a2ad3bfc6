import { StorageFailure, type ObjectStore, type PutOptions, type PutResult } from "../storage/object-store.ts";
import { withErrors } from "../storage/with-errors.ts";
import { isStoreFailure, type WorkRecorder } from "./work-metrics.ts";

/** Counts the bytes that clients upload to an object store, and its failures. */
export function instrumentStore(store: ObjectStore, { onStored, onStorageFailure }: WorkRecorder): ObjectStore {
  const count = (error: unknown) => {
    if (error instanceof StorageFailure && isStoreFailure(error.kind)) onStorageFailure(error.kind);
  };
  const counted = withErrors(store, (error) => {
    count(error);
    throw error;
  });
  const countedBytes = (result: PutResult, { countsAsUpload }: PutOptions): PutResult => {
    if (countsAsUpload === true) onStored(result.sizeBytes);
    return result;
  };
  return {
    ...counted,
    put: async (key, source, options) => countedBytes(await counted.put(key, source, options), options),
    async extend(key, sizeBytes, source, options) {
      const result = await counted.extend(key, sizeBytes, source, options);
      return result === null ? null : countedBytes(result, options);
    },
    async get(key, range) {
      const object = await counted.get(key, range);
      object?.stream.once("error", count);
      return object;
    },
  };
}
