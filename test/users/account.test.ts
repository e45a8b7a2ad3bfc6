import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { scopes as everyScope } from "#generated/operations.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import { insertApiKey } from "../../src/auth/api-keys.ts";
import { displayNameOf } from "../../src/auth/users.ts";
import type { Answer, Body, Client } from "../support/client.ts";
import { declaredResponse, contract, operations } from "../support/contract.ts";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { startTestService } from "../support/service.ts";
import { usedBeforeExpiry } from "../support/eventually.ts";
import { sentence } from "../support/sentence.ts";

// Without a worker, nothing is removed after the deletion has begun.
const service = prepare(() => startTestService({ ROLE: "api", RATE_LIMITS: "default=100000/60,writes=100000/60" }));

/** Marks a user as deleted, and leaves the rest to a job that never runs. */
const markDeleted = ({ userId }: Client) => beginErasure(service.db, userId, async () => undefined);

/** What shows a user in a response. */
const SHOWING = ["UserSummary", "User", "Member", "Notification"];

/** The operations with a success that can have one of these schemas in it. */
function showing(): string[] {
  const schemas = contract.components["schemas"] as Readonly<Record<string, unknown>>;
  const named = (it: unknown) =>
    [...JSON.stringify(it ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
  const withUser = new Set(SHOWING);
  for (let size = 0; size < withUser.size;) {
    size = withUser.size;
    for (const [name, schema] of Object.entries(schemas)) if (named(schema).some((it) => withUser.has(it))) withUser.add(name);
  }
  return operations
    .filter((it) =>
      ["200", "201"].some((status) => named(declaredResponse(it, status)?.content).some((name) => withUser.has(name))),
    )
    .map(({ id }) => id);
}

/** Operations whose success shows only the user of the request. */
const SHOW_THE_CALLER = ["createPost", "updatePost", "createMessage"];
/** A new conversation has no message yet, and its creator is the user of the request. */
const SHOW_NO_USER = ["createConversation"];

/** What Ada wrote and did together with Yuki, and each request of Yuki that shows it. */
async function sharedLife() {
  /** In the name and in each message. A post has no such word, because a job removes it whole. */
  const word = `zebra${randomUUID().slice(0, 8)}`;
  const [name, text] = [`Ada ${word}`, `Slates, says ${word}`];
  const [ada, yuki, tom] = [await service.as({ name }), await service.as(), await service.as()];
  const { path: post } = await publish(ada);
  const roof = await openConversation(yuki, [ada, tom], "Roof");
  const floor = await openConversation(ada, [yuki], "Floor");
  const { body: message } = await send(ada, roof, text);
  await send(ada, floor, text);
  const notices = (await yuki("GET", "/notifications")).body.data as Body[];
  expect(notices.map((it) => it.title).sort()).toEqual([
    `${name} added you to Floor`,
    `${name} wrote in Floor`,
    `${name} wrote in Roof`,
  ]);
  const notice = (kind: string) => `/notifications/${notices.find((it) => it.kind === kind).id}`;
  const shown: Readonly<Record<string, () => Promise<Answer>>> = {
    listPosts: () => yuki("GET", `/posts?author=${ada.userId}`),
    getPost: () => yuki("GET", post),
    findUsers: () => yuki("GET", `/users?name=${name.replace(" ", "+")}`),
    getUser: () => yuki("GET", `/users/${ada.userId}`),
    listMembers: () => yuki("GET", roof.members),
    putMember: () => yuki("PUT", `${roof.members}/${tom.userId}`),
    updateMember: () => yuki("PATCH", `${roof.members}/${yuki.userId}`, { role: "owner" }),
    listMessages: () => yuki("GET", roof.messages),
    getMessage: () => yuki("GET", `${roof.messages}/${message.id}`),
    listConversations: () => yuki("GET", "/conversations?sort=-last_message_at"),
    getConversation: () => yuki("GET", floor.path),
    updateConversation: () => yuki("PATCH", roof.path, { title: "Gable" }),
    listNotifications: () => yuki("GET", "/notifications"),
    getNotification: () => yuki("GET", notice("message.created")),
    updateNotification: () => yuki("PATCH", notice("conversation.member_added"), { status: "read" }),
  };
  return { ada, yuki, tom, word, text, roof, notices, shown };
}

describe("from the moment that a user is deleted, before any job has run", () => {
  it("no operation shows the name or a word of the user, in any list, title, excerpt or text", async () => {
    const life = await sharedLife();
    const readAll = async () => {
      const answers = [];
      for (const [id, request] of Object.entries(life.shown)) answers.push({ id, answer: await request() });
      expect(answers.filter(({ answer }) => answer.status !== 200)).toEqual([]);
      return answers.filter(({ answer }) => answer.text.includes(life.word)).map(({ id }) => id);
    };
    // Each operation that shows a user is asked here.
    expect([...Object.keys(life.shown), ...SHOW_THE_CALLER, ...SHOW_NO_USER].toSorted()).toEqual(showing().toSorted());
    const before = await readAll();
    expect(before).toEqual(Object.keys(life.shown).filter((it) => !["putMember", "updateMember"].includes(it)));
    await markDeleted(life.ada);
    expect(await readAll()).toEqual([]);
  });

  it("they are a deleted user in lists of members and in notifications, which have new entity tags", async () => {
    const { ada, yuki, word, roof, notices, shown } = await sharedLife();
    const first = await shown["listNotifications"]!();
    await markDeleted(ada);
    const members = (await shown["listMembers"]!()).body.data as Body[];
    expect(members.map((it) => [it.user_id, it.display_name, it.deleted])).toContainEqual([ada.userId, "A deleted user", true]);
    expect(members.filter((it) => it.deleted)).toHaveLength(1);
    expect((await yuki("GET", roof.path)).body.member_count).toBe(members.length);
    const after = await yuki("GET", "/notifications", undefined, { headers: { "If-None-Match": first.headers.get("etag")! } });
    const body = "This message was deleted.";
    expect((after.body.data as Body[]).map((it) => [it.id, it.title, it.body, it.actor.deleted])).toEqual(
      notices.map((it) => [
        it.id,
        (it.title as string).replace(`Ada ${word}`, "A deleted user"),
        it.kind === "message.created" ? body : null,
        true,
      ]),
    );
    const [message] = (await shown["listMessages"]!()).body.data as Body[];
    expect(message).toMatchObject({ body, sender: { id: ada.userId, display_name: null, deleted: true } });
    expect((await shown["getConversation"]!()).body.last_message).toMatchObject({ excerpt: body, sender: { deleted: true } });
  });

  it("a conversation can't be handed over to them, and they can't be added, in any way", async () => {
    const { ada, yuki, tom, roof } = await sharedLife();
    await markDeleted(ada);
    const member = `${roof.members}/${ada.userId}`;
    expect(await yuki("PATCH", member, { role: "owner" })).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect(await yuki("PUT", member)).toMatchObject({ status: 422, body: { code: "unknown_user" } });
    const added = await yuki("POST", "/conversations", { member_ids: [ada.userId, tom.userId] }, withKey());
    expect(added).toMatchObject({ status: 422, body: { code: "unknown_user", errors: [{ pointer: "/member_ids/0" }] } });
    const owners = ((await tom("GET", roof.members)).body.data as Body[]).filter((it) => it.role === "owner");
    expect(owners.map((it) => it.user_id)).toEqual([yuki.userId]);
  });

  it("they don't become the owner when the owner leaves, although they joined first, and they can be removed", async () => {
    const { ada, yuki, tom, roof } = await sharedLife();
    const late = await service.as();
    await yuki("PUT", `${roof.members}/${late.userId}`);
    await markDeleted(ada);
    await markDeleted(tom);
    expect(await yuki("DELETE", `${roof.members}/${yuki.userId}`)).toMatchObject({ status: 204 });
    const owners = ((await late("GET", roof.members)).body.data as Body[]).filter((it) => it.role === "owner");
    expect(owners.map((it) => it.user_id)).toEqual([late.userId]);
    expect(await late("DELETE", `${roof.members}/${ada.userId}`)).toMatchObject({ status: 204 });
  });

  it("a request whose credential is still cached gets 401, without the state of a rate limit", async () => {
    const ada = await service.as();
    expect((await ada("GET", "/account")).headers.get("ratelimit")).toMatch(/^"default";r=/);
    await markDeleted(ada);
    const refused = await ada("GET", "/account");
    expect(refused).toMatchObject({ status: 401, body: { code: "invalid_token" } });
    expect(await ada("PATCH", "/account", { display_name: "Still here" })).toMatchObject({ status: 401 });
    expect(["ratelimit", "ratelimit-policy"].filter((it) => refused.headers.has(it))).toEqual([]);
  });

  it("what their running request still adds has no name and no text for others", async () => {
    const { ada, yuki, word, text, roof, shown } = await sharedLife();
    // Processes cache a credential for some seconds, so this one still works.
    await ada("GET", "/posts?limit=1");
    await markDeleted(ada);
    expect(await send(ada, roof, text)).toMatchObject({ status: 201, body: { sender: { display_name: null, deleted: true } } });
    const opened = await ada("POST", "/conversations", { title: "Shed", member_ids: [yuki.userId] }, withKey());
    expect(opened).toMatchObject({ status: 201 });
    for (const id of ["listMessages", "listConversations", "listNotifications"])
      expect((await shown[id]!()).text).not.toContain(word);
    const stored = await service.db.notification.findMany({
      where: { userId: yuki.userId },
      orderBy: { updatedAt: "desc" },
      take: 2,
    });
    expect(stored.map((it) => it.title)).toEqual(["A deleted user added you to Shed", "A deleted user wrote in Roof"]);
  });
});

describe("GET /account", () => {
  it(`${sentence("`GET /account` needs no scope and returns the scopes of your token.")} In alphabetical order`, async () => {
    expect((await (await service.as({ scopes: [] }))("GET", "/account")).body.scopes).toEqual([]);
    const ada = await service.as({ name: "Ada Marsh", scopes: ["urls:write", "posts:read", "conversations:read"] });
    expect(await ada("GET", "/account")).toMatchObject({
      status: 200,
      body: {
        user_id: ada.userId,
        display_name: "Ada Marsh",
        scopes: ["conversations:read", "posts:read", "urls:write"],
        credential: { kind: "api_key", expires_at: null },
      },
    });
    expect((await (await service.as())("GET", "/account")).body.scopes).toEqual([...everyScope].sort());
  });

  it.concurrent("returns the expiry of the credential, and 401 after that, even if the credential was used before", async () => {
    const { userId } = await service.as();
    const { caller, expiresAt, first } = await usedBeforeExpiry(async (expiresAt) => {
      const key = await insertApiKey(service.db, { userId, scopes: ["posts:read"], expiresAt });
      const caller = service.anonymous(`Bearer ${key}`);
      return { caller, expiresAt, first: await caller("GET", "/account") };
    });
    expect(first).toMatchObject({
      status: 200,
      body: { credential: { expires_at: expiresAt.toISOString() } },
    });
    for (let isOver = false; !isOver;) {
      const sentMs = Date.now();
      const answer = await caller("GET", "/account");
      isOver = answer.status === 401;
      if (isOver) expect(answer.body.code).toBe("invalid_token");
      // What was sent after the expiry is never accepted, however long it takes.
      else expect([answer.status, sentMs < expiresAt.getTime()]).toEqual([200, true]);
    }
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
  });

  it("returns the same for two keys of one user, except for their scopes", async () => {
    const ada = await service.as({ scopes: ["posts:read"] });
    const other = service.anonymous(`Bearer ${await insertApiKey(service.db, { userId: ada.userId, scopes: ["urls:read"] })}`);
    const [one, two] = [(await ada("GET", "/account")).body, (await other("GET", "/account")).body];
    expect({ ...two, scopes: one.scopes }).toEqual(one);
    expect([one.scopes, two.scopes]).toEqual([["posts:read"], ["urls:read"]]);
  });
});

describe("PATCH /account", () => {
  it("returns 200 with the new name, which GET /account then returns to every credential of the user", async () => {
    const ada = await service.as({ name: "Ada Marsh" });
    const key = await insertApiKey(service.db, { userId: ada.userId, scopes: everyScope });
    const other = service.anonymous(`Bearer ${key}`);
    // Both credentials are remembered with the old name.
    const before = [await ada("GET", "/account"), await other("GET", "/account")];
    const changed = await ada("PATCH", "/account", { display_name: "Ada Marsh-Okafor" });
    expect(changed).toMatchObject({ status: 200, body: { ...before[0]!.body, display_name: "Ada Marsh-Okafor" } });
    for (const it of [ada, other]) expect((await it("GET", "/account")).body.display_name).toBe("Ada Marsh-Okafor");
  });

  it.each([
    ["of 100 characters outside the BMP", "🪚".repeat(100)],
    ["with a joined emoji", "👩‍🔧 Ada"],
    ["in Arabic", "ليلى"],
  ])("accepts a name %s unchanged", async (_what, name) => {
    const ada = await service.as();
    expect(await ada("PATCH", "/account", { display_name: name })).toMatchObject({ status: 200, body: { display_name: name } });
  });

  it.each([
    ["a mark that reverses the direction", "\u202eadA"],
    ["an isolate", "Ada \u2067Marsh\u2069"],
    ["a control of C1", "Ada\u009b31m"],
    ["a line separator", "Ada\u2028Marsh"],
    ["nothing visible", "\u200b\u200d\u2060"],
    ["a space at the end", "Ada "],
    ["a space at the beginning", " Ada"],
  ])("refuses %s with 422 display_name_not_allowed, and changes nothing", async (_what, name) => {
    expect(displayNameOf(name)).not.toBe(name);
    const ada = await service.as({ name: "Ada Marsh" });
    expect(await ada("PATCH", "/account", { display_name: name })).toMatchObject(
      problem(422, "display_name_not_allowed", { errors: [{ in: "body", pointer: "/display_name" }] }),
    );
    expect((await ada("GET", "/account")).body.display_name).toBe("Ada Marsh");
  });
});

/** What Ada wrote and did, and where Yuki sees her name beside it. */
async function lifeOfAda() {
  const [ada, yuki] = [await service.as({ name: "Ada Marsh" }), await service.as()];
  const { path } = await publish(ada);
  const conversation = await openConversation(ada, [yuki], "Roof");
  const sent = await send(ada, conversation, "Hello");
  const [ofMessage, ofMember] = (await yuki("GET", "/notifications")).body.data as [Body, Body];
  const first = (list: Body): Body => list.data[0];
  const responses: readonly (readonly [path: string, name: "author" | "sender" | "actor", pick?: (body: Body) => Body])[] = [
    [path, "author"],
    [`/posts?author=${ada.userId}`, "author", first],
    [`/posts?offset=0&author=${ada.userId}`, "author", first],
    [sent.headers.get("location")!, "sender"],
    [conversation.messages, "sender", first],
    [`/notifications/${ofMessage.id}`, "actor"],
    [`/notifications/${ofMember.id}`, "actor"],
    ["/notifications", "actor", first],
    ["/notifications?kind=conversation.member_added", "actor", first],
  ];
  return { ada, yuki, responses, conversation, ofMessage };
}

type Life = Awaited<ReturnType<typeof lifeOfAda>>;
/** The user as shown in each response, with its tag. */
const readAll = (reader: Client, { responses }: Life) =>
  Promise.all(
    responses.map(async ([path, name, pick = (it: Body) => it]) => {
      const { body, headers } = await reader("GET", path);
      return { path, user: pick(body)[name], etag: headers.get("etag") };
    }),
  );

describe("the name beside what a user wrote or did", () => {
  const RENAME =
    "So a rename doesn't make your `If-Match` fail, and with `If-None-Match` you get 304 although a name in your copy is old.";
  const TITLE = sentence("A notification that was there before a rename keeps its title.");
  it(`is the new one everywhere as soon as PATCH /account has returned. ${sentence(RENAME)} ${TITLE}`, async () => {
    const life = await lifeOfAda();
    const { ada, yuki } = life;
    const before = await readAll(yuki, life);
    const titles = async () => (await yuki("GET", "/notifications")).body.data.map((it: Body) => it.title);
    const titlesBefore = await titles();
    const user = { id: ada.userId, display_name: "Ada Marsh", deleted: false };
    expect(before).toEqual(life.responses.map(([path], index) => ({ path, user, etag: before[index]!.etag })));
    await ada("PATCH", "/account", { display_name: "Ada Okafor" });
    const renamed = { ...user, display_name: "Ada Okafor" };
    expect(await readAll(yuki, life)).toEqual(before.map((it) => ({ ...it, user: renamed })));
    for (const { path, etag } of before.filter((it) => it.etag !== null))
      expect(await yuki("GET", path, undefined, { headers: { "If-None-Match": etag! } })).toMatchObject({ status: 304 });
    expect(await titles()).toEqual(titlesBefore);
    const [{ path, etag }] = before as [(typeof before)[number]];
    const changed = await ada("PATCH", path, { title: "Changed" }, { headers: { "If-Match": etag! } });
    expect(changed).toMatchObject({ status: 200, body: { author: { display_name: "Ada Okafor" } } });
  });

  const AT_THE_TIME = sentence("`title` has the name at the time of the event.");
  it(`is the new one in what the user does next, although the credential is cached with the old one. ${AT_THE_TIME}`, async () => {
    const life = await lifeOfAda();
    const { ada, yuki, conversation } = life;
    await ada("PATCH", "/account", { display_name: "Ada Okafor" });
    const post = { title: "How we re-hung the doors", body: "The left one had sagged." };
    for (const options of [undefined, withKey("key-of-names"), withKey("key-of-names")])
      expect((await ada("POST", "/posts", post, options)).body.author.display_name).toBe("Ada Okafor");
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await send(ada, conversation, "Again", "key-of-names")).body.sender.display_name).toBe("Ada Okafor");
    const { title } = (await yuki("GET", "/notifications?kind=message.created")).body.data[0];
    expect(title).toBe("Ada Okafor wrote in Roof");
    await openConversation(ada, [yuki], "Floor");
    expect((await yuki("GET", "/notifications?limit=1")).body.data[0].title).toBe("Ada Okafor added you to Floor");
  });

  it("is the current one in a replay", async () => {
    const life = await lifeOfAda();
    const post = { title: "Doors", body: "Sagged." };
    const key = withKey("key-before-a-rename");
    const first = await life.ada("POST", "/posts", post, key);
    await life.ada("PATCH", "/account", { display_name: "Ada Okafor" });
    const replayed = await life.ada("POST", "/posts", post, key);
    expect(replayed.headers.get("idempotency-replayed")).toBe("true");
    expect(replayed.body).toEqual({ ...first.body, author: { ...first.body.author, display_name: "Ada Okafor" } });
    expect(replayed.headers.get("etag")).toBe(first.headers.get("etag"));
  });
});
