import pg from "pg";
import { keyReused, notAMember, notFound } from "./refusal.ts";
import type { Settings } from "./settings.ts";
import * as sql from "./sql.ts";
import { createStatementNames } from "./statement-names.ts";
import type { KeyRow, Store } from "./store.ts";
import { toUser, type Conversation, type Message, type Notification, type Post } from "./wire.ts";

/** Rows as `pg` returns them: timestamps are Dates, and bigints are strings. */
type Row = Record<string, unknown> & { id: string; created_at: Date };

const iso = (date: unknown) => (date as Date).toISOString();
const isoOrNull = (date: unknown) => (date as Date | null)?.toISOString() ?? null;

const UNIQUE_VIOLATION = "23505";
const ATTEMPTS = 10;

export function createPgStore({ databaseUrl, poolSize }: Settings): Store {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
  pool.on("error", (error) => console.error("a connection was lost", error));
  const nameOf = createStatementNames();
  async function rowsOf(text: string, ...values: unknown[]): Promise<Row[]> {
    const name = nameOf(text, values);
    return (await pool.query<Row>({ text, values, ...(name === undefined ? {} : { name }) })).rows;
  }

  async function requireMember(conversationId: string, userId: string): Promise<void> {
    const [found] = await rowsOf(sql.FIND_MEMBERSHIP, conversationId, userId);
    if (found === undefined) throw notFound("conversation");
    if (found["isMember"] !== true) throw notAMember();
  }

  return {
    async ping() {
      await pool.query("SELECT 1");
    },

    async findKey(id) {
      return ((await rowsOf(sql.FIND_KEY, id))[0] as unknown as KeyRow | undefined) ?? null;
    },

    async findUrl(ownerId, id) {
      const [row] = await rowsOf(sql.FIND_URL, id, ownerId);
      if (row === undefined) return null;
      return {
        id: row.id,
        target_url: row["target_url"] as string,
        expires_at: isoOrNull(row["expires_at"]),
        expired_url: row["expired_url"] as string | null,
        click_count: Number(row["click_count"]),
        last_clicked_at: isoOrNull(row["last_clicked_at"]),
        created_at: iso(row.created_at),
      };
    },

    async findTarget(id) {
      const [row] = await rowsOf(sql.FIND_TARGET, id);
      if (row === undefined) return null;
      const expiresAt = row["expires_at"] as Date | null;
      const isGone = row["deleted_at"] !== null || (expiresAt !== null && expiresAt <= new Date());
      return { targetUrl: row["target_url"] as string, expiredUrl: row["expired_url"] as string | null, isGone };
    },

    async addClicks(clicks) {
      await rowsOf(
        sql.ADD_CLICKS,
        clicks.map((it) => it.id),
        clicks.map((it) => it.count),
        clicks.map((it) => it.lastAt),
      );
    },

    async listPosts({ author, offset, after, direction, take }) {
      const shape = { direction, isAfter: after !== null, ofAuthor: author !== undefined, counts: offset !== undefined };
      const rows = await rowsOf(sql.listPosts(shape), take, offset ?? 0, author ?? null, after?.at ?? null, after?.id ?? null);
      return { rows: rows.filter(isListed).map(toPost), total: (rows[0]?.["total"] as number | null | undefined) ?? null };
    },

    async insertPost({ id, authorId, title, body }, key) {
      const values = [id, authorId, title, body];
      if (key === null) return { value: toPost((await rowsOf(sql.INSERT_POST, ...values))[0]!), isReplay: false };
      const [row] = await rowsOf(sql.INSERT_POST_ONCE, ...values, key.key, key.fingerprint);
      if (row !== undefined) return { value: toPost(row), isReplay: false };
      const [answer] = await rowsOf(sql.FIND_ANSWER, authorId, key.key);
      if (answer === undefined || !(answer["fingerprint"] as Buffer).equals(key.fingerprint)) throw keyReused();
      const stored = JSON.parse(answer["body"] as string) as Omit<Post, "author">;
      return { value: { ...stored, author: toUser(authorId, answer["author_name"] as string | null) }, isReplay: true };
    },

    async sendMessage({ conversationId, id, senderId, senderName, body, key, notificationId }) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const values = [conversationId, id, senderId, senderName, body, key, notificationId];
        const [sent] = await rowsOf(sql.SEND_MESSAGE, ...values).catch((error: { code?: string }) => {
          // The same key at the same time: the other request was faster.
          if (error.code === UNIQUE_VIOLATION) return [];
          throw error;
        });
        if (sent !== undefined) return { value: toMessage(sent), isReplay: false };
        await requireMember(conversationId, senderId);
        const [earlier] = await rowsOf(sql.FIND_MESSAGE_BY_KEY, conversationId, senderId, key);
        // The members have changed while the statement waited: it is tried again.
        if (earlier === undefined) continue;
        if (earlier["body"] !== body) throw keyReused();
        return { value: toMessage(earlier), isReplay: true };
      }
      throw new Error("The members of the conversation keep changing.");
    },

    async listMessages(conversationId, userId, { before, after, take }) {
      const from = before !== null ? "before" : after !== null ? "after" : "newest";
      const rows = await rowsOf(sql.listMessages(from), conversationId, userId, take, before ?? after);
      if (rows[0] === undefined) await requireMember(conversationId, userId);
      return {
        rows: rows.filter(isListed).map(toMessage),
        lastSequence: (rows[0]?.["last_sequence"] as number | undefined) ?? 0,
      };
    },

    async listConversations(userId, { direction, after, take }) {
      const text = sql.listConversations(direction, after !== null);
      return (await rowsOf(text, userId, take, after?.at ?? null, after?.id ?? null)).map(toConversation);
    },

    async listNotifications(userId, { status, kind, direction, after, take }) {
      const text = sql.listNotifications({ direction, isAfter: after !== null, status });
      const rows = await rowsOf(text, userId, take, kind ?? null, after?.at ?? null, after?.id ?? null);
      const { snapshot, until, unread } = rows[0] as unknown as { snapshot: string; until: Date; unread: number };
      return { rows: rows.filter(isListed).map(toNotification), unread, seen: { snapshot, until } };
    },
  };
}

/** An outer join returns one row of nulls if the list is empty. */
const isListed = (row: Row) => row.id !== null;

const toPost = (row: Row): Post => ({
  id: row.id,
  author_id: row["author_id"] as string,
  title: row["title"] as string,
  body: row["body"] as string,
  created_at: iso(row.created_at),
  updated_at: iso(row["updated_at"]),
  author: toUser(row["author_id"] as string, row["author_name"] as string | null),
});

const toMessage = (row: Row): Message => ({
  id: row.id,
  conversation_id: row["conversation_id"] as string,
  sender_id: row["sender_id"] as string,
  sequence: row["sequence"] as number,
  body: row["body"] as string,
  created_at: iso(row.created_at),
  sender: toUser(row["sender_id"] as string, row["sender_name"] as string | null),
});

const toConversation = (row: Row): Conversation => ({
  id: row.id,
  title: row["title"] as string | null,
  created_by: row["created_by"] as string,
  member_count: row["member_count"] as number,
  last_message_at: isoOrNull(row["last_message_at"]),
  created_at: iso(row.created_at),
  last_message:
    row["excerpt"] === null
      ? null
      : {
          sequence: row["last_sequence"] as number,
          sender: toUser(row["sender_id"] as string, row["sender_name"] as string | null),
          created_at: iso(row["sent_at"]),
          excerpt: row["excerpt"] as string,
        },
  last_read_sequence: row["last_read_sequence"] as number,
  unread_count: (row["last_sequence"] as number) - (row["last_read_sequence"] as number),
  muted: row["is_muted"] as boolean,
});

const toNotification = (row: Row): Notification => ({
  id: row.id,
  kind: row["kind"] as string,
  status: row["read_at"] === null ? "unread" : "read",
  title: row["title"] as string,
  body: row["body"] as string | null,
  resource: {
    type: row["resource_type"] as string,
    id: row["resource_id"] as string,
    href: row["resource_href"] as string,
  },
  event_count: row["event_count"] as number,
  created_at: iso(row.created_at),
  updated_at: iso(row["updated_at"]),
  read_at: isoOrNull(row["read_at"]),
  actor: row["actor_id"] === null ? null : toUser(row["actor_id"] as string, row["actor_name"] as string | null),
  archived_at: isoOrNull(row["archived_at"]),
});
