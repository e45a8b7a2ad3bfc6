import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { Subscriptions } from "../../src/long-poll/subscriptions.ts";
import { eventually } from "../support/eventually.ts";

const READS_AT_ONCE = 16;

/** Subscriptions of a client with as many reads in progress as are allowed. `endOne` ends the oldest. */
async function busySubscriptions() {
  const subscriptions = new Subscriptions({ max: 1_000, maxPerCaller: 1_000 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (caller: string, res = new EventEmitter()) =>
    subscriptions.read(caller, res as ServerResponse, () => {
      begun.push(caller);
      return new Promise<string>((resolve) => void ends.push(() => resolve("read")));
    });
  const first = Array.from({ length: READS_AT_ONCE }, () => read("eve"));
  const endOne = async () => {
    const before = begun.length;
    ends.shift()!();
    await first.shift();
    await eventually("another read", () => begun.length > before);
  };
  return { subscriptions, read, begun: () => begun.slice(READS_AT_ONCE), endOne };
}

describe("the reads of requests that were woken", () => {
  it("are scheduled round robin, so that 10,000 of one user delay another user by one read", async () => {
    const { read, begun, endOne } = await busySubscriptions();
    for (let n = 0; n < 10_000; n++) void read("eve");
    void read("ada");
    expect(begun()).toEqual([]);
    for (let n = 0; n < 4; n++) await endOne();
    expect(begun()).toEqual(["eve", "ada", "eve", "eve"]);
  });

  it("don't begin for a client that has disconnected, and leave its permit to the next one", async () => {
    const { subscriptions, read, begun, endOne } = await busySubscriptions();
    const gone = new EventEmitter();
    const left = read("ben", gone);
    void read("ada");
    gone.emit("close");
    expect(subscriptions.reads.waiting).toBe(1);
    expect(await left).toBeNull();
    await endOne();
    expect(begun()).toEqual(["ada"]);
  });
});
