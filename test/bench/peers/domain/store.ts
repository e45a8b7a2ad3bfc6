import type { Conversation, Message, Notification, Post, Url } from "./wire.ts";

export type Direction = "asc" | "desc";
/** A position in a list that is ordered by creation: the instant and the id of a row. */
export type Position = { readonly at: string; readonly id: string };
export type Window = { readonly direction: Direction; readonly after: Position | null; readonly take: number };

export type KeyRow = {
  readonly userId: string;
  readonly displayName: string;
  readonly scopes: readonly string[];
  readonly secretHash: Uint8Array;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};
export type Target = { readonly targetUrl: string; readonly expiredUrl: string | null; readonly isGone: boolean };
export type Click = { readonly id: string; readonly count: number; readonly lastAt: Date };

export type PostQuery = Window & { readonly author: string | undefined; readonly offset: number | undefined };
export type NewPost = { readonly id: string; readonly authorId: string; readonly title: string; readonly body: string };
/** An idempotency key, with the hash of the request that it belongs to. */
export type Key = { readonly key: string; readonly fingerprint: Uint8Array };
export type NewMessage = {
  readonly id: string;
  readonly notificationId: string;
  readonly conversationId: string;
  readonly senderId: string;
  readonly senderName: string;
  readonly body: string;
  readonly key: string;
};
export type MessageQuery = { readonly before: number | null; readonly after: number | null; readonly take: number };
export type NotificationQuery = Window & {
  readonly status: "unread" | "read" | undefined;
  readonly kind: string | undefined;
};
export type Seen = { readonly snapshot: string; readonly until: Date };

export type Replayable<T> = { readonly value: T; readonly isReplay: boolean };

/** What the API asks of its database: by SQL with `pg` (store-pg.ts), or by Prisma (store-prisma.ts). */
export type Store = {
  ping(): Promise<void>;
  findKey(id: string): Promise<KeyRow | null>;
  findUrl(ownerId: string, id: string): Promise<Omit<Url, "short_url"> | null>;
  findTarget(id: string): Promise<Target | null>;
  addClicks(clicks: readonly Click[]): Promise<void>;
  listPosts(query: PostQuery): Promise<{ rows: Post[]; total: number | null }>;
  insertPost(post: NewPost, key: Key | null): Promise<Replayable<Post>>;
  /** Throws a Refusal if the sender is no member, or if the key belongs to another text. */
  sendMessage(message: NewMessage): Promise<Replayable<Message>>;
  /** Throws a Refusal if the user is no member. The rows are in descending order. */
  listMessages(conversationId: string, userId: string, query: MessageQuery): Promise<{ rows: Message[]; lastSequence: number }>;
  listConversations(userId: string, window: Window): Promise<Conversation[]>;
  listNotifications(userId: string, query: NotificationQuery): Promise<{ rows: Notification[]; unread: number; seen: Seen }>;
};
