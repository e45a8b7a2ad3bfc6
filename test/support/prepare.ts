import { afterAll, afterEach, beforeAll, beforeEach } from "@jest/globals";

type Endable = Partial<AsyncDisposable & { close(): Promise<void> }>;

function prepareIn(before: typeof beforeAll, after: typeof afterAll) {
  let ends = new AsyncDisposableStack();
  let isFirst = true;
  return <T extends object>(make: () => Promise<T>): T => {
    // One hook for all, because Jest runs hooks in the order of the file, and what was made last must end first.
    if (isFirst) after(() => ends.disposeAsync());
    isFirst = false;
    let made: T | undefined;
    before(async () => {
      if (ends.disposed) ends = new AsyncDisposableStack();
      const it: T & Endable = await make();
      ends.defer(async () => {
        made = undefined;
        await (it[Symbol.asyncDispose]?.() ?? it.close?.());
      });
      made = it;
    });
    const current = (): T => {
      if (made === undefined) throw new Error("What a file prepares is there only while its tests and hooks run.");
      return made;
    };
    return new Proxy((() => undefined) as unknown as T, {
      get(_, key) {
        const value: unknown = Reflect.get(current(), key);
        // A method of a class works on its object only. What an object holds itself can be a client, a function with properties.
        return typeof value === "function" && !Object.hasOwn(current(), key) ? (value.bind(current()) as unknown) : value;
      },
      ownKeys: () => Reflect.ownKeys(current()),
      getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(current(), key),
      apply: (_, self, args) => Reflect.apply(current() as CallableFunction, self, args) as unknown,
    });
  };
}

/** Makes what all tests of a file use, before the first of them, and ends it after the last one. Use it only in tests and hooks. */
export const prepare = prepareIn(beforeAll, afterAll);

/** The same for each test. */
export const prepareForEach = prepareIn(beforeEach, afterEach);
