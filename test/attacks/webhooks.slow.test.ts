import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "@jest/globals";
import type { Db } from "../../src/database/client.ts";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { createDeployment } from "../support/deployment.ts";
import { startNameServer } from "../support/dns-server.ts";
import { eventually } from "../support/eventually.ts";
import { crowding } from "../support/processes.ts";
import { createEndpoint } from "../support/receiver.ts";
import {
  answers,
  answersThenHangs,
  measureEvents,
  quantile,
  startHonest,
  startReceivers,
  startUsers,
  type Measured,
} from "./support/webhook-load.ts";
import { sized } from "../support/size.ts";

const SECONDS = sized(5, 60);
/** Each is an event of 300 endpoints. */
const MESSAGES = sized(3, 50);
const DELETIONS = sized(80, 1_300);

/** A bound for what happens beside an attack. On a machine that is busy with other work, what happens without one is slow, too. */
const atMost = (ms: number, alone: Measured) => Math.max(ms, 3 * quantile(alone.times, 0.99));

/** Closes the connections of a service to its database that are idle, so that it needs new ones. */
async function closeConnections(db: Db): Promise<void> {
  const [closed] = await db.$queryRaw<{ count: number }[]>`SELECT count(pg_terminate_backend(pid))::int FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'plumbline' AND state = 'idle' AND pid <> pg_backend_pid()`;
  expect(closed!.count).toBeGreaterThan(0);
}

/** A service in one process of its own, and receivers. */
async function start(stack: AsyncDisposableStack, settings: Readonly<Record<string, string>> = {}) {
  const deployment = stack.use(await createDeployment());
  await deployment.start("all", settings);
  return { deployment, receivers: stack.use(await startReceivers()), as: () => deployment.as() };
}

/** Opens a conversation of a new user with others. More than 50 are added in steps. */
async function converse(as: () => Promise<Client>, members: readonly Client[]) {
  const sender = await as();
  return { sender, conversation: await openConversation(sender, members) };
}

it("100 endpoints of 10 accounts whose names never resolve delay no event of others, and no request", async () => {
  await using stack = new AsyncDisposableStack();
  const answersFor = (name: string) => (name.endsWith(".good.test") ? ["127.0.0.1"] : null);
  const names = stack.use(await startNameServer({ answers: answersFor }));
  const deployment = stack.use(await createDeployment());
  // The service resolves the name of its database each time that it opens a connection.
  const DATABASE_URL = deployment.databaseUrl.replace(/@[^/:]+/, "@localhost");
  await deployment.start("all", { WEBHOOK_DNS_SERVERS: names.address, DATABASE_URL, DATABASE_POOL_TIMEOUT_SECONDS: "5" });
  const as = () => deployment.as();
  const receivers = stack.use(await startReceivers());
  const honest = await startHonest(as, receivers, 4, (index) => `v${index}.good.test`);
  let count = 0;
  const attackers = await startUsers(as, 10, () => `http://h${count++}.slow.test:${receivers.port}/`);
  const { sender, conversation } = await converse(
    as,
    attackers.map((it) => it.owner),
  );
  const alone = await measureEvents(honest, receivers, { seconds: 3 });
  const attack = (async () => {
    for (let second = 0; second < SECONDS; second += 4) {
      await send(sender, conversation, `Message at ${second} s`);
      for (const { owner, endpoints } of attackers)
        for (const { path } of endpoints) await owner("PATCH", path, { status: "active" });
      await delay(3_000);
    }
  })();
  await eventually("many names that hang", () => new Set(names.lookups).size > 50);
  await closeConnections(deployment.db);
  const reader = await as();
  const statuses = new Set<number>();
  let isOver = false;
  const reading = (async () => {
    while (!isOver) statuses.add((await reader("GET", "/conversations")).status);
  })();
  const beside = await measureEvents(honest, receivers, { seconds: SECONDS });
  await attack;
  isOver = true;
  await reading;
  expect(beside).toMatchObject({ missing: 0, duplicates: 0 });
  expect(quantile(beside.times, 0.99)).toBeLessThan(atMost(1_000, alone));
  for (const { owner, endpoint } of honest) expect((await owner("GET", endpoint.path)).body.status).toBe("active");
  expect(names.lookups.filter((it) => it.endsWith(".slow.test")).length).toBeGreaterThan(100);
  expect([...statuses]).toEqual([200]);
}, 300_000);

it("36 accounts whose receivers answer once and then hang, and 4 whose receivers answer after 9.5 s, don't delay or repeat the events of others, nor delay the first one of a new endpoint", async () => {
  await using stack = new AsyncDisposableStack();
  const { receivers, as } = await start(stack);
  const honest = await startHonest(as, receivers, 3);
  const slowly = (res: Parameters<typeof answers>[0]) => void setTimeout(() => answers(res, 0), 9_500);
  const attackers = [
    ...(await startUsers(as, 36, () => receivers.url(answersThenHangs))),
    ...(await startUsers(as, 4, () => receivers.url(slowly))),
  ];
  const { sender, conversation } = await converse(
    as,
    attackers.map((it) => it.owner),
  );
  const alone = await measureEvents(honest, receivers, { seconds: 3 });
  const attack = (async () => {
    for (let second = 0; second < SECONDS; second += 3) {
      await send(sender, conversation, `Message at ${second} s`);
      await delay(3_000);
    }
  })();
  const beside = await measureEvents(honest, receivers, { seconds: SECONDS });
  await attack;
  expect(beside).toMatchObject({ missing: 0, duplicates: 0 });
  expect(quantile(beside.times, 0.5)).toBeLessThan(atMost(1_000, alone));
  expect(quantile(beside.times, 0.99)).toBeLessThan(atMost(3_000, alone));

  for (let index = 0; index < 10; index++) await send(sender, conversation, `Message ${index}`);
  await eventually("all slow receivers to have an event", () => receivers.count(slowly) >= 40);
  const [times, crowded] = [[] as number[], crowding()];
  for (let index = 0; index < sized(5, 10); index++) {
    const owner = await as();
    const endpoint = await createEndpoint(owner, { url: receivers.url(answers) }, ["message.created"]);
    times.push((await measureEvents([{ owner, endpoint }], receivers, { seconds: 1 })).times[0] ?? Infinity);
  }
  expect(Math.max(...times)).toBeLessThan(2_000 * Math.max(crowded, crowding()));
}, 300_000);

it(`${300 * MESSAGES} events in one process don't starve the requests of others`, async () => {
  await using stack = new AsyncDisposableStack();
  const { receivers, as } = await start(stack, { DATABASE_POOL_TIMEOUT_SECONDS: "3" });
  const users = await startUsers(as, 30, () => receivers.url(answers));
  const { sender, conversation } = await converse(
    as,
    users.map((it) => it.owner),
  );
  const reader = await as();
  /** Reads until `isOver`, and returns how long the requests took, in ascending order, and their statuses. */
  async function read(isOver: () => boolean) {
    const [times, statuses] = [[] as number[], new Set<number>()];
    while (!isOver()) {
      const startedMs = performance.now();
      statuses.add((await reader("GET", "/conversations")).status);
      times.push(performance.now() - startedMs);
    }
    return { times: times.sort((a, b) => a - b), statuses };
  }
  const readAlone = async () => {
    const untilMs = performance.now() + 2_000;
    return read(() => performance.now() > untilMs);
  };
  const before = await readAlone();
  const startedMs = performance.now();
  const reading = read(() => receivers.arrivals.size >= 300 * MESSAGES || performance.now() > startedMs + 120_000);
  for (let index = 0; index < MESSAGES; index++) expect((await send(sender, conversation, `Message ${index}`)).status).toBe(201);
  const beside = await reading;
  const after = await readAlone();
  // Other work on the machine makes a few of the requests slow, also alone.
  const [beforeMs, besideMs, afterMs] = [before, beside, after].map((it) => quantile(it.times, 0.9)) as [number, number, number];
  expect([...beside.statuses]).toEqual([200]);
  expect(receivers.arrivals.size).toBe(300 * MESSAGES);
  expect(besideMs).toBeLessThan(10 * Math.max(beforeMs, afterMs) * crowding());
}, 300_000);

it("20,000 paused endpoints with events don't delay the events of others", async () => {
  await using stack = new AsyncDisposableStack();
  const { deployment, receivers, as } = await start(stack);
  // An event every 50 ms keeps the dispatcher busy. With fewer, the median is one of the phase in its longer, idle interval.
  const honest = await startHonest(as, receivers, 20);
  const { db } = deployment;
  const measure = () => measureEvents(honest, receivers, { seconds: sized(3, SECONDS) });
  await measureEvents(honest, receivers, { seconds: 1 });
  const before = await measure();
  const owner = await as();
  await db.$executeRaw`
    INSERT INTO webhook_endpoints (id, owner_id, url, events, scopes, secret, failures, resume_at)
    SELECT gen_random_uuid(), ${owner.userId}::uuid, 'http://127.0.0.1:1/', '{message.created}', '{}', 'whsec_AAAA', 10, now() + interval '1 hour'
    FROM generate_series(1, 20000)`;
  await db.$executeRaw`
    INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event, data, created_at, next_attempt_at, expires_at)
    SELECT gen_random_uuid(), owner_id, id, 'message.created', '{}', now(), now(), now() + interval '1 day'
    FROM webhook_endpoints WHERE failures = 10`;
  // All at once only here: events for a paused endpoint are written delayed. It takes a part of the seconds.
  const meanwhile = await measure();
  await eventually(
    "the pauses",
    async () => (await db.webhookDelivery.count({ where: { nextAttemptAt: { not: null } } })) === 0,
    60_000,
  );
  const beside = await measure();
  await db.webhookDelivery.deleteMany({ where: { ownerId: owner.userId } });
  const after = await measure();
  for (const measured of [meanwhile, beside]) expect(measured).toMatchObject({ missing: 0, duplicates: 0 });
  // The machine can be quieter before than after.
  const alone = Math.max(quantile(before.times, 0.5), quantile(after.times, 0.5));
  expect(quantile(beside.times, 0.5)).toBeLessThan(1.5 * alone * crowding());
  expect(quantile(meanwhile.times, 0.5)).toBeLessThan(10 * alone);
}, 300_000);

it("endpoints that are deleted during a flood of messages leave no deliveries", async () => {
  await using stack = new AsyncDisposableStack();
  const { deployment, receivers, as } = await start(stack);
  const owners = await Promise.all(Array.from({ length: 10 }, as));
  const { sender, conversation } = await converse(as, owners);
  let isOver = false;
  const flood = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (!isOver) await send(sender, conversation, "Another one");
    }),
  );
  let deleted = 0;
  await Promise.all(
    owners.map(async (owner) => {
      while (deleted < DELETIONS) {
        deleted++;
        const { path } = await createEndpoint(owner, { url: receivers.url(answers) }, ["message.created"]);
        expect((await owner("DELETE", path)).status).toBe(204);
      }
    }),
  );
  isOver = true;
  await flood;
  const orphans = () =>
    deployment.db.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int FROM webhook_deliveries d WHERE NOT EXISTS (SELECT FROM webhook_endpoints e WHERE e.id = d.endpoint_id)`;
  await eventually("no delivery without an endpoint", async () => (await orphans())[0]!.count === 0);
}, 300_000);
