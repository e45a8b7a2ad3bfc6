import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Db } from "../../src/database/client.ts";
import { createClickCounter } from "../../src/urls/clicks.ts";
import { eventually } from "../support/eventually.ts";

/** A database that can be unavailable, and that records the clicks written to it. */
function recorder() {
  const state = { isAway: false, failures: 0, written: new Map<string, number>() };
  const $executeRaw = async (_text: unknown, ids: readonly string[], counts: readonly number[]) => {
    if (state.isAway) {
      state.failures++;
      throw new Error("away");
    }
    for (const [index, id] of ids.entries()) state.written.set(id, (state.written.get(id) ?? 0) + counts[index]!);
  };
  return { state, counter: createClickCounter({ $executeRaw } as unknown as Db, pino({ level: "silent" })) };
}

describe("the click counter", () => {
  it("writes each click exactly once after a failed write", async () => {
    const { state, counter } = recorder();
    state.isAway = true;
    for (const id of ["a", "b", "a"]) counter.count(id);
    await eventually("a write fails", async () => state.failures > 0, 10_000);
    state.isAway = false;
    counter.count("a");
    await counter.close();
    expect([...state.written]).toEqual([
      ["a", 3],
      ["b", 1],
    ]);
  });

  it("keeps clicks of at most 100,000 URLs while the database is away", async () => {
    const { state, counter } = recorder();
    for (let index = 0; index < 100_010; index++) counter.count(`url-${index}`);
    counter.count("url-1");
    await counter.close();
    expect(state.written.size).toBe(100_000);
    expect(state.written.get("url-1")).toBe(2);
  });
});
