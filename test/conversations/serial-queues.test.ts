import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { createSerialQueues } from "../../src/conversations/messages/serial-queues.ts";

describe("a serial queue", () => {
  it("runs the tasks of a key one at a time, in the order of the calls, also after a failed task", async () => {
    const queue = createSerialQueues(10_000);
    const events: string[] = [];
    const work = (name: string, fails = false) =>
      queue("roof", async () => {
        events.push(`${name} begins`);
        await delay(5);
        events.push(`${name} ends`);
        if (fails) throw new Error(name);
      }).catch(() => undefined);
    await Promise.all([work("first"), work("second", true), work("third")]);
    const expected = ["first", "second", "third"].flatMap((name) => [`${name} begins`, `${name} ends`]);
    expect(events).toEqual(expected);
  });

  it("does not wait for the tasks of another key", async () => {
    const queue = createSerialQueues(10_000);
    const endless = Promise.withResolvers<void>();
    const first = queue("roof", () => endless.promise);
    expect(await queue("doors", async () => "done")).toBe("done");
    endless.resolve();
    await first;
  });

  it("rejects a task with unavailable, and does not start it, when it has waited too long", async () => {
    const queue = createSerialQueues(20);
    let isStarted = false;
    const first = queue("roof", () => delay(60));
    const late = queue("roof", async () => {
      isStarted = true;
    });
    await expect(late).rejects.toMatchObject({ code: "unavailable" });
    expect(isStarted).toBe(false);
    await first;
  });
});
