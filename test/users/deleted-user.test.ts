import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Answer, Body, Client } from "../support/client.ts";
import { declaredResponse, contract, operations } from "../support/contract.ts";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

// Without a worker, nothing is removed after the deletion has begun.
const service = prepare(() => startTestService({ ROLE: "api" }));

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
async function lifeOfAda() {
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
  it("each operation that shows a user is asked for it here", async () => {
    const { shown } = await lifeOfAda();
    expect([...Object.keys(shown), ...SHOW_THE_CALLER, ...SHOW_NO_USER].toSorted()).toEqual(showing().toSorted());
  });

  it("no operation shows the name or a word of the user, in any list, title, excerpt or text", async () => {
    const life = await lifeOfAda();
    const readAll = async () => {
      const answers = [];
      for (const [id, request] of Object.entries(life.shown)) answers.push({ id, answer: await request() });
      expect(answers.filter(({ answer }) => answer.status !== 200)).toEqual([]);
      return answers.filter(({ answer }) => answer.text.includes(life.word)).map(({ id }) => id);
    };
    const before = await readAll();
    expect(before).toEqual(Object.keys(life.shown).filter((it) => !["putMember", "updateMember"].includes(it)));
    await markDeleted(life.ada);
    expect(await readAll()).toEqual([]);
  });

  it("they are a deleted user in lists of members and in notifications, which have new entity tags", async () => {
    const { ada, yuki, word, roof, notices, shown } = await lifeOfAda();
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
    const { ada, yuki, tom, roof } = await lifeOfAda();
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
    const { ada, yuki, tom, roof } = await lifeOfAda();
    const late = await service.as();
    await yuki("PUT", `${roof.members}/${late.userId}`);
    await markDeleted(ada);
    await markDeleted(tom);
    expect(await yuki("DELETE", `${roof.members}/${yuki.userId}`)).toMatchObject({ status: 204 });
    const owners = ((await late("GET", roof.members)).body.data as Body[]).filter((it) => it.role === "owner");
    expect(owners.map((it) => it.user_id)).toEqual([late.userId]);
    expect(await late("DELETE", `${roof.members}/${ada.userId}`)).toMatchObject({ status: 204 });
  });

  it("what their running request still adds has no name and no text for others", async () => {
    const { ada, yuki, word, text, roof, shown } = await lifeOfAda();
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
