import { randomUUID } from "node:crypto";
import type { Operation } from "../../src/contract/operations.ts";
import type { Db } from "../../src/database/client.ts";
import type { Body, Client } from "../support/client.ts";
import { operations, rawOperation } from "../support/contract.ts";
import { openConversation, send, type Conversation, withKey } from "../support/conversations.ts";
import type { Deployment } from "../support/deployment.ts";
import { publish } from "../support/posts.ts";
import { ask, exampleRequest } from "../support/example-requests.ts";
import { atService, createResources } from "../support/resources.ts";
import { finished, smallClip, upload, uploadPath } from "../support/videos.ts";

/** What `liveFully` creates by requests of its own. */
const LIVED: readonly string[] = ["/posts", "/urls", "/conversations", "/video-uploads", "/webhook-endpoints"];

/** Whether the example of an operation creates something else: by POST, or by PUT about a resource of others, such as a bookmark. */
const createsMore = (it: Operation) =>
  (it.method === "post" && !it.path.includes("{") && !LIVED.includes(it.path)) ||
  (it.method === "put" && rawOperation(it)["x-access"]["stranger"] === "allowed");

/** What a user with something in every table has, for a test that searches for it later. */
export type Traces = {
  /** A word in everything that the user has written, which no other user writes. */
  readonly word: string;
  readonly video: Body;
  readonly shared: Conversation;
  readonly left: Conversation;
  readonly owned: Conversation;
  readonly shortCode: string;
};

/** Lets a user do everything that leaves a row, an object or a notification behind, together with another user. */
export async function liveFully(deployment: Pick<Deployment, "db" | "dataDir">, user: Client, other: Client): Promise<Traces> {
  const word = `zebra${randomUUID().replaceAll("-", "")}`;
  await deployment.db.user.update({
    where: { id: user.userId },
    data: { displayName: `Ada ${word}`, issuer: "https://id.example", subject: word },
  });
  const expect201 = (it: { status: number; text: string }) => {
    if (it.status !== 201) throw new Error(it.text);
  };
  await publish(user, { title: word, body: word });
  const shortCode = `code-${word.slice(0, 20)}`;
  const address = `https://example.com/${word}`;
  const url = (id: string) => user("POST", "/urls", { target_url: address, expired_url: address, id }, withKey());
  expect201(await url(shortCode));
  await other("GET", `/u/${shortCode}`);
  expect201(await url(`${shortCode}-gone`));
  await user("DELETE", `/urls/${shortCode}-gone`);
  const owned = await openConversation(user, [other], "Roof");
  const shared = await openConversation(other, [user]);
  const left = await openConversation(other, [user]);
  await openConversation(user, [user]);
  for (const conversation of [owned, shared, left]) {
    for (const text of [1, 2]) expect201(await send(user, conversation, `${word} ${text}`));
    expect201(await send(other, conversation, "An answer"));
    expect201(await send(user, conversation, word));
  }
  await user("DELETE", `${left.members}/${user.userId}`);
  for (const operation of operations.filter(createsMore)) {
    const owner = operation.method === "post" ? user : other;
    const people = atService(deployment, { owner, member: other, guest: user, stranger: other });
    expect201(await ask(user, exampleRequest(operation, await createResources(operation, people))));
  }
  const video = await finished(user, await upload(user, await smallClip(), `?name=${word}.mp4`));
  // With KEEP_DELETED_HOURS, its file stays for a while.
  await user("DELETE", uploadPath(await upload(user, Buffer.from(word))));
  const begun = await user("POST", `/video-uploads?name=${word}.mp4`, Buffer.alloc(300_000), {
    headers: { "Upload-Complete": "?0", "Upload-Length": "700000" },
  });
  if (begun.status !== 204) throw new Error(begun.text);
  // No server listens there, so its events wait.
  const listens = {
    url: `http://127.0.0.1:1024/${word}`,
    description: word,
    events: ["message.created", "notification.created"],
  };
  const endpoint = await user("POST", "/webhook-endpoints", listens, withKey());
  expect201(endpoint);
  expect201(await user("POST", `${endpoint.headers.get("location")!}/secrets`, {}, withKey()));
  const tested = await user("POST", `${endpoint.headers.get("location")!}/deliveries`, {});
  if (tested.status !== 202) throw new Error(tested.text);
  expect201(await send(other, shared, "An event for an endpoint"));
  return { word, video, shared, left, owned, shortCode };
}

/** The rows of all tables of all schemas that contain a text, as the database shows them. */
export async function rowsWith(db: Db, text: string): Promise<string[]> {
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT format('%I.%I', nspname, relname) AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
    WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema') AND nspname NOT LIKE 'pg\\_t%'`;
  const found = [];
  for (const { name } of tables)
    for (const { row } of await db.$queryRawUnsafe<{ row: string }[]>(
      `SELECT t::text AS row FROM ${name} t WHERE strpos(t::text, $1) > 0`,
      text,
    ))
      found.push(`${name} ${row}`);
  return found;
}
