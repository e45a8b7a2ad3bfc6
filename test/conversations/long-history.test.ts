import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { scopes } from "#generated/operations.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { idOf } from "../support/a-million.ts";
import { createClient, type Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { startPlannedService, type PlannedService } from "../support/plans.ts";
import { describeNeeds } from "../support/needs.ts";

const SENDER = idOf(1);
const CONVERSATIONS = 2_000;
const SHORT = 3;
const LONG = 30_000;
const path = `/conversations/${idOf(CONVERSATIONS)}/messages`;
/** From the sixth call on, a session keeps a generic plan, which depends on statistics and not on values. */
const CALLS = 8;
const FEW = { rowsMax: 20, buffersMax: 2_000 };

let service: PlannedService;
let ada: Client;
describeNeeds("one server", "a long conversation", () => {
  beforeAll(async () => {
    service = await startPlannedService(
      async (run) => {
        const conversation = (n: string) => `('00000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
        await run("INSERT INTO users (id, display_name) VALUES ($1, 'Ada')", [SENDER]);
        await run(
          `INSERT INTO conversations (id, created_by, member_count, last_sequence)
         SELECT ${conversation("n")}, $1, 1, CASE n WHEN ${CONVERSATIONS} THEN ${LONG} ELSE ${SHORT} END
         FROM generate_series(1, ${CONVERSATIONS}) AS n`,
          [SENDER],
        );
        await run("INSERT INTO members (conversation_id, user_id, role) SELECT id, $1, 'owner' FROM conversations", [SENDER]);
        await run(
          `INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key)
         SELECT gen_random_uuid(), id, sequence, $1, 'x', 'key-number-' || sequence
         FROM conversations, generate_series(1, last_sequence) AS sequence`,
          [SENDER],
        );
      },
      { ROLE: "api", DATABASE_POOL_SIZE: "1" },
    );
    const key = await insertApiKey(service.db, { userId: SENDER, scopes });
    ada = createClient(service.url, { userId: SENDER, name: "Ada", authorization: `Bearer ${key}` });
  });
  afterAll(() => service.close());

  it.each([
    ["a new message", () => withKey()],
    ["a retry", () => withKey("key-number-1")],
  ])("%s costs as little in a conversation of 30,000 messages among short ones", async (_what, key) => {
    for (let call = 0; call < CALLS; call++) {
      const { result, statements } = await service.statementsOf(() => ada("POST", path, { body: "x" }, key()));
      expect(result.status).toBe(201);
      service.expectBounded(statements, FEW);
    }
  });
});
