import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Answer, Body, Client } from "./client.ts";

/** A conversation with its own path and the paths of its messages and members. */
export type Conversation = { readonly id: string; readonly path: string; readonly messages: string; readonly members: string };

/** Creates a conversation of an owner with others. */
export async function openConversation(owner: Client, others: readonly Client[], title?: string): Promise<Conversation> {
  const answer = await owner(
    "POST",
    "/conversations",
    { ...(title === undefined ? {} : { title }), member_ids: others.map((it) => it.userId) },
    withKey(),
  );
  if (answer.status !== 201) throw new Error(`The conversation was not created: ${answer.text}`);
  const path = answer.headers.get("location")!;
  return { id: (answer.body as { id: string }).id, path, messages: `${path}/messages`, members: `${path}/members` };
}

type Users = { as(): Promise<Client> };

/** Two users, and a conversation that the first one owns. */
export async function pair(service: Users, title?: string) {
  const [ada, yuki] = [await service.as(), await service.as()];
  return { ada, yuki, conversation: await openConversation(ada, [yuki], title) };
}

/** Three users, and a conversation that the first one owns. */
export async function trio(service: Users, title?: string) {
  const [ada, yuki, tom] = [await service.as(), await service.as(), await service.as()];
  return { ada, yuki, tom, conversation: await openConversation(ada, [yuki, tom], title) };
}

/** An idempotency key for one request. By default, it is new. */
export const withKey = (key: string = randomUUID()) => ({ headers: { "Idempotency-Key": key } });

/** Sends a message, by default with a new key. Doesn't check the response. */
export function send(sender: Client, conversation: Conversation, body: unknown, key?: string): Promise<Answer> {
  return sender("POST", conversation.messages, { body }, withKey(key));
}

/** The shortest time that the service waits for something busy, a connection or a first attempt, before it refuses a message. */
const SERVICE_WAITS_MS = 3_000;

/**
 * Sends a message as a real client does: repeats it after `Retry-After`, with the same key, when the service has waited in vain.
 * A service that refuses sooner has no such reason, and its refusal is returned.
 */
export async function sendPersistently(
  sender: Client,
  conversation: Conversation,
  body: unknown,
  key: string = randomUUID(),
): Promise<Answer> {
  for (;;) {
    const startedMs = performance.now();
    const answer = await send(sender, conversation, body, key);
    const isBusy = answer.status === 503 || (answer.status === 409 && answer.body.code === "idempotency_in_progress");
    if (!isBusy || performance.now() - startedMs < SERVICE_WAITS_MS) return answer;
    await delay(Number(answer.headers.get("retry-after")) * 1_000);
  }
}

/** Sends `count` messages in sequence, and returns them as in the responses. */
export async function sendMany(sender: Client, conversation: Conversation, count: number): Promise<Body[]> {
  const sent: Body[] = [];
  for (let index = 1; index <= count; index++) sent.push((await send(sender, conversation, `Message ${index}`)).body);
  return sent;
}

/** All pages of a list in order. `cursorName` is the query parameter for the cursor of the next page. */
export async function walk(
  reader: Client,
  path: string,
  cursorName: "after" | "before" = "after",
  onPage: () => Promise<void> = async () => undefined,
): Promise<Body[]> {
  const items: Body[] = [];
  const url = new URL(path, "http://localhost");
  for (let cursor: string | null = ""; cursor !== null;) {
    if (cursor !== "") url.searchParams.set(cursorName, cursor);
    const page: Answer = await reader("GET", `${url.pathname}${url.search}`);
    if (page.status !== 200) throw new Error(`The list could not be read: ${page.text}`);
    items.push(...page.body.data);
    cursor = page.body.page.next_cursor;
    await onPage();
  }
  return items;
}

/** A cursor with one character changed, which a client must never do. */
export const tampered = (cursor: string) => `${cursor.slice(0, 20)}${cursor[20] === "A" ? "B" : "A"}${cursor.slice(21)}`;
