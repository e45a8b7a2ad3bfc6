import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../../src/database/client.ts";
import type { Client } from "../../support/client.ts";
import { openConversation, type Conversation } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { openPersistentConnection, type PlainAnswer } from "../../support/keep-alive.ts";
import { FILLED } from "./many-messages.ts";

/** How long an impatient client waits before it repeats a request that was not acknowledged. */
const RETRY_MS = 50;
/** How long a client repeats a request before it gives up. */
const PATIENCE_MS = 60_000;

type Kind = "post" | "message" | "url";
type Write = { readonly kind: Kind; readonly id: string };
/** `sinceMs` is when the client sent the first request, and `atMs` when it got the response, as `performance.now()` counts. */
export type Acknowledged = Write & { readonly userId: string; readonly sinceMs: number; readonly atMs: number };
/** The status is null if the connection ended without a response. */
type Answered = { readonly status: number | null; readonly askedMs: number; readonly tookMs: number };

/** The writes that clients have sent: by their mark, which is in their content, the id of each acknowledged one. */
export type Writes = { readonly attempted: ReadonlySet<string>; readonly acknowledged: ReadonlyMap<string, Acknowledged> };

export type History = Writes & {
  /** One for each attempt. */
  readonly answers: readonly Answered[];
};

/** A user with a conversation to write to, and what the user writes. */
export type Writer = { readonly user: Client; readonly conversation: Conversation; readonly kinds: readonly Kind[] };

/** Gives each user a conversation with the next one, who is notified of each message. */
export async function openWriters(users: readonly Client[]): Promise<Writer[]> {
  const writers: Writer[] = [];
  for (const [n, user] of users.entries()) {
    const conversation = await openConversation(user, [users[(n + 1) % users.length]!]);
    writers.push({ user, conversation, kinds: KINDS });
  }
  return writers;
}

const requestOf: Readonly<Record<Kind, (mark: string, conversation: Conversation) => readonly [line: string, body: object]>> = {
  post: (mark) => ["POST /posts", { title: mark, body: "Written during a fault." }],
  message: (mark, { messages }) => [`POST ${messages}`, { body: mark }],
  url: (mark) => ["POST /urls", { target_url: `https://www.example.com/${mark}` }],
};

export const KINDS = Object.keys(requestOf) as Kind[];

/**
 * Users who write to these processes. They repeat every request with its idempotency key, at any process, until it is
 * acknowledged, and pause before the next one. If a process ends a connection, they continue with the next one; `urls` can change at
 * any time. Patient ones wait as `Retry-After` says before they repeat it. `stop` lets them finish.
 */
export async function startWriting(
  urls: readonly string[],
  writers: readonly Writer[],
  random: (below: number) => number,
  { isPatient = false, pauseMs = 0 } = {},
) {
  const attempted = new Set<string>();
  const acknowledged = new Map<string, Acknowledged>();
  const answers: Answered[] = [];
  let isStopped = false;

  async function write({ user, conversation, kinds }: Writer): Promise<void> {
    const open = (url: string) => openPersistentConnection(url, `Authorization: ${user.authorization}\r\n`);
    const connections = urls.map(open);
    for (; !isStopped; await delay(pauseMs)) {
      const [kind, mark, key] = [kinds[random(kinds.length)]!, randomUUID(), randomUUID()];
      const [line, body] = requestOf[kind](mark, conversation);
      const sinceMs = performance.now();
      attempted.add(mark);
      for (let n = random(urls.length); ; n = random(urls.length)) {
        const headers = `Idempotency-Key: ${key}\r\n`;
        let answer: PlainAnswer | null = null;
        for (let tried = 0; tried < urls.length && answer === null; tried++, n = (n + 1) % urls.length) {
          const askedMs = performance.now();
          answer = await connections[n]!.ask(line, { headers, body: JSON.stringify(body) });
          answers.push({ status: answer?.status ?? null, askedMs, tookMs: performance.now() - askedMs });
          if (answer === null || answer.connection === "close") connections[n] = open(urls[n]!);
        }
        const atMs = performance.now();
        if (answer?.status === 201) {
          const { id } = JSON.parse(answer.text) as { id: string };
          acknowledged.set(mark, { kind, id, userId: user.userId, sinceMs, atMs });
          break;
        }
        if (answer !== null && ![409, 503].includes(answer.status)) throw new Error(`${line}: ${answer.status} ${answer.text}`);
        if (atMs - sinceMs > PATIENCE_MS) throw new Error(`${line} was not acknowledged in ${PATIENCE_MS} ms.`);
        const retryAfterSeconds = isPatient ? answer?.retryAfterSeconds : null;
        await delay(typeof retryAfterSeconds === "number" ? retryAfterSeconds * 1_000 : RETRY_MS);
      }
    }
    for (const it of connections) it.socket.destroy();
  }

  const writing = Promise.all(writers.map(write));
  // The test sees a failure when it stops the users.
  let hasFailed = false;
  writing.catch(() => {
    hasFailed = true;
  });
  const end = () => {
    isStopped = true;
    return writing;
  };
  return {
    acknowledged: () => acknowledged.size,
    /** Waits until each user has had a write acknowledged after this call, or one has failed. */
    async everyUserWrites(timeoutMs: number): Promise<void> {
      const sinceMs = performance.now();
      const since = () => new Set([...acknowledged.values()].filter((it) => it.atMs > sinceMs).map((it) => it.userId));
      await eventually("a write of every user", () => hasFailed || since().size === writers.length, timeoutMs, 100);
    },
    async stop(): Promise<History> {
      await end();
      return { attempted, acknowledged, answers };
    },
    /** Without it, a test that fails would never end. */
    [Symbol.asyncDispose]: async () => void (await end().catch(() => undefined)),
  };
}

/** The statuses of the responses (null for a connection that ended without one), and the longest times of a response and without a write. */
export function summaryOf({ answers, acknowledged }: History) {
  const times = [...acknowledged.values()].map((it) => it.atMs).toSorted((a, b) => a - b);
  return {
    statuses: [...new Set(answers.map((it) => it.status))],
    slowestMs: Math.max(...answers.map((it) => it.tookMs)),
    longestGapMs: Math.max(0, ...times.slice(1).map((atMs, index) => atMs - times[index]!)),
  };
}

/** What `compare` returns then. */
export const NOTHING_WRONG = {
  ...{ lost: [], duplicate: [], phantom: [] },
  ...{ conversationsWithGaps: [], conversationsWithOtherNotifications: [] },
};

/** Compares what was acknowledged with what the database has beside filled rows. The result is `NOTHING_WRONG` if nothing went wrong. */
export async function compare(db: Db, { attempted, acknowledged }: Writes) {
  const [posts, messages, urls] = [
    await db.post.findMany({ where: { title: { not: FILLED } } }),
    await db.message.findMany({ where: { body: { not: FILLED } } }),
    await db.shortUrl.findMany({ where: { targetUrl: { not: FILLED } } }),
  ];
  const rows: (Write & { readonly mark: string })[] = [
    ...posts.map((it) => ({ kind: "post" as const, id: it.id, mark: it.title })),
    ...messages.map((it) => ({ kind: "message" as const, id: it.id, mark: it.body })),
    ...urls.map((it) => ({ kind: "url" as const, id: it.id, mark: it.targetUrl.split("/").at(-1)! })),
  ];
  const found = new Map(rows.map((it) => [it.mark, it]));
  const gaps = await db.$queryRaw`
    SELECT id FROM conversations c WHERE (last_sequence, last_sequence) <>
      (SELECT count(*), coalesce(max(sequence), 0) FROM messages WHERE conversation_id = c.id)`;
  // Of conversations in which one member writes, and the other one reads nothing.
  const notified = await db.$queryRaw<{ id: string; events: number }[]>`
    SELECT subject_id AS id, sum(event_count)::int AS events FROM notifications WHERE kind = 'message.created' GROUP BY subject_id`;
  const eventsOf = new Map(notified.map((it) => [it.id, it.events]));
  const pairs = await db.conversation.findMany({ where: { memberCount: 2 } });
  const wrong = pairs.filter((it) => (eventsOf.get(it.id) ?? 0) !== it.lastSequence);
  return {
    lost: [...acknowledged].filter(([mark, it]) => found.get(mark)?.id !== it.id).map(([mark]) => mark),
    duplicate: rows.filter((it) => found.get(it.mark) !== it).map((it) => it.mark),
    phantom: rows.filter((it) => !attempted.has(it.mark)).map((it) => it.mark),
    conversationsWithGaps: gaps as readonly unknown[],
    conversationsWithOtherNotifications: wrong.map((it) => it.id),
  };
}
