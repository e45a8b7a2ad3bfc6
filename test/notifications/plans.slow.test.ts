import { randomUUIDv7 } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eraseFromSome, purgeNotifications, removeSome } from "../../src/notifications/store.ts";
import { findConversationsOf } from "../../src/conversations/members/store.ts";
import type { Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { startPlannedService, type PlannedService } from "../support/plans.ts";
import { sized } from "../support/size.ts";

const [UNREAD, READ] = sized([90_000, 10_000], [900_000, 100_000]);
const USER = randomUUIDv7();

let service: PlannedService;
let reader: Client;

beforeAll(async () => {
  service = await startPlannedService(
    async (run) => {
      await run("INSERT INTO users (id, display_name) VALUES ($1, 'Yuki Brandt')", [USER]);
      // The read ones are the oldest, so that a scan for them from the newest reads all others first, and half of them are archived.
      await run(
        `INSERT INTO notifications (id, user_id, subject_id, kind, title, resource_type, resource_id, resource_href, created_at, read_at, archived_at)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, 'conversation ' || n, 'message.created', 'Ada wrote to you',
           'message', 'x', '/x', now() - n * interval '1 second', CASE WHEN n > $2 THEN now() END,
           CASE WHEN n BETWEEN $2 + 1 AND $2 + $4 THEN now() END FROM generate_series(1, $3) n`,
        [USER, UNREAD, UNREAD + READ, READ / 2],
      );
    },
    { ROLE: "api", DATABASE_POOL_SIZE: "1" },
  );
  reader = await service.as();
  await service.db.$executeRaw`UPDATE api_keys SET user_id = ${USER}::uuid WHERE user_id = ${reader.userId}::uuid`;
}, 600_000);
afterAll(() => service.close());

/** For a page of 20 and a count of at most 1,000. */
const OF_A_LIST = { rowsMax: 1_000, buffersMax: 200 };

async function cost(what: string, method: string, path: string, body?: unknown, bounds = OF_A_LIST) {
  const { result, statements } = await service.statementsOf(() => reader(method, path, body));
  expect(result.status).toBe(200);
  const spent = service.expectBounded(statements, bounds);
  process.stderr.write(`${what}: ${spent.statements} statements, ${spent.rows} rows, ${spent.buffers} buffers, ${spent.ms} ms\n`);
  return result;
}

describe("However many notifications a user has, the database reads a bounded number of rows", () => {
  it.each([
    "",
    "sort=created_at",
    "status=unread",
    "status=read",
    "status=read&sort=created_at",
    "archived=only",
    "archived=only&sort=created_at",
    "archived=only&kind=message.created",
    "archived=only&kind=video_upload.failed",
    "kind=message.created",
    "kind=message.created&status=read",
    "kind=video_upload.failed",
    "kind=video_upload.failed&status=unread",
    "kind=video_upload.failed&status=read",
  ])("for the first and the second page of ?%s and the unread count", async (query) => {
    // PostgreSQL makes five custom plans before it chooses the generic plan.
    for (let round = 0; round < 6; round++) await cost(`?${query}`, "GET", `/notifications?limit=20&${query}`);
    const { body } = await cost(`?${query}`, "GET", `/notifications?limit=20&${query}`);
    expect(body.unread_count).toBe(1_000);
    if (query.includes("failed")) return expect(body.data).toEqual([]);
    expect(body.data).toHaveLength(20);
    await cost("  its second page", "GET", `/notifications?limit=20&${query}&after=${body.page.next_cursor}`);
  });

  it("for marking all as read: a thousand in the request, and the rest in a job", async () => {
    const { body } = await reader("GET", "/notifications?limit=1");
    // Marking a row moves it from two partial indexes to two others, and adds an entry to each other index.
    const bounds = { rowsMax: 1_000, buffersMax: 100_000 };
    const marked = await cost("marking all", "PATCH", "/notifications", { status: "read", seen: body.seen }, bounds);
    expect(marked.body).toEqual({ updated_count: 1_000, unread_count: 1_000 });
    const [left] = await service.db.$queryRaw<
      { jobs: number }[]
    >`SELECT count(*)::int AS jobs FROM pgboss.job WHERE name = 'leftovers'`;
    expect(left).toEqual({ jobs: 1 });
  });

  it("for marking with the seen token of an old list, after many newer notifications", async () => {
    const seen = (await reader("GET", "/notifications?limit=1&kind=video_upload.failed")).body.seen as string;
    await service.db
      .$executeRaw`UPDATE notifications SET created_at = created_at + interval '1 day', xact_id = pg_current_xact_id()
      WHERE user_id = ${USER}::uuid AND read_at IS NULL AND created_at > now() - interval '1000 seconds'`;
    await service.db
      .$executeRaw`DELETE FROM notifications WHERE user_id = ${USER}::uuid AND read_at IS NULL AND created_at < now()`;
    // VACUUM leaves dead rows that an older snapshot may see, and those on a page that PostgreSQL is writing at that moment.
    await eventually("a table without dead rows", async () => {
      await service.db.$executeRawUnsafe("VACUUM (INDEX_CLEANUP ON) notifications");
      const [left] = await service.db.$queryRaw<
        { rows: number }[]
      >`SELECT n_dead_tup::int AS rows FROM pg_stat_user_tables WHERE relname = 'notifications'`;
      return left!.rows === 0;
    });
    const marked = await cost("marking with an old list", "PATCH", "/notifications", { status: "read", seen });
    expect(marked.body.updated_count).toBe(0);
  });

  it("for a message to a member with all of them", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [reader]);
    await service.db.$executeRaw`UPDATE members SET user_id = ${USER}::uuid WHERE user_id = ${reader.userId}::uuid`;
    await send(ada, conversation, "One");
    const { result, statements } = await service.statementsOf(() => send(ada, conversation, "Two"));
    expect(result.status).toBe(201);
    const spent = service.expectBounded(statements, { rowsMax: 10, buffersMax: 300 });
    process.stderr.write(`a message: ${spent.statements} statements, ${spent.rows} rows, ${spent.buffers} buffers\n`);
  });

  it("for erasing a user from the notifications of others, for removing those of a conversation, and for the purge", async () => {
    const ada = await service.as();
    const conversation = await openConversation(ada, [reader]);
    await send(ada, conversation, "My address is 12 Private Road");
    const deleted = { id: ada.userId, displayName: ada.userName };
    const steps = {
      "finding what a user was in": async () =>
        (await findConversationsOf(service.db, { userId: ada.userId, batch: 1_000 })).length,
      "erasing from a conversation": () => eraseFromSome(service.db, conversation.id, deleted, 1_000),
      "removing those of a conversation": () => removeSome(service.db, conversation.id, 1_000),
      "the purge": () => purgeNotifications(service.db),
    };
    const results = [];
    for (const [what, step] of Object.entries(steps)) {
      const { result, statements } = await service.statementsOf<number>(step);
      const spent = service.expectBounded(statements);
      process.stderr.write(
        `${what}: ${spent.statements} statements, ${spent.rows} rows, ${spent.buffers} buffers, ${spent.ms} ms\n`,
      );
      results.push(result);
    }
    expect(results).toEqual([1, 2, 2, 0]);
  });
});
