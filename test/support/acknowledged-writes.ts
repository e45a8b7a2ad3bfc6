import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../src/database/client.ts";
import type { Client } from "./client.ts";
import { openConversation, type Conversation } from "./conversations.ts";
import { eventually } from "./eventually.ts";
import { keepConnection } from "./keep-alive.ts";

/** How long a client waits before it repeats a request that was not acknowledged. */
const RETRY_MS = 50;
/** How long a client repeats a request before it gives up. */
const PATIENCE_MS = 60_000;

type Kind = "post" | "message" | "url";
type Write = { readonly kind: Kind; readonly id: string };
/** `atMs` is when the client got the answer, as `performance.now()` counts. */
type Acknowledged = Write & { readonly userId: string; readonly atMs: number };

/** The writes that clients have sent: by their mark, which is in their content, the id of each acknowledged one. */
export type History = {
  readonly attempted: ReadonlySet<string>;
  readonly acknowledged: ReadonlyMap<string, Acknowledged>;
  readonly attempts: number;
  /** The longest time that a client waited for an answer, or for the end of its connection. */
  readonly longestAnswerMs: number;
  /** The longest time in which no write was acknowledged. */
  readonly longestGapMs: number;
};

const requestOf: Readonly<Record<Kind, (mark: string, conversation: Conversation) => readonly [line: string, body: object]>> = {
  post: (mark) => ["POST /posts", { title: mark, body: "Written during a fault." }],
  message: (mark, { messages }) => [`POST ${messages}`, { body: mark }],
  url: (mark) => ["POST /urls", { target_url: `https://www.example.com/${mark}` }],
};

/**
 * Users who write to the given processes, each in a conversation of its own, and repeat every request with its idempotency
 * key, at any of the processes, until it is acknowledged. `stop` lets them finish.
 */
export async function startWriting(urls: readonly string[], users: readonly Client[], random: (below: number) => number) {
  const attempted = new Set<string>();
  const acknowledged = new Map<string, Acknowledged>();
  const conversations = new Map<Client, Conversation>();
  for (const user of users) conversations.set(user, await openConversation(user, [user]));
  let [attempts, longestAnswerMs, longestGapMs, lastMs, isStopped] = [0, 0, 0, performance.now(), false];
  const kinds = Object.keys(requestOf) as Kind[];

  async function write(user: Client): Promise<void> {
    const conversation = conversations.get(user)!;
    const open = () => urls.map((url) => keepConnection(url, `Authorization: ${user.authorization}\r\n`));
    let connections = open();
    while (!isStopped) {
      const [kind, mark, key] = [kinds[random(kinds.length)]!, randomUUID(), randomUUID()];
      const [line, body] = requestOf[kind](mark, conversation);
      const sinceMs = performance.now();
      attempted.add(mark);
      for (;;) {
        attempts++;
        const headers = `Idempotency-Key: ${key}\r\n`;
        const askedMs = performance.now();
        const answer = await connections[random(urls.length)]!.ask(line, { headers, body: JSON.stringify(body) });
        const atMs = performance.now();
        longestAnswerMs = Math.max(longestAnswerMs, atMs - askedMs);
        if (answer?.status === 201) {
          const { id } = JSON.parse(answer.text) as { id: string };
          acknowledged.set(mark, { kind, id, userId: user.userId, atMs });
          longestGapMs = Math.max(longestGapMs, atMs - lastMs);
          lastMs = atMs;
          break;
        }
        if (answer !== null && ![409, 503].includes(answer.status)) throw new Error(`${line}: ${answer.status} ${answer.text}`);
        if (performance.now() - sinceMs > PATIENCE_MS) throw new Error(`${line} was not acknowledged in ${PATIENCE_MS} ms.`);
        if (answer === null) connections = open();
        await delay(RETRY_MS);
      }
    }
    for (const it of connections) it.socket.destroy();
  }

  const writing = Promise.all(users.map(write));
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
    /** The conversation of each user. */
    conversations: conversations as ReadonlyMap<Client, Conversation>,
    acknowledged: () => acknowledged.size,
    /** Waits until each user has had a write acknowledged after this call, or one has failed. */
    async everyUserWrites(timeoutMs: number): Promise<void> {
      const sinceMs = performance.now();
      const writers = () => new Set([...acknowledged.values()].filter((it) => it.atMs > sinceMs).map((it) => it.userId));
      await eventually("a write of every user", () => hasFailed || writers().size === users.length, timeoutMs, 100);
    },
    async stop(): Promise<History> {
      await end();
      return { attempted, acknowledged, attempts, longestAnswerMs, longestGapMs };
    },
    /** Without it, a test that fails would never end. */
    [Symbol.asyncDispose]: async () => void (await end().catch(() => undefined)),
  };
}

/** Compares what was acknowledged with what the database has. Every list is empty if nothing went wrong. */
export async function compare(db: Db, { attempted, acknowledged }: History) {
  const rows: (Write & { readonly mark: string })[] = [
    ...(await db.post.findMany()).map((it) => ({ kind: "post" as const, id: it.id, mark: it.title })),
    ...(await db.message.findMany()).map((it) => ({ kind: "message" as const, id: it.id, mark: it.body })),
    ...(await db.shortUrl.findMany()).map((it) => ({ kind: "url" as const, id: it.id, mark: it.targetUrl.split("/").at(-1)! })),
  ];
  const found = new Map(rows.map((it) => [it.mark, it]));
  const gaps = await db.$queryRaw`
    SELECT id FROM conversations c WHERE last_sequence <> (SELECT count(*) FROM messages WHERE conversation_id = c.id)`;
  return {
    lost: [...acknowledged].filter(([mark, it]) => found.get(mark)?.id !== it.id).map(([mark]) => mark),
    duplicate: rows.filter((it) => found.get(it.mark) !== it).map((it) => it.mark),
    phantom: rows.filter((it) => !attempted.has(it.mark)).map((it) => it.mark),
    conversationsWithGaps: gaps as readonly unknown[],
  };
}
