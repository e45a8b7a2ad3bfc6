import { expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { createEndpoint, startReceiver, type Endpoint, type Receiver } from "../support/receiver.ts";
import { startTestService, type TestService } from "../support/service.ts";

const HEALTHY = 5;
const SAMPLES_EACH = 40;
/** More than the workers of both lanes together. */
const DEAD_USERS = 3;
const DEAD_EACH = 10;
const EVENTS_FOR_THE_DEAD = 20;
const RATIO_MAX = 1.2;
/** What else the machine does makes one of the two measurements of a round longer. */
const ROUNDS_MAX = 3;

type Measured = {
  readonly owner: Client;
  readonly endpoint: Endpoint;
  readonly arrivals: Map<string, () => void>;
  readonly receiver: Receiver;
};

/** How long events take from the request that causes them to their receiver, in ascending order. */
async function measure(all: readonly Measured[]): Promise<readonly number[]> {
  const times = await Promise.all(
    all.map(async ({ owner, endpoint, arrivals, receiver }) => {
      const own: number[] = [];
      for (let sample = 0; sample < SAMPLES_EACH; sample++) {
        const startedMs = performance.now();
        const { body } = await owner("POST", `${endpoint.path}/deliveries`, {});
        await new Promise<void>((done) => {
          arrivals.set(body.id as string, done);
          if (receiver.received.some((it) => it.id === body.id)) done();
        });
        own.push(performance.now() - startedMs);
      }
      return own;
    }),
  );
  return times.flat().sort((a, b) => a - b);
}

const p99 = (sorted: readonly number[]) => sorted[Math.floor(sorted.length * 0.99)]!;

/** How many times as long events take beside receivers that have just stopped responding, or that still respond. */
async function ratioBeside(service: TestService, healthy: readonly Measured[], others: "dead" | "answering"): Promise<number> {
  const alone = await measure(healthy);
  // They respond at first, so that they begin in the same state as receivers that respond.
  await using silent = await startReceiver();
  const users = await Promise.all(Array.from({ length: DEAD_USERS }, () => service.as()));
  const paths: [Client, string][] = [];
  for (const user of users)
    for (let index = 0; index < DEAD_EACH; index++)
      paths.push([user, (await createEndpoint(user, silent, ["message.created"])).path]);
  const sender = await service.as();
  const conversation = await openConversation(sender, users);
  await send(sender, conversation, "For all");
  await silent.events("message.created", DEAD_USERS * DEAD_EACH);
  if (others === "dead") silent.respond = () => undefined;
  for (let index = 0; index < EVENTS_FOR_THE_DEAD; index++) await send(sender, conversation, `For ${others} receivers ${index}`);
  const beside = await measure(healthy);
  for (const [user, path] of paths) await user("DELETE", path);
  process.stderr.write(`p99 alone ${p99(alone).toFixed(0)} ms, beside ${others} receivers ${p99(beside).toFixed(0)} ms\n`);
  return p99(beside) / p99(alone);
}

it(`${DEAD_USERS * DEAD_EACH} receivers that stop answering change the p99 of the others by less than ${RATIO_MAX} x`, async () => {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTestService());
  const healthy = await Promise.all(
    Array.from({ length: HEALTHY }, async (): Promise<Measured> => {
      const arrivals = new Map<string, () => void>();
      const receiver = stack.use(
        await startReceiver((received, res) => {
          res.writeHead(204).end();
          arrivals.get(received.id)?.();
        }),
      );
      const owner = await service.as();
      return { owner, arrivals, receiver, endpoint: await createEndpoint(owner, receiver, ["message.created"]) };
    }),
  );
  // The first round is longer also beside receivers that answer: the process does for the first time what a round needs.
  await ratioBeside(service, healthy, "answering");
  const ratios: number[] = [];
  do ratios.push(await ratioBeside(service, healthy, "dead"));
  while (ratios.at(-1)! >= RATIO_MAX && ratios.length < ROUNDS_MAX);
  expect(Math.min(...ratios)).toBeLessThan(RATIO_MAX);
}, 300_000);
