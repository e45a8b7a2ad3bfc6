import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sized } from "./size.ts";

/** A database after years of use: many rows in each table, most of them of the user that sends the requests. */

/** Enough for PostgreSQL to choose another plan if an index is missing. The fractions below are whole numbers. */
export const ROWS = sized(200_000, 1_000_000);

/** The id of row `n` in any table. */
export const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
/** The timestamp of row `n`: rows are a second apart, row 1 is the oldest, and the last one is a minute old. */
const START_MS = Date.now() - ROWS * 1_000 - 60_000;
export const instantOf = (n: number) => START_MS + n * 1_000;

/** The owner of nearly all rows. */
export const HEAVY = idOf(1);
/** The owner of only the first row of each table. */
export const RARE = idOf(2);

/** The number of conversations. The last one has as many messages as a table has rows; the one before it has one member and a tenth of them. */
export const CONVERSATIONS = ROWS / 4;

const OWNER = `CASE n WHEN 1 THEN id_of(2) ELSE id_of(1) END`;
/** The first 3,000 have expired. */
const LIFE = `CASE WHEN n <= 3000 THEN interval '-1 hour' ELSE interval '1 day' END`;
const NUMBERS = `generate_series(1, ${ROWS}) AS n`;

const HELPERS = `
  CREATE FUNCTION id_of(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid $$;
  CREATE FUNCTION instant_of(n bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
    SELECT to_timestamp((${START_MS} + n * 1000) / 1000.0) $$;
  CREATE FUNCTION row_count() RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT ${ROWS}::bigint $$`;

/** One statement for each table. `n` runs from 1 to `ROWS`. */
const TABLES: Readonly<Record<string, string>> = {
  // The last 3,000 are deleted, and own nothing.
  users: `INSERT INTO users (id, display_name, issuer, subject, deleted_at)
    SELECT id_of(n), 'User ' || n, 'https://id.example', 'user-' || n, CASE WHEN n > ${ROWS - 3_000} THEN now() - interval '2 days' END
    FROM ${NUMBERS}`,
  api_keys: `INSERT INTO api_keys (id, user_id, secret_hash, scopes) SELECT lpad(n::text, 12, '0'), ${OWNER}, '\\x00', '{}' FROM ${NUMBERS}`,
  posts: `INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
    SELECT id_of(n), ${OWNER}, 'Post ' || n, 'x', instant_of(n), instant_of(n) FROM ${NUMBERS}`,
  // All are deleted except the oldest thousand.
  short_urls: `INSERT INTO short_urls (id, owner_id, target_url, deleted_at, created_at)
    SELECT 'url-' || n, ${OWNER}, 'https://www.example.com/', CASE WHEN n > 1000 THEN now() END, instant_of(n) FROM ${NUMBERS}`,
  // The oldest two have failed, the newest fifth are queued, and all others have succeeded.
  video_uploads: `INSERT INTO video_uploads (id, owner_id, object_key, size_bytes, sha256, status, percent, result, created_at)
    SELECT id_of(n), ${OWNER}, 'video-uploads/' || id_of(n) || '/original', 1, repeat('0', 64),
      CASE WHEN n <= 2 THEN 'failed' WHEN n > ${0.8 * ROWS} THEN 'queued' ELSE 'succeeded' END, 0,
      CASE WHEN n BETWEEN 3 AND ${0.8 * ROWS} THEN '{"container":"mp4","durationMs":1,"width":2,"height":2,"videoCodec":"h264","audioCodec":null,"poster":null,"renditions":[]}'::jsonb END,
      instant_of(n) FROM ${NUMBERS}`,
  // A user can have only a few incomplete uploads: the heavy one has three.
  partial_uploads: `INSERT INTO partial_uploads (id, owner_id, created_at)
    SELECT id_of(n), CASE WHEN n BETWEEN ${0.9 * ROWS} AND ${0.9 * ROWS + 2} THEN id_of(1) ELSE id_of(n % ${0.9 * ROWS} + 500) END, now() FROM ${NUMBERS}`,
  idempotency_keys: `INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body, expires_at)
    SELECT ${OWNER}, 'createPost', 'key-' || n, '\\x00', 201, '{}', 'null', now() + ${LIFE} FROM ${NUMBERS}`,
  rate_limits: `INSERT INTO rate_limits (key, points, expire)
    SELECT 'writes:' || id_of(n), 1, extract(epoch FROM now() + ${LIFE}) * 1000 FROM ${NUMBERS}`,
  // Three quarters are unread, including the oldest; an eighth are archived. Only the first two have the kind `video_upload.failed`.
  notifications: `INSERT INTO notifications
      (id, user_id, kind, title, resource_type, resource_id, resource_href, subject_id, created_at, updated_at, read_at, archived_at)
    SELECT id_of(n), ${OWNER}, CASE WHEN n <= 2 THEN 'video_upload.failed' ELSE 'conversation.member_added' END, 'A title',
      'conversation', id_of(n), '/conversations/' || id_of(n), id_of(n)::text, instant_of(n), instant_of(n),
      CASE WHEN n % 4 = 0 THEN now() END, CASE WHEN n % 8 = 0 THEN now() END FROM ${NUMBERS}`,
  // Four members each, except in the last two conversations. The heavy user is in all of them; 60 of them were active in each hour.
  conversations: `INSERT INTO conversations (id, created_by, last_message_at, last_sequence, member_count, created_at)
    SELECT id_of(n), id_of(1), now() - n * interval '1 minute', CASE n WHEN ${CONVERSATIONS} THEN ${ROWS} WHEN ${CONVERSATIONS - 1} THEN ${ROWS / 10} ELSE 0 END,
      CASE n WHEN ${CONVERSATIONS} THEN 99 WHEN ${CONVERSATIONS - 1} THEN 1 ELSE 4 END, instant_of(n)
    FROM generate_series(1, ${CONVERSATIONS}) AS n`,
  members: `INSERT INTO members (conversation_id, user_id, role, joined_at, conversation_created_at)
    SELECT id_of(n / 4 + 1), CASE n % 4 WHEN 0 THEN id_of(1) ELSE id_of(n % ${0.9 * ROWS} + 500) END, CASE n % 4 WHEN 0 THEN 'owner' ELSE 'member' END,
      instant_of(n), instant_of(n / 4 + 1) FROM generate_series(0, ${ROWS - 1}) AS n
    WHERE n / 4 + 1 <> ${CONVERSATIONS - 1} OR n % 4 = 0;
    INSERT INTO members (conversation_id, user_id, role, joined_at, conversation_created_at)
    SELECT id_of(${CONVERSATIONS}), id_of(n), 'member', instant_of(${ROWS} + n), instant_of(${CONVERSATIONS})
    FROM generate_series(101, 195) AS n`,
  listed_conversations: `INSERT INTO listed_conversations (user_id, conversation_id, conversation_created_at, active_hour)
    SELECT m.user_id, c.id, c.created_at, date_trunc('hour', c.last_message_at, 'UTC') FROM members m JOIN conversations c ON c.id = m.conversation_id`,
  messages: `INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT id_of(n), id_of(${CONVERSATIONS}), n, id_of(1), 'x', 'key-' || n, instant_of(n) FROM ${NUMBERS};
    INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT id_of(${ROWS} + n), id_of(${CONVERSATIONS - 1}), n, id_of(1), 'x', 'key-' || n, instant_of(n)
    FROM generate_series(1, ${ROWS / 10}) AS n`,
  "pgboss.job": `INSERT INTO pgboss.job (id, name, state, data, completed_on)
    SELECT id_of(n), 'video-uploads', 'completed', jsonb_build_object('videoUploadId', id_of(n)), now() FROM ${NUMBERS}`,
};

/** Fills every table: those above, and those of an area that has its own statement in test/<area>/a-million.sql. */
export async function fillTables(run: (sql: string) => Promise<void>): Promise<void> {
  await run(HELPERS);
  for (const sql of Object.values(TABLES)) await run(sql);
  for (const file of globSync("../*/a-million.sql", { cwd: import.meta.dirname }))
    await run(readFileSync(join(import.meta.dirname, file), "utf8"));
}
