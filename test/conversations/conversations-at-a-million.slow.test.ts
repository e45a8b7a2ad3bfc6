import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createCursors } from "../../src/lists/cursor.ts";
import { withKey } from "../support/conversations.ts";
import type { Client } from "../support/client.ts";
import { startPlannedService, type Bounds, type PlannedService } from "../support/plans.ts";

const CONVERSATIONS = 250_000;
const MESSAGES = 1_000_000;
const SECRET = "a secret of these tests";
const idOf = (number: number) => `00000000-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;
const [BUSY, OTHER] = [idOf(1), idOf(2)];
/** The conversation with a million messages and a hundred members. */
const LONG = `/conversations/${idOf(CONVERSATIONS)}`;

let service: PlannedService;
let busy: Client;
beforeAll(async () => {
  service = await startPlannedService(
    async (run) => {
      await run(
        "INSERT INTO users (id, display_name) SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'User ' || n FROM generate_series(1, 100) n",
      );
      await run(
        `INSERT INTO conversations (id, created_by, created_at, last_message_at, last_sequence, member_count)
         SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, at, at, CASE WHEN n = $2 THEN $3::int ELSE 0 END, CASE WHEN n = $2 THEN 100 ELSE 2 END
         FROM generate_series(1, $2) n, LATERAL (SELECT now() - n * interval '1 second' AS at) t`,
        [BUSY, CONVERSATIONS, MESSAGES],
      );
      await run(
        `INSERT INTO members (conversation_id, user_id, role, conversation_created_at)
         SELECT c.id, u.id::uuid, CASE WHEN u.id = $1 THEN 'owner' ELSE 'member' END, c.created_at FROM conversations c, (VALUES ($1), ($2)) AS u (id)
         UNION ALL SELECT c.id, u.id, 'member', c.created_at FROM conversations c, users u WHERE c.id = $3 AND u.id NOT IN ($1::uuid, $2::uuid)`,
        [BUSY, OTHER, idOf(CONVERSATIONS)],
      );
      await run(
        `INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
         SELECT ('00000000-0000-7000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, n, $2, 'Hello', 'key-' || n FROM generate_series(1, $3) n`,
        [idOf(CONVERSATIONS), BUSY, MESSAGES],
      );
    },
    { ROLE: "api", CURSOR_SECRETS: SECRET },
  );
  busy = await service.as();
  await service.db.$executeRaw`UPDATE api_keys SET user_id = ${BUSY}::uuid WHERE user_id = ${busy.userId}::uuid`;
}, 600_000);
afterAll(() => service.close());

async function cost(what: string, method: string, path: string, body?: object, bounds?: Bounds, status = 200) {
  const { result, statements } = await service.statementsOf(() => busy(method, path, body, method === "POST" ? withKey() : {}));
  expect(result).toMatchObject({ status });
  const spent = service.expectBounded(statements, bounds);
  process.stderr.write(
    `${what}: ${spent.statements} statements, ${spent.rows} rows, ${spent.buffers} buffers, ${spent.ms.toFixed(1)} ms\n`,
  );
  return result;
}

describe("With 250,000 conversations and a million messages, the database reads a bounded number of rows", () => {
  it.each(["", "&sort=created_at"])("for the first pages of conversations%s", async (sort) => {
    const first = await cost("the first page", "GET", `/conversations?limit=20${sort}`);
    expect(first.body.data).toHaveLength(20);
    expect(first.body.data[0].member_count).toBe(sort === "" ? 2 : 100);
    await cost("the second page", "GET", `/conversations?limit=20${sort}&after=${first.body.page.next_cursor}`);
  });

  it("for a page of conversations in the middle", async () => {
    const [middle] = await service.db.$queryRaw<
      { at: Date }[]
    >`SELECT created_at AS at FROM conversations WHERE id = ${idOf(125_000)}::uuid`;
    const cursor = createCursors([SECRET]).encode({ operation: "listConversations", sort: "-created_at" }, [
      middle!.at.getTime(),
      idOf(125_000),
    ]);
    const { body } = await cost("a page in the middle", "GET", `/conversations?limit=20&after=${cursor}`);
    expect(body.data).toHaveLength(20);
  });

  it("for a conversation, for its members, and for its messages in both directions", async () => {
    await cost("a conversation", "GET", LONG);
    await cost("its members", "GET", `${LONG}/members?limit=100`);
    const newest = await cost("the newest messages", "GET", `${LONG}/messages?limit=20`);
    await cost("older messages", "GET", `${LONG}/messages?limit=20&before=${newest.body.page.next_cursor}`);
    const context = { operation: "listMessages", conversation: idOf(CONVERSATIONS) };
    const after = createCursors([SECRET]).encode(context, [500_000]);
    const forward = await cost("messages from the middle on", "GET", `${LONG}/messages?limit=20&after=${after}`);
    expect(forward.body).toMatchObject({ data: { length: 20 }, page: { has_newer: true } });
    await cost("a message", "GET", `${LONG}/messages/${newest.body.data[0].id}`);
  });

  it("for sending the first message and later ones to a hundred members", async () => {
    const OF_A_HUNDRED: Bounds = { rowsMax: 250, buffersMax: 6_000 };
    await cost("the first message", "POST", `${LONG}/messages`, { body: "Hello" }, OF_A_HUNDRED, 201);
    for (let count = 0; count < 3; count++)
      await cost("another message", "POST", `${LONG}/messages`, { body: "Hello" }, OF_A_HUNDRED, 201);
  });

  it("for creating a conversation", async () => {
    await cost("opening one", "POST", "/conversations", { member_ids: [OTHER] }, undefined, 201);
  });

  it("for adding a member, for removing a member, and for the last member leaving", async () => {
    const guest = await service.as();
    await cost("adding a member", "PUT", `/conversations/${idOf(7)}/members/${guest.userId}`, undefined, undefined, 201);
    await cost("removing one", "DELETE", `${LONG}/members/${idOf(50)}`, undefined, undefined, 204);
    await service.db
      .$executeRaw`DELETE FROM members WHERE conversation_id = ${idOf(CONVERSATIONS)}::uuid AND user_id <> ${BUSY}::uuid`;
    await cost("the last one leaves", "DELETE", `${LONG}/members/${BUSY}`, undefined, undefined, 204);
    expect((await busy("GET", LONG)).status).toBe(404);
  });
});
