import type { ObjectStore } from "./object-store.ts";

/** The same store, in which `onError` gets each error, and throws what the caller is to get. */
export function withErrors(store: ObjectStore, onError: (error: unknown) => never): ObjectStore {
  const { keepDeletedMs, list, listUnfinished, ...methods } = store;
  const call =
    <Given extends readonly unknown[], Result>(method: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      method(...given).catch(onError);
  async function* each<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      yield* items;
    } catch (error) {
      onError(error);
    }
  }
  const calls = Object.entries(methods).map(([name, it]) => [name, call(it as (...given: never[]) => Promise<unknown>)]);
  return {
    ...(Object.fromEntries(calls) as typeof methods),
    keepDeletedMs,
    list: (prefix) => each(list(prefix)),
    async *listUnfinished(olderThanMs) {
      for await (const { endsAt, remove } of each(listUnfinished(olderThanMs))) yield { endsAt, remove: call(remove) };
    },
  };
}
