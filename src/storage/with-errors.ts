import type { ObjectStore } from "./object-store.ts";

/** The same store, in which `onError` gets each error, and throws what the caller is to get. */
export function withErrors(store: ObjectStore, onError: (error: unknown) => never): ObjectStore {
  const call =
    <Given extends readonly unknown[], Result>(method: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      method(...given).catch(onError);
  const list = <Given extends readonly unknown[], Item>(method: (...given: Given) => AsyncIterable<Item>) =>
    async function* (...given: Given): AsyncGenerator<Item> {
      try {
        yield* method(...given);
      } catch (error) {
        onError(error);
      }
    };
  return {
    keepDeletedMs: store.keepDeletedMs,
    put: call(store.put),
    extend: call(store.extend),
    putFile: call(store.putFile),
    create: call(store.create),
    get: call(store.get),
    delete: call(store.delete),
    deletePrefix: call(store.deletePrefix),
    list: list(store.list),
    fetchToFile: call(store.fetchToFile),
    checkAccess: call(store.checkAccess),
    findOldVersions: call(store.findOldVersions),
    async *listUnfinished(olderThanMs) {
      for await (const { endsAt, remove } of list(store.listUnfinished)(olderThanMs)) yield { endsAt, remove: call(remove) };
    },
  };
}
