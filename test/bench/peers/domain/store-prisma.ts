import { PrismaPg } from "@prisma/adapter-pg";
import {
  Prisma,
  PrismaClient,
  type Notification as NotificationRow,
  type Post as PostRow,
} from "../../../../generated/prisma/client.ts";
import { keyReused, notAMember, notFound } from "./refusal.ts";
import type { Settings } from "./settings.ts";
import * as sql from "./sql.ts";
import { createStatementNames } from "./statement-names.ts";
import type { Position, Seen, Store, Window } from "./store.ts";
import { toUser, type Conversation, type Message, type Notification, type Post } from "./wire.ts";

const RETENTION_DAYS = 90;
const UNREAD_MAX = 1_000;
const TOTAL_MAX = 10_000;
const ATTEMPTS = 3;

const iso = (date: Date | null) => date?.toISOString() ?? null;
const hasCode = (error: unknown, code: string) => error instanceof Prisma.PrismaClientKnownRequestError && error.code === code;
const isUniqueViolation = (error: unknown) => hasCode(error, "P2002");
const isNotFound = (error: unknown) => hasCode(error, "P2025");

/** The API of Prisma where it has one, and SQL for what it lacks: a snapshot, and an upsert that depends on the row. */
export function createPrismaStore({ databaseUrl, poolSize }: Settings): Store {
  const nameOf = createStatementNames();
  const prisma = new PrismaClient({
    adapter: new PrismaPg(
      { connectionString: databaseUrl, max: poolSize },
      // The adapter accepts a statement without a name, although its type does not say so.
      { statementNameGenerator: ({ sql, args }) => nameOf(sql, args) as string },
    ),
    // Of 32 requests at once, 22 wait for a connection.
    transactionOptions: { maxWait: 15_000, timeout: 20_000 },
  });

  async function requireMember(conversationId: string, userId: string): Promise<void> {
    const member = await prisma.member.findUnique({ where: { conversationId_userId: { conversationId, userId } } });
    if (member !== null) return;
    const conversation = await prisma.conversation.findUnique({ where: { id: conversationId, deletedAt: null } });
    throw conversation === null ? notFound("conversation") : notAMember();
  }

  return {
    async ping() {
      await prisma.$queryRaw`SELECT 1`;
    },

    async findKey(id) {
      const row = await prisma.apiKey.findUnique({ where: { id }, include: { user: { select: { displayName: true } } } });
      return row === null ? null : { ...row, displayName: row.user.displayName };
    },

    async findUrl(ownerId, id) {
      const row = await prisma.shortUrl.findUnique({ where: { id, ownerId, deletedAt: null } });
      if (row === null) return null;
      return {
        id: row.id,
        target_url: row.targetUrl,
        expires_at: iso(row.expiresAt),
        expired_url: row.expiredUrl,
        click_count: Number(row.clickCount),
        last_clicked_at: iso(row.lastClickedAt),
        created_at: row.createdAt.toISOString(),
      };
    },

    async findTarget(id) {
      const row = await prisma.shortUrl.findUnique({
        where: { id },
        select: { targetUrl: true, deletedAt: true, expiresAt: true, expiredUrl: true },
      });
      if (row === null) return null;
      const isGone = row.deletedAt !== null || (row.expiresAt !== null && row.expiresAt <= new Date());
      return { targetUrl: row.targetUrl, expiredUrl: row.expiredUrl, isGone };
    },

    async addClicks(clicks) {
      await prisma.$executeRawUnsafe(
        sql.ADD_CLICKS,
        clicks.map((it) => it.id),
        clicks.map((it) => it.count),
        clicks.map((it) => it.lastAt),
      );
    },

    async listPosts({ author, offset, direction, after, take }) {
      const ofAuthor = author === undefined ? {} : { authorId: author };
      const [rows, total] = await Promise.all([
        prisma.post.findMany({
          where: { ...ofAuthor, ...beyond(direction, after) },
          orderBy: [{ createdAt: direction }, { id: direction }],
          take,
          ...(offset === undefined ? {} : { skip: offset }),
          include: { author: NAME },
        }),
        offset === undefined ? null : prisma.post.count({ where: ofAuthor, take: TOTAL_MAX }),
      ]);
      return { rows: rows.map(toPost), total };
    },

    async insertPost(post, key) {
      if (key === null)
        return { value: toPost(await prisma.post.create({ data: post, include: { author: NAME } })), isReplay: false };
      const id = { userId: post.authorId, operationId: "createPost", key: key.key };
      for (let attempt = 1; ; attempt++) {
        try {
          const value = await prisma.$transaction(async (tx) => {
            const wire = toPost(await tx.post.create({ data: post, include: { author: NAME } }));
            const { author: _author, ...stored } = wire;
            const answer = { status: 201, headers: { Location: `/posts/${wire.id}` }, body: JSON.stringify(stored) };
            await tx.idempotencyKey.create({
              data: { ...id, fingerprint: Uint8Array.from(key.fingerprint), ...answer },
              select: { key: true },
            });
            return wire;
          });
          return { value, isReplay: false };
        } catch (error) {
          if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
        }
        const earlier = await prisma.idempotencyKey.findUnique({ where: { userId_operationId_key: id } });
        const author = await prisma.user.findUnique({ where: { id: post.authorId }, ...NAME });
        if (earlier !== null && earlier.expiresAt > new Date()) {
          if (!Buffer.from(earlier.fingerprint).equals(key.fingerprint)) throw keyReused();
          const stored = JSON.parse(earlier.body) as Omit<Post, "author">;
          return { value: { ...stored, author: summaryOf(post.authorId, author) }, isReplay: true };
        }
        await prisma.idempotencyKey.deleteMany({ where: { ...id, expiresAt: { lte: new Date() } } });
      }
    },

    async sendMessage({ id, notificationId, conversationId, senderId, senderName, body, key }) {
      try {
        const value = await prisma.$transaction(async (tx) => {
          // It locks the conversation, so sequences have no gaps.
          const { lastSequence, lastMessageAt, title } = await tx.conversation.update({
            where: { id: conversationId, deletedAt: null, members: { some: { userId: senderId } } },
            data: { lastSequence: { increment: 1 }, lastMessageAt: new Date() },
            select: { lastSequence: true, lastMessageAt: true, title: true },
          });
          const message = await tx.message.create({
            data: { id, conversationId, senderId, sequence: lastSequence, body, idempotencyKey: key, createdAt: lastMessageAt! },
            include: { sender: NAME },
          });
          await tx.$executeRawUnsafe(
            sql.NOTIFY_MEMBERS,
            conversationId,
            id,
            senderId,
            senderName,
            title,
            body,
            notificationId,
            lastMessageAt,
          );
          return toMessage(message);
        });
        return { value, isReplay: false };
      } catch (error) {
        if (!isUniqueViolation(error) && !isNotFound(error)) throw error;
        await requireMember(conversationId, senderId);
        const where = { conversationId_senderId_idempotencyKey: { conversationId, senderId, idempotencyKey: key } };
        const earlier = await prisma.message.findUnique({ where, include: { sender: NAME } });
        if (earlier === null) throw error;
        if (earlier.body !== body) throw keyReused();
        return { value: toMessage(earlier), isReplay: true };
      }
    },

    async listMessages(conversationId, userId, { before, after, take }) {
      const member = await prisma.member.findUnique({
        where: { conversationId_userId: { conversationId, userId } },
        select: { conversation: { select: { lastSequence: true } } },
      });
      if (member === null) await requireMember(conversationId, userId);
      const rows = await prisma.message.findMany({
        where: {
          conversationId,
          ...(before === null ? {} : { sequence: { lt: before } }),
          ...(after === null ? {} : { sequence: { gt: after } }),
        },
        orderBy: { sequence: after === null ? "desc" : "asc" },
        take,
        include: { sender: NAME },
      });
      const newestFirst = after === null ? rows : rows.reverse();
      return { rows: newestFirst.map(toMessage), lastSequence: member?.conversation.lastSequence ?? 0 };
    },

    async listConversations(userId, { direction, after, take }) {
      const [larger, least] = direction === "asc" ? (["gt", "gte"] as const) : (["lt", "lte"] as const);
      const position = after && {
        conversationCreatedAt: { [least]: after.at },
        OR: [{ conversationCreatedAt: { [larger]: after.at } }, { conversationId: { [larger]: after.id } }],
      };
      const rows = await prisma.member.findMany({
        where: { userId, ...position },
        orderBy: [{ conversationCreatedAt: direction }, { conversationId: direction }],
        take,
        include: {
          conversation: { include: { messages: { orderBy: { sequence: "desc" }, take: 1, include: { sender: NAME } } } },
        },
      });
      // A sender has read up to their own message.
      const unread = rows.filter((it) => it.lastReadSequence < it.conversation.lastSequence).map((it) => it.conversationId);
      const own = await prisma.message.groupBy({
        by: ["conversationId"],
        where: { senderId: userId, conversationId: { in: unread } },
        _max: { sequence: true },
      });
      const newestOwn = new Map(own.map((it) => [it.conversationId, it._max.sequence ?? 0]));
      const positionIn = (it: (typeof rows)[number]) => Math.max(it.lastReadSequence, newestOwn.get(it.conversationId) ?? 0);
      const shown = rows.map((it) => ({ ...it, readUpTo: positionIn(it) }));
      return shown.map(({ conversation: it, readUpTo, mutedAt }) => ({
        id: it.id,
        title: it.title,
        created_by: it.createdById,
        member_count: it.memberCount,
        last_message_at: iso(it.lastMessageAt),
        created_at: it.createdAt.toISOString(),
        last_message: it.messages.map(toLastMessage)[0] ?? null,
        last_read_sequence: readUpTo,
        unread_count: it.lastSequence - readUpTo,
        muted: mutedAt !== null,
      }));
    },

    async listNotifications(userId, { status, kind, direction, after, take }) {
      const retainedSince = new Date(Date.now() - RETENTION_DAYS * 86_400_000);
      const unread = { userId, readAt: null, createdAt: { gt: retainedSince } };
      const [seen] = await prisma.$queryRawUnsafe<Seen[]>(sql.SEEN);
      const [rows, unreadCount] = await Promise.all([
        prisma.notification.findMany({
          where: {
            userId,
            ...(status === undefined ? {} : { readAt: status === "unread" ? null : { not: null } }),
            ...(kind === undefined ? {} : { kind }),
            AND: [{ createdAt: { gt: retainedSince } }, beyond(direction, after)],
          },
          orderBy: [{ createdAt: direction }, { id: direction }],
          take,
        }),
        prisma.notification.count({ where: unread, orderBy: { createdAt: "desc" }, take: UNREAD_MAX }),
      ]);
      // The actor has no foreign key, so Prisma can't include it.
      const ids = [...new Set(rows.flatMap((it) => it.actorId ?? []))];
      const actors =
        ids.length === 0 ? [] : await prisma.user.findMany({ where: { id: { in: ids } }, select: { id: true, ...NAME.select } });
      const byId = new Map(actors.map((it) => [it.id, it]));
      return { rows: rows.map((it) => toNotification(it, byId)), unread: unreadCount, seen: seen! };
    },
  };
}

/** The rows after a position. The condition in front of the OR lets PostgreSQL start in the index at the position. */
function beyond(direction: Window["direction"], after: Position | null) {
  if (after === null) return {};
  const [larger, least] = direction === "asc" ? (["gt", "gte"] as const) : (["lt", "lte"] as const);
  return { createdAt: { [least]: after.at }, OR: [{ createdAt: { [larger]: after.at } }, { id: { [larger]: after.id } }] };
}

const NAME = { select: { displayName: true, deletedAt: true } } as const;
type Named = { readonly displayName: string; readonly deletedAt: Date | null };
const summaryOf = (id: string, user: Named | null | undefined) => toUser(id, user?.deletedAt === null ? user.displayName : null);

const toPost = (row: PostRow & { readonly author: Named }): Post => ({
  id: row.id,
  author_id: row.authorId,
  title: row.title,
  body: row.body,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  author: summaryOf(row.authorId, row.author),
});

type MessageRow = {
  id: string;
  conversationId: string;
  senderId: string;
  sequence: number;
  body: string;
  createdAt: Date;
  sender: Named;
};

const toMessage = (row: MessageRow): Message => ({
  id: row.id,
  conversation_id: row.conversationId,
  sender_id: row.senderId,
  sequence: row.sequence,
  body: row.body,
  created_at: row.createdAt.toISOString(),
  sender: summaryOf(row.senderId, row.sender),
});

const toLastMessage = ({ body, ...row }: MessageRow): Conversation["last_message"] => ({
  sequence: row.sequence,
  sender: summaryOf(row.senderId, row.sender),
  created_at: row.createdAt.toISOString(),
  excerpt: body.slice(0, 140),
});

const toNotification = (row: NotificationRow, actors: ReadonlyMap<string, Named>): Notification => ({
  id: row.id,
  kind: row.kind,
  status: row.readAt === null ? "unread" : "read",
  title: row.title,
  body: row.body,
  resource: { type: row.resourceType, id: row.resourceId, href: row.resourceHref },
  event_count: row.eventCount,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
  read_at: iso(row.readAt),
  actor: row.actorId === null ? null : summaryOf(row.actorId, actors.get(row.actorId)),
  archived_at: iso(row.archivedAt),
});
