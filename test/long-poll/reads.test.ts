import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { WaitingRoom } from "../../src/long-poll/waiting-room.ts";
import { eventually } from "../support/eventually.ts";

const READS_AT_ONCE = 16;

/** One caller has as many reads in progress as can run at once. `endOne` ends the oldest. */
async function busyRoom() {
  const room = new WaitingRoom({ max: 1_000, maxPerCaller: 1_000 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const read = (caller: string, res = new EventEmitter()) =>
    room.read(caller, res as ServerResponse, () => {
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
  return { room, read, begun: () => begun.slice(READS_AT_ONCE), endOne };
}

describe("the reads of requests that were woken", () => {
  it("alternate between callers, so that 10,000 of one user delay another user's by one read", async () => {
    const { read, begun, endOne } = await busyRoom();
    for (let n = 0; n < 10_000; n++) void read("eve");
    void read("ada");
    expect(begun()).toEqual([]);
    for (let n = 0; n < 4; n++) await endOne();
    expect(begun()).toEqual(["eve", "ada", "eve", "eve"]);
  });

  it("don't begin for a client that has left, and leave its permit to the next one", async () => {
    const { room, read, begun, endOne } = await busyRoom();
    const gone = new EventEmitter();
    const left = read("ben", gone);
    void read("ada");
    gone.emit("close");
    expect(room.reading.waiting).toBe(1);
    expect(await left).toBeNull();
    await endOne();
    expect(begun()).toEqual(["ada"]);
  });
});
