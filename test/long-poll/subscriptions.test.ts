import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { createWait } from "../../src/http/wait.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { Subscriptions } from "../../src/long-poll/subscriptions.ts";
import { Channel } from "../../src/database/channel.ts";
import { operations } from "../support/contract.ts";
import { eventually } from "../support/eventually.ts";
import { createTestDatabase } from "../support/database.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const READS_AT_ONCE = 16;
const TOPIC = "user:ada";

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

/** A request with `wait`, with what happens during its first read, and its responses in order. */
async function requestDuringWhich(happens: (subscriptions: Subscriptions) => void, bodies: readonly string[]) {
  const subscriptions = new Subscriptions({ max: 1, maxPerCaller: 1 });
  const isEmpty = (body: unknown) => body === "nothing";
  const operation = operations.find((it) => it.id === "listNotifications")!;
  const waits = { listNotifications: () => ({ topic: TOPIC, isEmpty }) } as never;
  const wait = createWait(operation, { waits, subscriptions });
  const exchange = { req: { headers: {} }, res: new EventEmitter(), record: { waitedMs: 0 } } as unknown as Exchange;
  const left = [...bodies];
  const work = async () => {
    // The snapshot of the read is older, and its response arrives later.
    if (left.length === bodies.length) happens(subscriptions);
    return { status: 200, body: left.shift() };
  };
  const outcome = await wait(exchange, "ada", { query: { wait: 5 } }, work, async () => undefined);
  return { outcome, waitedMs: exchange.record.waitedMs };
}

it("a request reads again after a change during its first read", async () => {
  const { outcome } = await requestDuringWhich((it) => it.wake(TOPIC), ["nothing", "something"]);
  expect(outcome).toMatchObject({ body: "something" });
});

it("a request doesn't wait if the service stops during its first read", async () => {
  const { outcome, waitedMs } = await requestDuringWhich((it) => it.close(), ["nothing"]);
  expect(outcome).toMatchObject({ body: "nothing" });
  expect(waitedMs).toBeLessThan(2_500);
});

const PENDING_MAX = 10_000;

/** A channel that is connected, the topics of other channels, and how often some may have been lost. */
async function openChannel(databaseUrl: string) {
  const heard = { topics: [] as string[], gaps: 0 };
  const channel = new Channel({
    databaseUrl,
    log: pino({ level: "silent" }),
    onTopic: (topic) => void heard.topics.push(topic),
    onGap: () => void heard.gaps++,
  });
  await eventually("its connection", () => heard.gaps > 0);
  return { channel, heard, [Symbol.asyncDispose]: () => channel.close() };
}

it("a topic reaches other processes if the connection breaks before it is sent, and no process hears its own", async () => {
  await using database = await createTestDatabase();
  await using proxy = await startTcpProxy(database.url);
  await using sender = await openChannel(proxy.url);
  await using other = await openChannel(database.url);
  // In one step: the process has not noticed yet that its connection is lost.
  proxy.drop();
  sender.channel.publish("user:ada");
  await eventually("the topic", () => other.heard.topics.length > 0);
  expect(other.heard).toEqual({ topics: ["user:ada"], gaps: 1 });
  // What others sent while it had no connection is one more gap for this process.
  expect(sender.heard).toEqual({ topics: [], gaps: 2 });
});

it.each([
  [PENDING_MAX, PENDING_MAX, 1],
  [PENDING_MAX + 1, 0, 2],
])("of %d topics that wait to be sent, %d reach other processes, which count gaps: %d", async (count, sent, gaps) => {
  await using database = await createTestDatabase();
  await using sender = await openChannel(database.url);
  await using other = await openChannel(database.url);
  const topics = Array.from({ length: count }, (_, index) => `conversation:${index}`);
  // The first one is sent at once, and the others wait together.
  for (const topic of ["first", ...topics]) sender.channel.publish(topic);
  await eventually("the end", () => other.heard.topics.length > sent && other.heard.gaps === gaps);
  expect(other.heard).toEqual({ topics: ["first", ...topics.slice(0, sent)], gaps });
});
