import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import type { Operation } from "../../src/contract/operations.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { createClient, type Answer, type Client } from "../support/client.ts";
import { operations } from "../support/contract.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { ask, exampleRequest, type Known } from "../support/example-requests.ts";
import { prepare } from "../support/prepare.ts";
import { createResources, gather, missingIds, type Ids } from "../support/resources.ts";
import { startTestService } from "../support/service.ts";

const database = prepare(createTestDatabase);
const proxy = prepare(() => startTcpProxy(database.url));
const service = prepare(() => startTestService({ ROLE: "api", DATABASE_URL: proxy.url }));
const people = prepare(() => gather(service));
let known: Known;
const ids = new Map<string, Ids>();

beforeAll(async () => {
  known = { userId: people.guest.userId, seen: (await people.owner("GET", "/notifications?limit=1")).body.seen as string };
  for (const operation of operations) ids.set(operation.id, await createResources(operation, people));
});
afterEach(() => proxy.mend());

/** Operations that need nothing. */
const WITHOUT_DATABASE = ["getLiveness"];

/** How long the service remembers a credential that it has verified. */
const REMEMBERED_MS = 5_000;

const outcomeOf = (operation: Operation, { status, body }: Answer) => `${operation.id} ${status} ${body?.code ?? ""}`;
const askAll = async (caller: Client, wanted: readonly Operation[]) =>
  Promise.all(
    wanted.map(async (operation) => ({
      operation,
      answer: await ask(caller, exampleRequest(operation, ids.get(operation.id) ?? missingIds(operation), known)),
    })),
  );

/**
 * The owner with a new key. The service remembers this key for a few seconds, so the operation itself finds that the
 * database is away.
 */
async function remembered(): Promise<Client> {
  const apiKey = await insertApiKey(service.db, { userId: people.owner.userId, scopes: everyScope });
  const caller = createClient(service.url, {
    userId: people.owner.userId,
    name: people.owner.userName,
    authorization: `Bearer ${apiKey}`,
  });
  expect(await caller("GET", "/account")).toMatchObject({ status: 200 });
  return caller;
}

/**
 * The responses to a remembered credential while the database is away. On a busy machine, the service may forget it before the
 * last request. Then the attempt is repeated with a new key.
 */
async function askAllRemembered(wanted: readonly Operation[]) {
  for (;;) {
    const startedMs = performance.now();
    const caller = await remembered();
    await proxy.cut();
    const answers = await askAll(caller, wanted);
    if (performance.now() - startedMs < REMEMBERED_MS) return answers;
    await proxy.mend();
    await expectRecovery();
  }
}

function expectUnavailable(answers: readonly { operation: Operation; answer: Answer }[]): void {
  const wanted = answers.map(({ operation }) =>
    WITHOUT_DATABASE.includes(operation.id) ? `${operation.id} 200 ` : `${operation.id} 503 unavailable`,
  );
  expect(answers.map(({ operation, answer }) => outcomeOf(operation, answer))).toEqual(wanted);
  for (const { answer } of answers)
    if (answer.status === 503) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
}

/** Expects that the service has recovered: it reports good health and acknowledges a write. */
async function expectRecovery(): Promise<void> {
  await eventually("health", async () => (await service.anonymous()("GET", "/health")).status === 200);
  expect(await people.owner("POST", "/posts", { title: "Back again", body: "Nothing was lost." })).toMatchObject({ status: 201 });
}

describe("while the database is unreachable", () => {
  it("every operation that needs it returns 503 with Retry-After, and works again when it is back", async () => {
    expectUnavailable(await askAllRemembered(operations));
    await proxy.mend();
    await expectRecovery();
  });

  it("a credential that can't be verified gets 503 and not 401", async () => {
    const unknown = await service.as();
    await proxy.cut();
    const answers = await askAll(
      unknown,
      operations.filter((it) => it.scopes !== null),
    );
    expect(answers.map(({ answer }) => `${answer.status} ${answer.body.code}`)).toEqual(answers.map(() => "503 unavailable"));
    await proxy.mend();
    await expectRecovery();
  });

  it("a retry with the same idempotency key after a 503 creates one post", async () => {
    const caller = await remembered();
    const headers = { "Idempotency-Key": `retry-${caller.userId}` };
    const send = () => caller("POST", "/posts", { title: "Only once", body: "However often it is sent." }, { headers });
    await proxy.cut();
    expect(await send()).toMatchObject({ status: 503 });
    await proxy.mend();
    const done = await eventually("the write", async () => {
      const answer = await send();
      return answer.status === 201 ? answer : null;
    });
    expect((await send()).body.id).toBe(done.body.id);
    expect(await service.db.post.count({ where: { authorId: caller.userId, title: "Only once" } })).toBe(1);
  });

  it("connections that PostgreSQL closes are replaced: requests get 200 or 503, and then only 200", async () => {
    const caller = await remembered();
    await service.db
      .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => caller("GET", "/posts?limit=1")));
    expect(answers.filter((it) => it.status !== 200 && it.status !== 503)).toEqual([]);
    expect((await Promise.all(Array.from({ length: 20 }, () => caller("GET", "/posts?limit=1")))).map((it) => it.status)).toEqual(
      Array(20).fill(200),
    );
  });
});
