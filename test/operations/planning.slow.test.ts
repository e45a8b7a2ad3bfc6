import { randomUUID } from "node:crypto";
import { expect, it } from "@jest/globals";
import { operations } from "../support/contract.ts";
import { openConversation } from "../support/conversations.ts";
import { administer, createTestDatabase } from "../support/database.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { listenToNotices } from "../support/plans.ts";
import { createResources, gather } from "../support/resources.ts";
import { startTestService } from "../support/service.ts";

/** PostgreSQL plans a statement five times in a session before it may keep a plan. */
const WARM_UP = 6;
const ROUNDS = 6;

it("no request has a function of the database plan a statement again for each call", async () => {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const settings = { log_planner_stats: "on", client_min_messages: "log" };
  await administer(
    database.url,
    ...Object.entries(settings).map(([key, value]) => `ALTER DATABASE ${name} SET ${key} = '${value}'`),
  );
  const heard = await listenToNotices();
  await using service = await startTestService({ ROLE: "api", DATABASE_POOL_SIZE: "1" }, database);
  const people = await gather(service);
  const { owner, member, guest } = people;
  const planned = new Map<string, number>();
  /** Repeats what `prepare` returns, and counts the rounds in which functions plan a statement. */
  const repeat = async (what: string, prepare: () => Promise<() => Promise<unknown>>) => {
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      const request = await prepare();
      heard.length = 0;
      await request();
      if (round < WARM_UP) continue;
      // `where` is the statement, and the functions that it is in. Once in a round, because a check of a foreign key is planned six times.
      const statements = heard.filter(({ message }) => message === "PLANNER STATISTICS").map((it) => it.where);
      for (const where of new Set(statements))
        if (where !== undefined) planned.set(`${what}: ${where}`, (planned.get(`${what}: ${where}`) ?? 0) + 1);
    }
  };

  for (const operation of operations)
    await repeat(operation.id, async () => {
      const request = exampleRequest(operation, await createResources(operation, people), { userId: guest.userId, seen: "" });
      return () => ask(owner, request);
    });
  const events = ["message.created", "notification.created"];
  expect(await member("POST", "/webhook-endpoints", { url: "https://hooks.example.com/", events })).toMatchObject({
    status: 201,
  });
  const { messages } = await openConversation(owner, [member, guest]);
  const send = () => owner("POST", messages, { body: "Hello" }, { headers: { "Idempotency-Key": randomUUID() } });
  await repeat(
    "messages sent together, with a webhook endpoint",
    async () => () => Promise.all([send(), send(), send(), send()]),
  );

  expect([...planned].filter(([, count]) => count >= ROUNDS / 2)).toEqual([]);
}, 600_000);
