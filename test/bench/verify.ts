import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { StartupError } from "../../src/util/startup-error.ts";
import { connect, FIXTURE_ID, idOf, type World } from "./fixture.ts";
import type { Running } from "./subjects.ts";

/** Compares the responses of each subject, and the rows that it leaves, with those of the service. */

type Sent = {
  readonly path: string;
  readonly key?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** A fault in the request: each framework has a status of its own for it. */
  readonly isInvalid?: true;
};
type Body = { readonly id: string; readonly page: Readonly<Record<string, string>> };
type Entry = { readonly name: string; readonly seen: unknown };

const CONCURRENT = 40;
const CLICKS_WRITTEN_MS = 2_500;

/** Throws if a subject differs from the service, with the first differences of each. */
export async function verifySubjects(ours: Running, others: readonly Running[], world: World): Promise<void> {
  const expected = await transcriptOf(ours, world);
  const faults: string[] = [];
  for (const other of others) {
    const found = await transcriptOf(other, world);
    const different = expected.filter(({ seen }, index) => !isDeepStrictEqual(seen, found[index]?.seen));
    for (const { name, seen } of different.slice(0, 5)) {
      const theirs = found.find((it) => it.name === name)?.seen;
      faults.push(`${other.subject.name}, ${name}:\n  ours:   ${shown(seen)}\n  theirs: ${shown(theirs)}`);
    }
  }
  if (faults.length > 0) throw new StartupError(`Not every peer does the same work as the service.\n${faults.join("\n")}`);
}

const shown = (it: unknown) => (JSON.stringify(it) ?? "nothing").slice(0, 1_500);

async function transcriptOf({ origin, databaseUrl }: Running, world: World): Promise<Entry[]> {
  const startedAt = new Date().toISOString();
  const entries: Entry[] = [];

  async function call(name: string, { path, key, body, idempotencyKey, isInvalid }: Sent): Promise<Body> {
    const headers: Record<string, string> = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    };
    const response = await fetch(origin + path, {
      redirect: "manual",
      headers,
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isSuccess = response.ok || response.status === 302;
    const seen = {
      status: isInvalid && response.status >= 400 && response.status < 500 ? "refused" : response.status,
      ...(isSuccess
        ? {
            location: neutral(response.headers.get("location"), startedAt),
            replayed: response.headers.get("idempotency-replayed"),
            // The text of a redirect is the framework's own.
            body: response.status === 302 ? null : neutral(JSON.parse(text), startedAt),
          }
        : {}),
    };
    entries.push({ name, seen });
    return isSuccess && response.status !== 302 ? (JSON.parse(text) as Body) : { id: "", page: {} };
  }

  await readings(world, call);
  await writings(world, call);
  await refusals(world, call);
  const sendOneOfMany = async (n: number) => {
    const { key } = world.callers[n % 2]!;
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `verify-many-${n}`,
    };
    const body = JSON.stringify({ body: `One of many ${n}` });
    await (await fetch(`${origin}/conversations/${world.pair}/messages`, { method: "POST", headers, body })).text();
  };
  await Promise.all(Array.from({ length: CONCURRENT }, (_, n) => sendOneOfMany(n)));
  // A sender has read what is before, so the order decides what is unread: each sends one more, the second one last.
  await sendOneOfMany(CONCURRENT);
  await sendOneOfMany(CONCURRENT + 1);
  await delay(CLICKS_WRITTEN_MS);
  await using client = await connect(databaseUrl);
  for (const [name, sql] of Object.entries(ROWS)) entries.push({ name, seen: neutral(await client.run(sql), startedAt) });
  return entries;
}

type Call = (name: string, sent: Sent) => Promise<Body>;

async function readings({ callers, urls, others }: World, call: Call): Promise<void> {
  const { key } = callers[0]!;
  const url = urls[3]!;
  const conversation = others[0]!;
  await call("health", { path: "/health" });
  await call("a short URL", { path: `/urls/${url.id}`, key: url.owner.key });
  await call("a short URL of another user", { path: `/urls/${url.id}`, key: callers.find((it) => it !== url.owner)!.key });
  await call("following a short URL", { path: `/u/${url.id}` });
  await call("following no short URL", { path: "/u/no-such-url" });
  const first = await call("the newest posts", { path: "/posts", key });
  const second = await call("the next posts", { path: `/posts?after=${first.page["next_cursor"]}&limit=5`, key });
  await call("the posts after them", { path: `/posts?after=${second.page["next_cursor"]}&limit=5`, key });
  await call("posts by offset", { path: "/posts?limit=20&offset=40", key });
  await call("the oldest posts of an author", { path: `/posts?sort=created_at&limit=3&author=${idOf(7)}`, key });
  const history = `/conversations/${conversation.id}/messages`;
  const newest = await call("the newest messages", { path: history, key: conversation.owner.key });
  await call("the messages before", { path: `${history}?before=${newest.page["next_cursor"]}`, key: conversation.owner.key });
  await call("no newer messages", { path: `${history}?after=${newest.page["prev_cursor"]}`, key: conversation.owner.key });
  const listed = await call("conversations", { path: "/conversations", key });
  await call("the next conversations", { path: `/conversations?after=${listed.page["next_cursor"]}`, key });
  await call("the oldest conversations", { path: "/conversations?sort=created_at&limit=3", key });
}

async function writings({ callers, pair, large, others }: World, call: Call): Promise<void> {
  const { key } = callers[0]!;
  const second = callers[1]!.key;
  const post = { title: "A plumb line", body: 'Everything else\ncan be "measured" – afterwards.' };
  await call("a post", { path: "/posts", key, body: post, idempotencyKey: "verify-post" });
  await call("the same post again", { path: "/posts", key, body: post, idempotencyKey: "verify-post" });
  await call("another post under its key", { path: "/posts", key, body: { ...post, body: "x" }, idempotencyKey: "verify-post" });
  await call("a post without a key", { path: "/posts", key, body: post });
  for (const [name, conversation] of [
    ["two", pair],
    ["fifty", large],
  ] as const) {
    const message = { path: `/conversations/${conversation}/messages`, key, idempotencyKey: "verify-message" };
    await call(`a message to ${name}`, { ...message, body: { body: "First" } });
    await call(`the same message to ${name} again`, { ...message, body: { body: "First" } });
    await call(`another message to ${name} under its key`, { ...message, body: { body: "Other" } });
    await call(`a second message to ${name}`, { ...message, idempotencyKey: "verify-second", body: { body: "Second" } });
  }
  await call("a message to others", {
    path: `/conversations/${others[0]!.id}/messages`,
    key,
    body: { body: "x" },
    idempotencyKey: "verify-other",
  });
  await call("the messages of two", { path: `/conversations/${pair}/messages?limit=3`, key });
  const unread = await call("unread notifications", { path: "/notifications?status=unread&limit=5", key: second });
  await call("the next ones", { path: `/notifications?status=unread&limit=5&after=${unread.page["next_cursor"]}`, key: second });
  await call("all notifications", { path: "/notifications", key: second });
}

async function refusals({ callers, pair, others }: World, call: Call): Promise<void> {
  const { key } = callers[0]!;
  const messages = `/conversations/${pair}/messages`;
  await call("no key", { path: "/posts" });
  await call("an unknown key", { path: "/posts", key: `plumb_${"a".repeat(12)}_${"A".repeat(43)}` });
  await call("no conversation", { path: `/conversations/${idOf(999_999)}/messages`, key });
  await call("no conversation to write to", {
    path: `/conversations/${idOf(999_999)}/messages`,
    key,
    body: { body: "x" },
    idempotencyKey: "verify-none",
  });
  const stranger = callers.find((it) => it !== others[1]!.owner)!;
  await call("the messages of others", { path: `/conversations/${others[1]!.id}/messages`, key: stranger.key });
  const invalid: readonly [string, Omit<Sent, "isInvalid">][] = [
    ["a page of 0", { path: "/posts?limit=0", key }],
    ["an unknown parameter", { path: "/posts?colour=red", key }],
    ["a wrong order", { path: "/conversations?sort=title", key }],
    ["a wrong status", { path: "/notifications?status=gone", key }],
    ["no title", { path: "/posts", key, body: { body: "x" } }],
    ["an unknown field", { path: "/posts", key, body: { title: "x", body: "x", colour: "red" } }],
    ["a title of two lines", { path: "/posts", key, body: { title: "x\ny", body: "x" } }],
    ["a message without a key", { path: messages, key, body: { body: "x" } }],
    ["a short key", { path: messages, key, body: { body: "x" }, idempotencyKey: "short" }],
    ["a blank message", { path: messages, key, body: { body: "  " }, idempotencyKey: "verify-blank" }],
    ["no UUID", { path: "/conversations/1/messages", key }],
  ];
  for (const [name, sent] of invalid) await call(name, { ...sent, isInvalid: true });
}

const ROWS: Readonly<Record<string, string>> = {
  "rows of posts":
    "SELECT title, body, author_id, count(*)::int FROM posts WHERE created_at > now() - interval '1 hour' GROUP BY 1, 2, 3",
  "rows of keys": "SELECT user_id, operation_id, key, status FROM idempotency_keys ORDER BY key",
  "rows of messages": `SELECT c.id, c.last_sequence, count(*)::int AS count, max(m.sequence) AS newest,
    count(DISTINCT m.body)::int AS texts, abs(extract(epoch FROM c.last_message_at - max(m.created_at))) < 1 AS is_dated
    FROM conversations c JOIN messages m ON m.conversation_id = c.id WHERE c.id IN ('${idOf(1)}', '${idOf(2)}') GROUP BY c.id ORDER BY c.id`,
  "rows of notifications": `SELECT user_id, kind, title, CASE WHEN read_at IS NULL THEN event_count END AS unread, resource_type, subject_id, read_at,
    CASE WHEN event_count = 2 AND read_at IS NULL THEN body END AS body, resource_href LIKE '/conversations/' || subject_id || '/messages/' || resource_id AS is_linked
    FROM notifications WHERE kind = 'message.created' ORDER BY user_id, subject_id`,
  "rows of clicks": "SELECT id, click_count::int FROM short_urls WHERE click_count > 0 OR last_clicked_at IS NOT NULL",
};

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const OPAQUE = ["next_cursor", "prev_cursor", "seen"];

/** The value without what may differ: new ids, instants of now, and the content of cursors. */
function neutral(value: unknown, startedAt: string): unknown {
  if (value instanceof Date) return neutral(value.toISOString(), startedAt);
  if (typeof value === "string") {
    const isNow = /^\d{4}-\d\d-\d\dT.*Z$/.test(value) && value >= startedAt;
    return isNow ? "<now>" : value.replaceAll(UUID, (id) => (FIXTURE_ID.test(id) ? id : "<id>"));
  }
  if (Array.isArray(value)) return value.map((it) => neutral(it, startedAt));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, it]) => [
    name,
    OPAQUE.includes(name) && typeof it === "string" ? "<opaque>" : neutral(it, startedAt),
  ]);
  return Object.fromEntries(entries);
}
