import type { ObjectStore } from "./object-store.ts";

/** The same store, with errors mapped by `onError`. */
export function withErrors(store: ObjectStore, onError: (error: unknown) => never): ObjectStore {
  const { retainDeletedMs, list, listUnfinished, ...methods } = store;
  const call =
    <Args extends readonly unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    (...args: Args): Promise<Result> =>
      method(...args).catch(onError);
  async function* each<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
    try {
      yield* items;
    } catch (error) {
      onError(error);
    }
  }
  const calls = Object.entries(methods).map(([name, it]) => [name, call(it as (...args: never[]) => Promise<unknown>)]);
  return {
    ...(Object.fromEntries(calls) as typeof methods),
    retainDeletedMs,
    list: (prefix) => each(list(prefix)),
    async *listUnfinished(olderThanMs) {
      for await (const { endsAt, remove } of each(listUnfinished(olderThanMs))) yield { endsAt, remove: call(remove) };
    },
  };
}
