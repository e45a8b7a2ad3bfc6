import { Type, type TSchema } from "typebox";

const Closed = { additionalProperties: false };
const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Uuid = Type.String({ format: "uuid" });
const Instant = Type.String({ format: "date-time" });
const Cursor = Type.String({ minLength: 1, maxLength: 512, pattern: "^[A-Za-z0-9._-]+$" });
const Limit = Type.Integer({ minimum: 1, maximum: 100, default: 20 });
const Sort = Type.Union([Type.Literal("created_at"), Type.Literal("-created_at")], { default: "-created_at" });
const IdempotencyKey = Type.String({
  minLength: 8,
  maxLength: 130,
  pattern: '^("[A-Za-z0-9._:~+/=-]{8,128}"|[A-Za-z0-9._:~+/=-]{8,128})$',
});
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^\\s*[^\\s\\x00][^\\x00]*$" });
const Title = Type.String({ minLength: 1, maxLength: 200, pattern: "^ *[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$" });

export const UrlParams = Type.Object({
  id: Type.String({ minLength: 4, maxLength: 64, pattern: "^[A-Za-z0-9][A-Za-z0-9_-]*$" }),
});
export const ConversationParams = Type.Object({ conversationId: Uuid });
export const OptionalKey = Type.Object({ "idempotency-key": Type.Optional(IdempotencyKey) });
export const RequiredKey = Type.Object({ "idempotency-key": IdempotencyKey });

const paging = { limit: Limit, sort: Sort, after: Type.Optional(Cursor) };
export const ListQuery = Type.Object(paging, Closed);
export const PostListQuery = Type.Object(
  { ...paging, author: Type.Optional(Uuid), offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })) },
  Closed,
);
export const MessageListQuery = Type.Object(
  { limit: Limit, before: Type.Optional(Cursor), after: Type.Optional(Cursor) },
  Closed,
);
export const NotificationListQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(Type.Union([Type.Literal("unread"), Type.Literal("read")])),
    kind: Type.Optional(Type.String({ maxLength: 60 })),
  },
  Closed,
);

export const NewPost = Type.Object({ title: Title, body: Text(10_000) }, Closed);
export const NewMessage = Type.Object({ body: Text(4_000) }, Closed);

export const Health = Type.Object({ status: Type.Literal("pass"), version: Type.String(), service_version: Type.String() });
export const Url = Type.Object({
  id: Type.String(),
  short_url: Type.String(),
  target_url: Type.String(),
  expires_at: Nullable(Instant),
  expired_url: Nullable(Type.String()),
  click_count: Type.Integer(),
  last_clicked_at: Nullable(Instant),
  created_at: Instant,
});
const User = Type.Object({ id: Uuid, display_name: Nullable(Type.String()), deleted: Type.Boolean() });
export const Post = Type.Object({
  id: Uuid,
  author_id: Uuid,
  title: Type.String(),
  body: Type.String(),
  created_at: Instant,
  updated_at: Instant,
  author: User,
});
export const Message = Type.Object({
  id: Uuid,
  conversation_id: Uuid,
  sender_id: Uuid,
  sequence: Type.Integer(),
  body: Type.String(),
  created_at: Instant,
  sender: User,
});
const Conversation = Type.Object({
  id: Uuid,
  title: Nullable(Type.String()),
  created_by: Uuid,
  member_count: Type.Integer(),
  last_message_at: Nullable(Instant),
  created_at: Instant,
  last_message: Nullable(Type.Object({ sequence: Type.Integer(), sender: User, created_at: Instant, excerpt: Type.String() })),
  last_read_sequence: Type.Integer(),
  unread_count: Type.Integer(),
  muted: Type.Boolean(),
});
const Notification = Type.Object({
  id: Uuid,
  kind: Type.String(),
  status: Type.Union([Type.Literal("unread"), Type.Literal("read")]),
  title: Type.String(),
  body: Nullable(Type.String()),
  resource: Type.Object({ type: Type.String(), id: Type.String(), href: Type.String() }),
  event_count: Type.Integer(),
  created_at: Instant,
  updated_at: Instant,
  read_at: Nullable(Instant),
  actor: Nullable(User),
  archived_at: Nullable(Instant),
});

const info = { limit: Type.Integer(), next_cursor: Nullable(Type.String()) };
const PageInfo = Type.Object(info);
export const PostPage = Type.Object({
  data: Type.Array(Post),
  page: Type.Object({ ...info, offset: Nullable(Type.Integer()), total: Nullable(Type.Integer()) }),
});
export const MessagePage = Type.Object({
  data: Type.Array(Message),
  page: Type.Object({ ...info, prev_cursor: Type.String(), has_newer: Type.Boolean() }),
});
export const ConversationPage = Type.Object({ data: Type.Array(Conversation), page: PageInfo });
export const NotificationPage = Type.Object({
  data: Type.Array(Notification),
  page: PageInfo,
  unread_count: Type.Integer(),
  seen: Type.String(),
});
