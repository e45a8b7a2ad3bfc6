import type { Direction } from "./store.ts";

/** The statements of all peers that use SQL. Each operation is one statement; only a refusal asks further. */

const RETAINED_SINCE = "now() - interval '90 days'";

export const FIND_KEY = `
  SELECT k.user_id AS "userId", u.display_name AS "displayName", k.scopes, k.secret_hash AS "secretHash",
    k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
  FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.id = $1`;

export const FIND_URL = `
  SELECT id, target_url, expires_at, expired_url, click_count, last_clicked_at, created_at
  FROM short_urls WHERE id = $1 AND owner_id = $2 AND deleted_at IS NULL`;

export const FIND_TARGET = "SELECT target_url, deleted_at, expires_at, expired_url FROM short_urls WHERE id = $1";

export const ADD_CLICKS = `
  WITH counted AS (
    UPDATE short_urls AS u
    SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
    FROM unnest($1::text[], $2::int[], $3::timestamptz[]) AS c (id, count, last_at)
    WHERE u.id = c.id AND u.deleted_at IS NULL RETURNING u.id, c.count, c.last_at)
  INSERT INTO click_days AS d (short_url_id, day, click_count) SELECT id, (last_at AT TIME ZONE 'UTC')::date, count FROM counted
  ON CONFLICT (short_url_id, day) DO UPDATE SET click_count = d.click_count + excluded.click_count`;

type PostsShape = {
  readonly direction: Direction;
  readonly isAfter: boolean;
  readonly ofAuthor: boolean;
  readonly counts: boolean;
};

/** The name of a user, unless the user was deleted. */
const nameOf = (id: string) => `(SELECT display_name FROM users u WHERE u.id = ${id} AND u.deleted_at IS NULL)`;
const AUTHOR_NAME = `${nameOf("author_id")} AS author_name`;
const SENDER_NAME = `${nameOf("sender_id")} AS sender_name`;

/** $1 limit, $2 offset, $3 author, $4 and $5 the position. The total is counted up to 10,000. */
export function listPosts({ direction, isAfter, ofAuthor, counts }: PostsShape): string {
  const author = ofAuthor ? "author_id = $3::uuid" : "$3::uuid IS NULL";
  const after = isAfter
    ? `(created_at, id) ${beyond(direction)} ($4::timestamptz, $5::uuid)`
    : "$4::timestamptz IS NULL AND $5::uuid IS NULL";
  const total = counts
    ? `(SELECT count(*)::int FROM (
         SELECT 1 FROM posts WHERE ${author} ORDER BY created_at DESC, id DESC LIMIT 10000) AS newest)`
    : "NULL::int";
  return `
    SELECT t.total, p.*, ${AUTHOR_NAME} FROM (SELECT ${total} AS total) AS t LEFT JOIN (
      SELECT id, author_id, title, body, created_at, updated_at FROM posts
      WHERE ${author} AND ${after} ORDER BY created_at ${direction}, id ${direction} LIMIT $1 OFFSET $2) AS p ON true
    ORDER BY p.created_at ${direction}, p.id ${direction}`;
}

const beyond = (direction: Direction) => (direction === "asc" ? ">" : "<");

export const INSERT_POST = `
  INSERT INTO posts (id, author_id, title, body) VALUES ($1, $2, $3, $4)
  RETURNING id, author_id, title, body, created_at, updated_at, ${AUTHOR_NAME}`;

const TIME = `to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The post, its key and the response for a retry. No row means that the key was used. */
export const INSERT_POST_ONCE = `
  WITH made AS (SELECT date_trunc('milliseconds', now()) AS at),
  claimed AS (
    INSERT INTO idempotency_keys AS k (user_id, operation_id, key, fingerprint, status, headers, body)
    SELECT $2::uuid, 'createPost', $5::text, $6::bytea, 201, json_build_object('Location', '/posts/' || $1::text)::jsonb,
      json_build_object('id', $1::text, 'author_id', $2::text, 'title', $3::text, 'body', $4::text,
        'created_at', ${TIME}, 'updated_at', ${TIME})::text FROM made
    ON CONFLICT (user_id, operation_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
        created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at < now()
    RETURNING 1)
  INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
  SELECT $1::uuid, $2::uuid, $3::text, $4::text, at, at FROM made WHERE EXISTS (SELECT FROM claimed)
  RETURNING id, author_id, title, body, created_at, updated_at, ${AUTHOR_NAME}`;

export const FIND_ANSWER = `
  SELECT fingerprint, body, ${nameOf("user_id")} AS author_name FROM idempotency_keys WHERE user_id = $1 AND operation_id = 'createPost' AND key = $2`;

const cut = (text: string, max: number) =>
  `CASE WHEN length(${text}) > ${max} THEN left(${text}, ${max - 1}) || '…' ELSE ${text} END`;

type Notice = { readonly rows: string; readonly conversation: string; readonly sender: string; readonly text: string };
type NoticeIds = { readonly notification: string; readonly message: string; readonly title: string; readonly at: string };

/** Notifies the other members. An unread notification of the conversation counts the message instead (src/notifications/store.ts). */
function notifyMembers({ rows, conversation, sender, text, notification, message, title, at }: Notice & NoticeIds): string {
  const counts = `(n.read_at IS NULL AND n.created_at > ${RETAINED_SINCE})`;
  const unlessCounted = (column: string) => `${column} = CASE WHEN ${counts} THEN n.${column} ELSE excluded.${column} END`;
  return `
    INSERT INTO notifications AS n
      (id, user_id, actor_id, subject_id, kind, title, body, resource_type, resource_id, resource_href, created_at, updated_at)
    SELECT (left(${notification}::text, 15) || substr(gen_random_uuid()::text, 16))::uuid, m.user_id, ${sender}, ${conversation}::text,
      'message.created', ${cut(title, 200)}, ${cut(text, 500)}, 'message', ${message}::text,
      '/conversations/' || ${conversation}::text || '/messages/' || ${message}::text, ${at}, ${at}
    FROM ${rows} WHERE m.conversation_id = ${conversation} AND m.user_id <> ${sender} ORDER BY m.user_id
    ON CONFLICT (user_id, subject_id, kind) DO UPDATE SET ${unlessCounted("id")}, ${unlessCounted("created_at")},
      event_count = CASE WHEN ${counts} THEN n.event_count + 1 ELSE 1 END, read_at = NULL, updated_at = excluded.updated_at,
      actor_id = excluded.actor_id, title = excluded.title, body = excluded.body, resource_type = excluded.resource_type, resource_id = excluded.resource_id,
      resource_href = excluded.resource_href, xact_id = pg_current_xact_id()`;
}

/** A sender has read the conversation, so the sender's notifications about it are read, too. */
const readOwn = ({
  conversation,
  sender,
  at,
  from = "",
}: Record<"conversation" | "sender" | "at", string> & { readonly from?: string }) =>
  `UPDATE notifications SET read_at = greatest(${at}, updated_at), archived_at = NULL ${from}
    WHERE user_id = ${sender} AND subject_id = ${conversation}::text AND read_at IS NULL`;

const titleOf = (name: string, title: string) =>
  `${name} || CASE WHEN ${title} IS NULL THEN ' wrote to you' ELSE ' wrote in ' || ${title} END`;

/** $1 conversation, $2 message, $3 sender, $4 its name, $5 text, $6 key, $7 notification. No row means that nothing was sent. */
export const SEND_MESSAGE = `
  WITH allowed AS MATERIALIZED (
    SELECT members_version FROM conversations WHERE id = $1::uuid AND deleted_at IS NULL
      AND EXISTS (SELECT FROM members WHERE conversation_id = $1::uuid AND user_id = $3::uuid)
      AND NOT EXISTS (
        SELECT FROM messages WHERE conversation_id = $1::uuid AND sender_id = $3::uuid AND idempotency_key = $6::text)),
  numbered AS (
    UPDATE conversations AS parent SET last_sequence = parent.last_sequence + 1, last_message_at = clock_timestamp()
    FROM allowed WHERE parent.id = $1::uuid AND parent.members_version = allowed.members_version
    RETURNING parent.last_sequence AS number, parent.last_message_at, parent.title),
  sent AS (
    INSERT INTO messages (id, conversation_id, sequence, sender_id, body, idempotency_key, created_at)
    SELECT $2::uuid, $1::uuid, number, $3::uuid, $5::text, $6::text, last_message_at FROM numbered
    RETURNING id, conversation_id, sender_id, sequence, body, created_at),
  own AS (${readOwn({ conversation: "$1::uuid", sender: "$3::uuid", at: "numbered.last_message_at", from: "FROM numbered" })}),
  notified AS (${notifyMembers({
    rows: "numbered, members m",
    conversation: "$1::uuid",
    sender: "$3::uuid",
    text: "$5::text",
    notification: "$7::uuid",
    message: "$2::uuid",
    title: titleOf("$4::text", "numbered.title"),
    at: "numbered.last_message_at",
  })})
  SELECT *, ${SENDER_NAME} FROM sent`;

/** The notifications of a message that a transaction has just inserted: $1 conversation, $2 message, $3 sender, $4 its name, $5 title, $6 text, $7 notification, $8 instant. */
export const NOTIFY_MEMBERS = `
  WITH own AS (${readOwn({ conversation: "$1::uuid", sender: "$3::uuid", at: "$8::timestamptz" })})
  ${notifyMembers({
    rows: "members m",
    conversation: "$1::uuid",
    sender: "$3::uuid",
    text: "$6::text",
    notification: "$7::uuid",
    message: "$2::uuid",
    title: titleOf("$4::text", "$5::text"),
    at: "$8::timestamptz",
  })}`;

export const FIND_MEMBERSHIP = `
  SELECT EXISTS (SELECT FROM members WHERE conversation_id = c.id AND user_id = $2) AS "isMember"
  FROM conversations c WHERE c.id = $1 AND c.deleted_at IS NULL`;

export const FIND_MESSAGE_BY_KEY = `
  SELECT id, conversation_id, sender_id, sequence, body, created_at, ${SENDER_NAME} FROM messages
  WHERE conversation_id = $1 AND sender_id = $2 AND idempotency_key = $3`;

/** $1 conversation, $2 user, $3 limit, $4 the sequence to start from. No row means that the user is no member. */
export const listMessages = (from: "newest" | "before" | "after") => `
  SELECT c.last_sequence, msg.*, ${SENDER_NAME} FROM members AS member JOIN conversations c ON c.id = member.conversation_id LEFT JOIN LATERAL (
    SELECT id, conversation_id, sender_id, sequence, body, created_at FROM messages
    WHERE conversation_id = $1 AND ${{ newest: "$4::int IS NULL", before: "sequence < $4::int", after: "sequence > $4::int" }[from]}
    ORDER BY sequence ${from === "after" ? "ASC" : "DESC"} LIMIT $3) AS msg ON true
  WHERE member.conversation_id = $1 AND member.user_id = $2 ORDER BY msg.sequence DESC`;

/** $1 user, $2 limit, $3 and $4 the position. A sender has read up to their own message. */
export function listConversations(direction: Direction, isAfter: boolean): string {
  const after = isAfter
    ? `(conversation_created_at, conversation_id) ${beyond(direction)} ($3::timestamptz, $4::uuid)`
    : "$3::timestamptz IS NULL AND $4::uuid IS NULL";
  const order = `ORDER BY conversation_created_at ${direction}, conversation_id ${direction}`;
  return `
    SELECT c.id, c.title, c.created_by, c.member_count, c.last_message_at, c.created_at, c.last_sequence,
      CASE WHEN newest.sender_id = $1 THEN c.last_sequence ELSE greatest(m.last_read_sequence, (
        SELECT own.sequence FROM messages own WHERE own.conversation_id = c.id
          AND (own.sender_id, own.conversation_id) BETWEEN ($1, c.id) AND ($1, c.id)
        ORDER BY own.sender_id DESC, own.sequence DESC LIMIT 1)) END AS last_read_sequence,
      m.muted_at IS NOT NULL AS is_muted, newest.*
    FROM (
      SELECT conversation_id, conversation_created_at FROM listed_conversations WHERE user_id = $1 AND ${after} ${order} LIMIT $2
    ) AS listed JOIN conversations c ON c.id = listed.conversation_id
    JOIN members m ON m.conversation_id = listed.conversation_id AND m.user_id = $1
    LEFT JOIN LATERAL (
      SELECT left(body, 140) AS excerpt, sender_id, created_at AS sent_at,
        (SELECT display_name FROM users u WHERE u.id = sender_id AND u.deleted_at IS NULL) AS sender_name
      FROM messages WHERE conversation_id = c.id AND sequence = c.last_sequence LIMIT 1) AS newest ON true
    ORDER BY listed.conversation_created_at ${direction}, listed.conversation_id ${direction}`;
}

type NotificationsShape = {
  readonly direction: Direction;
  readonly isAfter: boolean;
  readonly status: "unread" | "read" | undefined;
};

/** $1 user, $2 limit, $3 kind, $4 and $5 the position. Each status has an index of its own. */
export function listNotifications({ direction, isAfter, status }: NotificationsShape): string {
  const after = isAfter
    ? `(created_at, id) ${beyond(direction)} ($4::timestamptz, $5::uuid)`
    : "$4::timestamptz IS NULL AND $5::uuid IS NULL";
  const order = `ORDER BY created_at ${direction}, id ${direction}`;
  const list = (readAt: string) => `(
    SELECT id, kind, title, body, resource_type, resource_id, resource_href, event_count, created_at, updated_at, read_at,
      actor_id, archived_at
    FROM notifications WHERE user_id = $1 AND read_at ${readAt} AND created_at > ${RETAINED_SINCE}
      AND ($3::text IS NULL OR kind = $3::text) AND ${after} ${order} LIMIT $2)`;
  const lists = [...(status === "read" ? [] : [list("IS NULL")]), ...(status === "unread" ? [] : [list("IS NOT NULL")])];
  return `
    SELECT now.*, n.*, ${nameOf("n.actor_id")} AS actor_name FROM (
      SELECT pg_current_snapshot()::text AS snapshot, clock_timestamp() AS until, (
        SELECT count(*)::int FROM (
          SELECT FROM notifications WHERE user_id = $1 AND read_at IS NULL AND created_at > ${RETAINED_SINCE}
          ORDER BY created_at DESC LIMIT 1000) AS counted) AS unread) AS now
    LEFT JOIN (SELECT * FROM (${lists.join(" UNION ALL ")}) AS listed ${order} LIMIT $2) AS n ON true ${order}`;
}

/** What the Prisma store asks before it lists notifications. */
export const SEEN = "SELECT pg_current_snapshot()::text AS snapshot, clock_timestamp() AS until";
