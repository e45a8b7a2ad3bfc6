import { hash, randomUUIDv7 } from "node:crypto";
import { createClickCounter } from "./clicks.ts";
import { createVerifier, type Principal } from "./credentials.ts";
import { decodePosition, decodeSequence, encodePosition, encodeSeen, encodeSequence } from "./cursor.ts";
import { createProbe } from "./probe.ts";
import { invalid, notFound, Refusal } from "./refusal.ts";
import type { Settings } from "./settings.ts";
import type { Replayable, Store } from "./store.ts";
import type { Conversation, Health, Message, Notification, Page, Post, Url } from "./wire.ts";

export type Sort = "created_at" | "-created_at";
export type ListQuery = { limit: number; sort: Sort; after?: string | undefined };
export type PostListQuery = ListQuery & { author?: string | undefined; offset?: number | undefined };
export type MessageListQuery = { limit: number; before?: string | undefined; after?: string | undefined };
export type NotificationListQuery = ListQuery & { status?: "unread" | "read" | undefined; kind?: string | undefined };

/** The response to a request that creates something: where it is, and whether an earlier request has created it. */
export type Created<T> = { readonly body: T; readonly headers: Record<string, string> };

export type Api = ReturnType<typeof createApi>;

/** What the service does, without HTTP. All peers share it, so that they differ only in their framework and their store. */
export function createApi(store: Store, { publicUrl, version, serviceVersion }: Settings) {
  const probe = createProbe(store.ping);
  const countClick = createClickCounter(store.addClicks);

  return {
    authenticate: createVerifier(store.findKey),

    async health(): Promise<Health> {
      await probe();
      return { status: "pass", version, service_version: serviceVersion };
    },

    async readUrl({ userId }: Principal, id: string): Promise<Url> {
      const row = await store.findUrl(userId, id);
      if (row === null) throw notFound("short URL");
      const { id: code, ...rest } = row;
      return { id: code, short_url: `${publicUrl}/u/${code}`, ...rest };
    },

    /** The target of a short URL; the click is counted. After its end, its `expired_url`. */
    async followUrl(id: string): Promise<string> {
      const target = await store.findTarget(id);
      if (target === null) throw notFound("short URL");
      if (target.isGone && target.expiredUrl !== null) return target.expiredUrl;
      if (target.isGone) throw new Refusal(410, "gone", "This short URL was deleted or has expired.");
      countClick(id);
      return target.targetUrl;
    },

    async listPosts({ author, offset, ...query }: PostListQuery) {
      if (offset !== undefined && query.after !== undefined) throw invalid("Send either offset or after, not both.");
      const { rows, total } = await store.listPosts({ ...windowOf(query), author, offset });
      return pageOf<Post, { offset: number | null; total: number | null }>(rows, query.limit, { offset: offset ?? null, total });
    },

    async createPost(
      { userId }: Principal,
      post: { title: string; body: string },
      key: string | undefined,
    ): Promise<Created<Post>> {
      const { title, body } = post;
      const fingerprint = hash("sha256", JSON.stringify([title, body]), "buffer");
      const row = { id: randomUUIDv7(), authorId: userId, title, body };
      const made = await store.insertPost(row, key === undefined ? null : { key: bare(key), fingerprint });
      return created(made, (it) => `/posts/${it.id}`);
    },

    async createMessage(sender: Principal, conversationId: string, body: string, key: string): Promise<Created<Message>> {
      const sent = await store.sendMessage({
        id: randomUUIDv7(),
        notificationId: randomUUIDv7(),
        conversationId,
        senderId: sender.userId,
        senderName: sender.displayName,
        body,
        key: bare(key),
      });
      return created(sent, (it) => `/conversations/${conversationId}/messages/${it.id}`);
    },

    async listMessages({ userId }: Principal, conversationId: string, query: MessageListQuery) {
      const { limit } = query;
      if (query.before !== undefined && query.after !== undefined) throw invalid("Send either before or after, not both.");
      const [before, after] = [decodeSequence(query.before), decodeSequence(query.after)];
      const { rows, lastSequence } = await store.listMessages(conversationId, userId, { before, after, take: limit });
      // Sequences have no gaps, so the position shows whether there is more on either side.
      const oldest = rows.at(-1)?.sequence ?? (after === null ? 1 : after + 1);
      const newest = rows[0]?.sequence ?? after ?? (before ?? 1) - 1;
      const page = {
        limit,
        next_cursor: oldest > 1 ? encodeSequence(oldest) : null,
        prev_cursor: encodeSequence(newest),
        has_newer: lastSequence > newest,
      };
      return { data: rows, page };
    },

    async listConversations({ userId }: Principal, query: ListQuery): Promise<Page<Conversation>> {
      return pageOf(await store.listConversations(userId, windowOf(query)), query.limit);
    },

    async listNotifications({ userId }: Principal, { status, kind, ...query }: NotificationListQuery) {
      const { rows, unread, seen } = await store.listNotifications(userId, { ...windowOf(query), status, kind });
      return { ...pageOf<Notification>(rows, query.limit), unread_count: unread, seen: encodeSeen(seen) };
    },
  };
}

const windowOf = ({ sort, after, limit }: ListQuery) =>
  ({ direction: sort === "created_at" ? "asc" : "desc", after: decodePosition(after), take: limit + 1 }) as const;

/** One page; a row more than `limit` shows that there is another page. */
function pageOf<Item extends { readonly created_at: string; readonly id: string }, Info = object>(
  rows: Item[],
  limit: number,
  info = {} as Info,
): Page<Item, Info> {
  const data = rows.slice(0, limit);
  return { data, page: { limit, ...info, next_cursor: rows.length > limit ? encodePosition(data.at(-1)!) : null } };
}

function created<T>({ value, isReplay }: Replayable<T>, hrefOf: (value: T) => string): Created<T> {
  return { body: value, headers: { location: hrefOf(value), ...(isReplay ? { "idempotency-replayed": "true" } : {}) } };
}

/** The quoted and the bare form of an idempotency key are the same key. */
const bare = (key: string) => (key.startsWith('"') ? key.slice(1, -1) : key);
