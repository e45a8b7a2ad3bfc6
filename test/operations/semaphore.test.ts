import { describe, expect, it } from "@jest/globals";
import { Semaphore } from "../../src/util/semaphore.ts";

const { signal } = new AbortController();

/** Takes as many permits of a key as it can have at once. */
function takeAll(semaphore: Semaphore, key: string) {
  const permits = [];
  for (let permit = semaphore.tryAcquire(key); permit !== null; permit = semaphore.tryAcquire(key)) permits.push(permit);
  return permits;
}

describe("a semaphore", () => {
  it("grants max permits, and maxPerKey to one key", () => {
    const semaphore = new Semaphore({ max: 5, maxPerKey: 3 });
    expect(takeAll(semaphore, "a")).toHaveLength(3);
    expect(takeAll(semaphore, "b")).toHaveLength(2);
    expect(semaphore.held).toBe(5);
  });

  it("grants permits FIFO within a key, and round robin between keys", async () => {
    const semaphore = new Semaphore({ max: 1 });
    const order: string[] = [];
    const first = semaphore.tryAcquire("a")!;
    const all = ["a1", "a2", "a3", "b1", "b2", "c1"].map(async (name) => {
      using _permit = await semaphore.acquire(name[0]!, signal);
      order.push(name);
    });
    expect(semaphore.waiting).toBe(6);
    first[Symbol.dispose]();
    await Promise.all(all);
    // While others wait, every second permit is for a key that has just arrived.
    expect(order).toEqual(["a1", "b1", "a2", "c1", "b2", "a3"]);
    expect([semaphore.held, semaphore.waiting]).toEqual([0, 0]);
  });

  it("gives every second permit to a new flow", async () => {
    const semaphore = new Semaphore({ max: 1 });
    const order: string[] = [];
    const first = semaphore.tryAcquire("a")!;
    const run = async (name: string) => {
      using _permit = await semaphore.acquire(name[0]!, signal);
      order.push(name);
      // One that comes back each time has no waiter when it does.
      if (name.startsWith("z") && name !== "z3") all.push(run(`z${Number(name[1]) + 1}`));
    };
    const all = ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "b4", "z1"].map(run);
    first[Symbol.dispose]();
    for (const one of all) await one;
    // After each of its permits, the others get one.
    expect(order.indexOf("z3") - order.indexOf("z1")).toBe(4);
    const others = order.filter((it) => !it.startsWith("z"));
    expect(others.filter((it) => it.startsWith("a"))).toEqual(["a1", "a2", "a3", "a4"]);
    expect(others.filter((it) => it.startsWith("b"))).toEqual(["b1", "b2", "b3", "b4"]);
  });

  it("grants a permit that is released twice to one waiter only", async () => {
    const semaphore = new Semaphore({ max: 1 });
    const first = semaphore.tryAcquire()!;
    const waiting = [semaphore.acquire("a", signal), semaphore.acquire("b", signal)];
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    const second = await waiting[0]!;
    expect([semaphore.held, semaphore.waiting]).toEqual([1, 1]);
    second[Symbol.dispose]();
    (await waiting[1]!)[Symbol.dispose]();
    expect(semaphore.held).toBe(0);
  });

  it("skips a key that holds as many as it can", async () => {
    const semaphore = new Semaphore({ max: 2, maxPerKey: 1 });
    const [a, b] = [semaphore.tryAcquire("a")!, semaphore.tryAcquire("b")!];
    const [again, other] = [semaphore.acquire("a", signal), semaphore.acquire("c", signal)];
    b[Symbol.dispose]();
    (await other)[Symbol.dispose]();
    expect(semaphore.waiting).toBe(1);
    a[Symbol.dispose]();
    (await again)[Symbol.dispose]();
    expect(semaphore.held).toBe(0);
  });

  it("rejects an aborted waiter with the reason of the signal, and holds no permit for it", async () => {
    const semaphore = new Semaphore({ max: 1 });
    const first = semaphore.tryAcquire()!;
    const leaving = new AbortController();
    const [gone, next] = [semaphore.acquire("a", leaving.signal), semaphore.acquire("b", signal)];
    leaving.abort(new Error("left"));
    await expect(gone).rejects.toThrow("left");
    first[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    await expect(semaphore.acquire("a", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    expect([semaphore.held, semaphore.waiting]).toEqual([0, 0]);
  });

  it("is drained when the last permit is released", async () => {
    const semaphore = new Semaphore({ max: 2 });
    const [first, second] = [semaphore.tryAcquire("a")!, semaphore.tryAcquire("b")!];
    let isDrained = false;
    const drained = semaphore.drained().then(() => (isDrained = true));
    first[Symbol.dispose]();
    await Promise.resolve();
    expect(isDrained).toBe(false);
    second[Symbol.dispose]();
    await drained;
    await semaphore.drained();
  });
});

describe("a semaphore that shares its permits", () => {
  it.each([1, 2, 3, 7, 31])("leaves as many free as each of %i keys that want all of them has", (keys) => {
    const semaphore = new Semaphore({ max: 64, sharesPermits: true });
    const names = Array.from({ length: keys }, (_, index) => String(index));
    for (let round = 0; round < 64; round++) for (const name of names) semaphore.tryAcquire(name);
    const free = 64 - semaphore.held;
    expect(free).toBeGreaterThanOrEqual(Math.floor(64 / (keys + 1)));
    expect(semaphore.tryAcquire("new")).not.toBeNull();
  });

  it("gives a key that holds none the last permit", () => {
    const semaphore = new Semaphore({ max: 4, sharesPermits: true });
    for (const key of ["a", "b", "c"]) expect(semaphore.tryAcquire(key)).not.toBeNull();
    expect(semaphore.tryAcquire("a")).toBeNull();
    expect(semaphore.tryAcquire("d")).not.toBeNull();
    expect(semaphore.tryAcquire("e")).toBeNull();
  });
});
