import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { createBatches } from "../../src/util/batches.ts";

/** Returns work that records its batches, and waits for `gate` in the first one. */
function record(gate: Promise<void>, failing: (items: readonly string[]) => boolean = () => false) {
  const batches: string[] = [];
  const work = async (items: readonly string[], key: string) => {
    batches.push(`${key}: ${items.join(" ")}`);
    if (batches.length === 1) await gate;
    if (failing(items)) throw new Error("This batch fails.");
    return items.map((it) => it.toUpperCase());
  };
  return { batches, work };
}

describe("items in batches", () => {
  it("that arrive during a call share the next ones, oldest first, at most so many, and each gets its own result", async () => {
    const gate = Promise.withResolvers<void>();
    const { batches, work } = record(gate.promise);
    const add = createBatches(work, { max: 2 });
    const results = ["a", "b", "c", "d"].map((it) => add(it, "roof"));
    gate.resolve();
    expect(await Promise.all(results)).toEqual(["A", "B", "C", "D"]);
    expect(batches).toEqual(["roof: a", "roof: b c", "roof: d"]);
    expect(await add("e", "roof")).toBe("E");
  });

  it("do not wait for the work of another key", async () => {
    const gate = Promise.withResolvers<void>();
    const add = createBatches(record(gate.promise).work, { max: 2 });
    const first = add("a", "roof");
    expect(await add("b", "doors")).toBe("B");
    gate.resolve();
    expect(await first).toBe("A");
  });

  it("fail together with their batch, and later ones don't", async () => {
    const gate = Promise.withResolvers<void>();
    const { batches, work } = record(gate.promise, (items) => items.includes("bad"));
    const add = createBatches(work, { max: 2 });
    const results = ["a", "bad", "c", "d"].map((it) => add(it));
    gate.resolve();
    expect((await Promise.allSettled(results)).map((it) => it.status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    expect(batches).toEqual([": a", ": bad c", ": d"]);
  });

  it("fail alone, if they are tried again alone", async () => {
    const gate = Promise.withResolvers<void>();
    const { batches, work } = record(gate.promise, (items) => items.includes("bad"));
    const add = createBatches(work, { max: 3, retriesAlone: true });
    const results = ["a", "b", "bad", "c"].map((it) => add(it));
    gate.resolve();
    expect((await Promise.allSettled(results)).map((it) => it.status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(batches).toEqual([": a", ": b bad c", ": b", ": bad", ": c"]);
  });

  it("fail with unavailable, and no call gets them, when they have waited for too long", async () => {
    const gate = Promise.withResolvers<void>();
    const { batches, work } = record(gate.promise);
    const add = createBatches(work, { max: 2, waitMaxMs: 20 });
    const first = add("a");
    const late = add("b");
    await delay(60);
    gate.resolve();
    await expect(late).rejects.toMatchObject({ code: "unavailable" });
    expect(await first).toBe("A");
    expect(batches).toEqual([": a"]);
  });
});
