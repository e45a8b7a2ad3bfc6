import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { every } from "../../src/util/every.ts";

describe("work that is repeated", () => {
  it("begins at once, runs one at a time, also after a failure, and ends with its last run", async () => {
    const ending = new AbortController();
    let [begun, running, runningMax, ended] = [0, 0, 0, 0];
    const repeated = every(1, ending.signal, async () => {
      begun += 1;
      running += 1;
      runningMax = Math.max(runningMax, running);
      await delay(5);
      running -= 1;
      ended += 1;
      if (ended === 3) ending.abort();
      throw new Error("It failed.");
    });
    expect(begun).toBe(1);
    await repeated;
    expect({ begun, running, runningMax, ended }).toEqual({ begun: 3, running: 0, runningMax: 1, ended: 3 });
  });

  it("ends without another run when the signal is aborted between two runs", async () => {
    const ending = new AbortController();
    let runs = 0;
    const repeated = every(60_000, ending.signal, async () => void (runs += 1));
    await delay(5);
    ending.abort();
    await repeated;
    expect(runs).toBe(1);
  });
});
