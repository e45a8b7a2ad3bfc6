import type pg from "pg";

/** The text in every row of `fillWithMessages`, which distinguishes it from the rows of a test. */
export const FILLED = "Filled";

const MESSAGES_OF_A_CONVERSATION = 100;
const USERS = 1_000;

/**
 * Fills a database with so many messages, 100 in each conversation of four users, and a fifth as many posts and short URLs. It
 * adds the rows that the service would have written with them.
 */
export async function fillWithMessages(client: pg.Client, messages: number): Promise<void> {
  const [conversations, others] = [messages / MESSAGES_OF_A_CONVERSATION, messages / 5];
  const created = (n: string) => `now() - interval '1 day' + ${n} * interval '1 ms'`;
  // The rows that triggers write are below, and a million rows need not be checked one by one.
  await client.query(`
    SET session_replication_role = replica;
    CREATE TEMP TABLE u AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, ${USERS}) AS n;
    CREATE TEMP TABLE c AS SELECT gen_random_uuid() AS id, n, ${created("n")} AS at, (
      SELECT array_agg(id) FROM u WHERE u.n BETWEEN source.n % (${USERS} - 3) + 1 AND source.n % (${USERS} - 3) + 4) AS members
      FROM generate_series(1, ${conversations}) AS source (n);
    INSERT INTO users (id, display_name) SELECT id, '${FILLED}' FROM u;
    INSERT INTO conversations (id, created_by, created_at, last_message_at, last_sequence, member_count, members_version)
      SELECT id, members[1], at, at, ${MESSAGES_OF_A_CONVERSATION}, 4, 1 FROM c;
    INSERT INTO members (conversation_id, user_id, role, conversation_created_at)
      SELECT id, members[slot], CASE slot WHEN 1 THEN 'owner' ELSE 'member' END, at FROM c, generate_series(1, 4) AS slot;
    INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
      SELECT members[slot], id, at, date_trunc('hour', at, 'UTC') FROM c, generate_series(1, 4) AS slot;
    INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
      SELECT gen_random_uuid(), id, k.n, members[k.n % 4 + 1], '${FILLED}', 'key ' || k.n, at
      FROM c, generate_series(1, ${MESSAGES_OF_A_CONVERSATION}) AS k (n);
    INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
      SELECT gen_random_uuid(), u.id, '${FILLED}', '${FILLED}',
        ${created("k.n")}, ${created("k.n")}
      FROM generate_series(1, ${others}) AS k (n) JOIN u ON u.n = k.n % ${USERS} + 1;
    INSERT INTO short_urls (id, owner_id, target_url, created_at)
      SELECT 'filled' || k.n, u.id, '${FILLED}', ${created("k.n")}
      FROM generate_series(1, ${others}) AS k (n) JOIN u ON u.n = k.n % ${USERS} + 1;
    INSERT INTO notifications (id, user_id, kind, title, resource_type, resource_id, resource_href, subject_id)
      SELECT gen_random_uuid(), u.id, 'message.created', '${FILLED}', 'message', k.n, '/', k.n
      FROM generate_series(1, ${others}) AS k (n) JOIN u ON u.n = k.n % ${USERS} + 1;
    DROP TABLE u, c`);
  await client.query("VACUUM ANALYZE");
}
