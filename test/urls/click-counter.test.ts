import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Db } from "../../src/database/client.ts";
import { createClickCounter } from "../../src/urls/clicks.ts";
import { eventually } from "../support/eventually.ts";

/** A database that can be unavailable or lose the response to a COMMIT, and that records the clicks written to it. */
function recorder() {
  const state = {
    isAway: false,
    losesCommit: false,
    outcome: "committed" as "committed" | "aborted" | "in progress",
    failures: 0,
    questions: 0,
    written: new Map<string, number>(),
    writtenDays: new Map<string, number>(),
  };
  const commit = (ids: readonly string[], counts: readonly number[], _lastAts: readonly string[], day: string) => {
    for (const [index, id] of ids.entries()) {
      state.written.set(id, (state.written.get(id) ?? 0) + counts[index]!);
      state.writtenDays.set(`${id} ${day}`, (state.writtenDays.get(`${id} ${day}`) ?? 0) + counts[index]!);
    }
  };
  const db = {
    async $queryRawUnsafe() {
      if (state.isAway) throw new Error("away");
      state.questions++;
      return [{ status: state.outcome }];
    },
    async $transaction(work: (tx: object) => Promise<void>) {
      let written: Parameters<typeof commit> = [[], [], [], ""];
      const $queryRawUnsafe = async (_text: string, ...values: typeof written) => {
        if (state.isAway) throw new Error("away");
        written = values;
        return [{ transactionId: "7" }];
      };
      await work({ $queryRawUnsafe }).catch((error: unknown) => {
        state.failures++;
        throw error;
      });
      if (!state.losesCommit || state.outcome === "committed") commit(...written);
      if (!state.losesCommit) return;
      state.losesCommit = false;
      state.failures++;
      throw new Error("Connection terminated");
    },
  };
  return { state, counter: createClickCounter(db as unknown as Db, pino({ level: "silent" })) };
}

// Most of them wait for the next write, so they run at once.
describe("the click counter", () => {
  it.concurrent("writes each click exactly once after a failed write", async () => {
    const { state, counter } = recorder();
    state.isAway = true;
    for (const id of ["a", "b", "a"]) counter.count(id);
    await eventually("a write fails", async () => state.failures > 0);
    state.isAway = false;
    counter.count("a");
    await counter.close();
    expect([...state.written]).toEqual([
      ["a", 3],
      ["b", 1],
    ]);
  });

  it.concurrent.each(["committed", "aborted"] as const)(
    "writes each click exactly once if the response to a COMMIT is lost, and the transaction is found %s when it has ended",
    async (outcome) => {
      const { state, counter } = recorder();
      Object.assign(state, { losesCommit: true, outcome });
      counter.count("a");
      await eventually("a lost answer", () => state.failures === 1);
      state.outcome = "in progress";
      counter.count("a");
      await eventually("two questions", () => state.questions === 2);
      expect(state.written.get("a")).toBe(outcome === "committed" ? 1 : undefined);
      state.outcome = outcome;
      counter.count("a");
      await counter.close();
      expect(state.written.get("a")).toBe(3);
    },
  );

  it.concurrent("writes each click on its own day (UTC), also after midnight and a failed write", async () => {
    const { state, counter } = recorder();
    state.isAway = true;
    const [before, after] = [new Date("2026-11-24T23:59:59.999Z"), new Date("2026-11-25T00:00:00.000Z")];
    for (const at of [before, after, after]) counter.count("a", at);
    counter.count("b", before);
    await eventually("a write fails", async () => state.failures > 0);
    counter.count("a", before);
    state.isAway = false;
    await counter.close();
    expect([...state.writtenDays].sort()).toEqual([
      ["a 2026-11-24", 2],
      ["a 2026-11-25", 2],
      ["b 2026-11-24", 1],
    ]);
  });

  it("stores clicks of at most 100,000 URLs while the database is away", async () => {
    const { state, counter } = recorder();
    for (let index = 0; index < 100_010; index++) counter.count(`url-${index}`);
    counter.count("url-1");
    await counter.close();
    expect(state.written.size).toBe(100_000);
    expect(state.written.get("url-1")).toBe(2);
  });
});
