import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { openConversation, send, pair } from "../support/conversations.ts";
import { administer, createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  const database = await createTestDatabase();
  // A session checks for a deadlock once: late enough for the test to make one, and before `lock_timeout`.
  await administer(database.url, `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET deadlock_timeout = '3s'`);
  service = await startTestService({ ROLE: "api" }, database);
});
afterAll(() => service.close());

const ENTRY = "SELECT 1 FROM notifications WHERE user_id = $1::uuid AND kind = $2 FOR UPDATE";

async function deadlocks(): Promise<number> {
  const [row] = await service.db.$queryRaw<{ count: number }[]>`
    SELECT deadlocks::int AS count FROM pg_stat_database WHERE datname = current_database()`;
  return row!.count;
}

/** Lets a request wait for a lock of another session, which then asks for one of the request's. PostgreSQL ends the request's transaction. */
async function inDeadlock<T>(
  [first, second]: readonly (readonly [sql: string, ...values: readonly unknown[]])[],
  request: () => Promise<T>,
): Promise<T> {
  const before = await deadlocks();
  await using holder = await hold(service.databaseUrl, first![0], first!.slice(1));
  await holder.query("SET LOCAL deadlock_timeout = '1h'");
  const answer = request();
  await holder.blocks(1);
  await holder.query(second![0], second!.slice(1));
  await holder.release();
  const result = await answer;
  // PostgreSQL publishes the counts of a session a little later.
  await eventually("one more deadlock", async () => (await deadlocks()) === before + 1);
  return result;
}

describe("A request whose transaction PostgreSQL ends because of a deadlock (40P01)", () => {
  it("sends its message once, with the next sequence and one event for each member", async () => {
    const [ada, ...others] = [await service.as(), await service.as(), await service.as()];
    const [low, high] = others.toSorted((a, b) => (a.userId < b.userId ? -1 : 1)) as [Client, Client];
    const conversation = await openConversation(ada, others);
    await send(ada, conversation, "One");
    const kind = "message.created";
    const answer = await inDeadlock(
      [
        [ENTRY, high.userId, kind],
        [ENTRY, low.userId, kind],
      ],
      () => send(ada, conversation, "Two"),
    );
    expect(answer).toMatchObject({ status: 201, body: { sequence: 2 } });
    expect((await ada("GET", conversation.messages)).body.data).toHaveLength(2);
    for (const it of others)
      expect((await it("GET", `/notifications?kind=${kind}`)).body.data).toMatchObject([{ body: "Two", event_count: 2 }]);
  });

  it("adds its member once, and counts one event", async () => {
    const { ada, yuki, conversation } = await pair(service);
    expect(await ada("DELETE", `${conversation.members}/${yuki.userId}`)).toMatchObject({ status: 204 });
    const kind = "conversation.member_added";
    const answer = await inDeadlock(
      [
        [ENTRY, yuki.userId, kind],
        ["SELECT 1 FROM conversations WHERE id = $1::uuid FOR UPDATE", conversation.id],
      ],
      () => ada("PUT", `${conversation.members}/${yuki.userId}`),
    );
    expect(answer).toMatchObject({ status: 201 });
    expect((await ada("GET", conversation.path)).body.member_count).toBe(2);
    expect((await yuki("GET", `/notifications?kind=${kind}`)).body.data).toMatchObject([{ event_count: 1 }]);
  });
});
