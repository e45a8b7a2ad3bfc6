import { expect, it } from "@jest/globals";
import { openConversation, sendPersistently } from "../support/conversations.ts";
import type { Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const SENDERS = 24;
const ROUNDS = 5;
const READS = 15;
/** Sending uses more CPU than reading, so the reads can be slower. They must not also wait for locks or connections. */
const RATIO_MAX = 3;

const service = prepare(() => startTestService({ ROLE: "api" }));

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** The durations of a client's reads, one after the other. */
async function readsMs(reader: Client, path: string): Promise<number[]> {
  const took: number[] = [];
  for (let count = 0; count < READS; count++) {
    const beganMs = performance.now();
    expect((await reader("GET", path)).status).toBe(200);
    took.push(performance.now() - beganMs);
  }
  return took;
}

/** Sends requests with every client until `work` is done, and returns the number of requests. */
async function beside(
  clients: readonly Client[],
  request: (client: Client) => Promise<unknown>,
  work: () => Promise<void>,
): Promise<number> {
  let [isOver, made] = [false, 0];
  const busy = clients.map(async (it) => {
    for (; !isOver; made++) await request(it);
  });
  await work();
  isOver = true;
  await Promise.all(busy);
  return made;
}

it(`reads of other users take less than ${RATIO_MAX} times as long beside ${SENDERS} senders of one conversation as beside ${SENDERS} readers`, async () => {
  const members = await Promise.all(Array.from({ length: SENDERS }, () => service.as()));
  const stranger = await service.as();
  const conversation = await openConversation(members[0]!, members);
  await stranger("POST", "/posts", { title: "Something else", body: "x" });
  const path = "/posts?limit=1";
  await readsMs(stranger, path);
  // Side by side, because other work on the machine comes and goes.
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    let [before, during]: [number[], number[]] = [[], []];
    await beside(
      members,
      async (it) => void (await it("GET", path)),
      async () => void (before = await readsMs(stranger, path)),
    );
    const beganMs = performance.now();
    const sent = await beside(
      members,
      async (it) => expect((await sendPersistently(it, conversation, "Hello")).status).toBe(201),
      async () => void (during = await readsMs(stranger, path)),
    );
    const perSecond = sent / ((performance.now() - beganMs) / 1_000);
    const [quietMs, busyMs] = [median(before), median(during)];
    process.stderr.write(
      `reads beside ${SENDERS} readers ${quietMs.toFixed(1)} ms, beside ${SENDERS} senders of one conversation ${busyMs.toFixed(1)} ms (median); ${perSecond.toFixed(0)} messages a second\n`,
    );
    ratios.push(busyMs / quietMs);
  }
  expect(median(ratios)).toBeLessThan(RATIO_MAX);
}, 120_000);
