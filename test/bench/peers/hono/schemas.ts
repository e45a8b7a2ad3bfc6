import { z } from "@hono/zod-openapi";

const Uuid = z.uuid();
const Instant = z.iso.datetime();
const Cursor = z.string().regex(/^[A-Za-z0-9._-]{1,512}$/);
const Limit = z.coerce.number().int().min(1).max(100).default(20);
const Sort = z.enum(["created_at", "-created_at"]).default("-created_at");
const IdempotencyKey = z.string().regex(/^("[A-Za-z0-9._:~+/=-]{8,128}"|[A-Za-z0-9._:~+/=-]{8,128})$/);
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^\s*[^\s\x00][^\x00]*$/);
const Title = z
  .string()
  .min(1)
  .max(200)
  .regex(/^ *[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$/);

export const UrlParams = z.object({ id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{3,63}$/) });
export const ConversationParams = z.object({ conversationId: Uuid });
export const OptionalKey = z.object({ "idempotency-key": IdempotencyKey.optional() });
export const RequiredKey = z.object({ "idempotency-key": IdempotencyKey });

const paging = { limit: Limit, sort: Sort, after: Cursor.optional() };
export const ListQuery = z.strictObject(paging);
export const PostListQuery = z.strictObject({
  ...paging,
  author: Uuid.optional(),
  offset: z.coerce.number().int().min(0).max(10_000).optional(),
});
export const MessageListQuery = z.strictObject({ limit: Limit, before: Cursor.optional(), after: Cursor.optional() });
export const NotificationListQuery = z.strictObject({
  ...paging,
  status: z.enum(["unread", "read"]).optional(),
  kind: z.string().max(60).optional(),
});

export const NewPost = z.strictObject({ title: Title, body: text(10_000) }).openapi("CreatePostRequest");
export const NewMessage = z.strictObject({ body: text(4_000) }).openapi("CreateMessageRequest");

export const Health = z.object({ status: z.literal("pass"), version: z.string() }).openapi("Health");
export const Url = z
  .object({
    id: z.string(),
    short_url: z.string(),
    target_url: z.string(),
    expires_at: Instant.nullable(),
    click_count: z.int(),
    last_clicked_at: Instant.nullable(),
    created_at: Instant,
  })
  .openapi("Url");
export const Post = z
  .object({ id: Uuid, author_id: Uuid, title: z.string(), body: z.string(), created_at: Instant, updated_at: Instant })
  .openapi("Post");
export const Message = z
  .object({
    id: Uuid,
    conversation_id: Uuid,
    sender_id: Uuid,
    sequence: z.int(),
    body: z.string(),
    created_at: Instant,
  })
  .openapi("Message");
const Conversation = z
  .object({
    id: Uuid,
    title: z.string().nullable(),
    created_by: Uuid,
    member_count: z.int(),
    last_message_at: Instant.nullable(),
    created_at: Instant,
  })
  .openapi("Conversation");
const Notification = z
  .object({
    id: Uuid,
    kind: z.string(),
    status: z.enum(["unread", "read"]),
    title: z.string(),
    body: z.string().nullable(),
    resource: z.object({ type: z.string(), id: z.string(), href: z.string() }),
    event_count: z.int(),
    created_at: Instant,
    updated_at: Instant,
    read_at: Instant.nullable(),
  })
  .openapi("Notification");

const info = { limit: z.int(), next_cursor: z.string().nullable() };
const PageInfo = z.object(info);
export const PostPage = z.object({
  data: z.array(Post),
  page: z.object({ ...info, offset: z.int().nullable(), total: z.int().nullable() }),
});
export const MessagePage = z.object({
  data: z.array(Message),
  page: z.object({ ...info, prev_cursor: z.string(), has_newer: z.boolean() }),
});
export const ConversationPage = z.object({ data: z.array(Conversation), page: PageInfo });
export const NotificationPage = z.object({
  data: z.array(Notification),
  page: PageInfo,
  unread_count: z.int(),
  seen: z.string(),
});
