import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import type { Body, Client } from "../../support/client.ts";
import { openConversation, send, sendMany, walk, withKey } from "../../support/conversations.ts";
import { outcome, UNKNOWN, type Claims, type Fixture } from "./claim.ts";

async function group({ as }: Fixture) {
  const [owner, member, stranger] = [await as(), await as(), await as()];
  const conversation = await openConversation(owner, [member], "Roof");
  return { owner, member, stranger, conversation, memberAt: (it: Client) => `${conversation.members}/${it.userId}` };
}

const unread = async (client: Client): Promise<Body[]> => (await client("GET", "/notifications?status=unread")).body.data;

export const conversations: Claims = {
  "Each of the other members gets a notification.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    expect((await unread(member))[0]).toMatchObject({ kind: "conversation.member_added", resource: { id: conversation.id } });
    expect(await unread(owner)).toEqual([]);
  },
  "If one of the users doesn't exist, you get 422 `unknown_user`, and nothing is created.": async ({ as }) => {
    const [owner, member] = [await as(), await as()];
    const refused = await owner("POST", "/conversations", { member_ids: [member.userId, UNKNOWN] }, withKey());
    expect([outcome(refused), refused.body.errors[0].pointer]).toEqual(["422 unknown_user", "/member_ids/1"]);
    for (const it of [owner, member]) expect((await it("GET", "/conversations")).body.data).toEqual([]);
  },
  "The same users can have any number of conversations.": async ({ as }) => {
    const [owner, member] = [await as(), await as()];
    const [one, two] = [await openConversation(owner, [member]), await openConversation(owner, [member])];
    expect(one.id).not.toBe(two.id);
  },
  "If no conversation has this id, you get 404.": async ({ as }) => {
    expect(outcome(await (await as())("GET", `/conversations/${UNKNOWN}`))).toBe("404 not_found");
  },
  "You become a member in any case; including your own id changes nothing.": async ({ as }) => {
    const [owner, member] = [await as(), await as()];
    const { body } = await owner("POST", "/conversations", { member_ids: [owner.userId, member.userId] }, withKey());
    expect(body).toMatchObject({ created_by: owner.userId, member_count: 2 });
  },
  "Adds a user to the conversation. Only the owner can add members.": async (fixture) => {
    const { owner, member, stranger, memberAt } = await group(fixture);
    expect(outcome(await member("PUT", memberAt(stranger)))).toBe("403 not_the_owner");
    expect(outcome(await owner("PUT", memberAt(stranger)))).toBe("201");
  },
  "The new member can read all earlier messages and gets a notification.": async (fixture) => {
    const { owner, stranger, conversation, memberAt } = await group(fixture);
    await sendMany(owner, conversation, 3);
    await owner("PUT", memberAt(stranger));
    expect(await walk(stranger, `${conversation.messages}?limit=2`, "before")).toHaveLength(3);
    expect((await unread(stranger)).map((it) => it.kind)).toEqual(["conversation.member_added"]);
  },
  "You get 201 if this request added the user, and 200 if the user was already a member; then the role and `joined_at` don't change.":
    async (fixture) => {
      const { owner, stranger, memberAt } = await group(fixture);
      const [added, again] = [await owner("PUT", memberAt(stranger)), await owner("PUT", memberAt(stranger))];
      expect([added.status, again.status, again.body]).toEqual([201, 200, added.body]);
      expect((await owner("PUT", memberAt(owner))).body.role).toBe("owner");
    },
  "If the user doesn't exist, you get 422 `unknown_user`.": async (fixture) => {
    const { owner, conversation } = await group(fixture);
    expect(outcome(await owner("PUT", `${conversation.members}/${UNKNOWN}`))).toBe("422 unknown_user");
  },
  "If the conversation already has 100 members, you get 409 `conversation_full`.": async ({ as }) => {
    const [owner, late] = [await as(), await as()];
    const others: Client[] = [];
    for (let n = 0; n < 99; n++) others.push(await as());
    const { members } = await openConversation(owner, others);
    expect(outcome(await owner("PUT", `${members}/${late.userId}`))).toBe("409 conversation_full");
  },
  "The messages of the user stay in the conversation.": async (fixture) => {
    const { owner, member, conversation, memberAt } = await group(fixture);
    await send(member, conversation, "I was here");
    await owner("DELETE", memberAt(member));
    expect((await owner("GET", conversation.messages)).body.data).toMatchObject([
      { body: "I was here", sender_id: member.userId },
    ]);
  },
  "When a membership ends, the notifications of that user about the conversation are marked as read.": async (fixture) => {
    const { owner, member, conversation, memberAt } = await group(fixture);
    await send(owner, conversation, "Hello");
    expect(await unread(member)).toHaveLength(2);
    await owner("DELETE", memberAt(member));
    expect(await unread(member)).toEqual([]);
  },
  "When the owner leaves, the member who joined first becomes the owner.": async (fixture) => {
    const { owner, member, stranger, conversation, memberAt } = await group(fixture);
    await owner("PUT", memberAt(stranger));
    await owner("DELETE", memberAt(owner));
    const { data } = (await member("GET", conversation.members)).body;
    expect(data).toMatchObject([
      { user_id: member.userId, role: "owner" },
      { user_id: stranger.userId, role: "member" },
    ]);
  },
  "When the last member leaves, the conversation and its messages are deleted, and its id returns 404 from then on.": async (
    fixture,
  ) => {
    const { owner, member, conversation, memberAt } = await group(fixture);
    const { body } = await send(owner, conversation, "Hello");
    for (const it of [member, owner]) await it("DELETE", memberAt(it));
    for (const path of [conversation.path, conversation.messages, `${conversation.messages}/${body.id}`])
      expect(outcome(await owner("GET", path))).toBe("404 not_found");
    expect(outcome(await owner("PATCH", conversation.path, { title: "Roof" }))).toBe("404 not_found");
    expect(outcome(await owner("PATCH", memberAt(member), { role: "owner" }))).toBe("404 not_found");
    for (const method of ["PUT", "DELETE"])
      expect(outcome(await owner(method, `${conversation.path}/mute`))).toBe("404 not_found");
  },
  "Only the owner can change it. If two requests change it at the same time, the last one wins.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    expect(outcome(await member("PATCH", conversation.path, { title: "Floor" }))).toBe("403 not_the_owner");
    const answers = await Promise.all(["Doors", "Cellar"].map((title) => owner("PATCH", conversation.path, { title })));
    expect(answers.map(outcome)).toEqual(["200", "200"]);
    expect(["Doors", "Cellar"]).toContain((await member("GET", conversation.path)).body.title);
  },
  "Makes a member the owner in your place; you stay as a member. Only the owner can do this. Naming yourself changes nothing.":
    async (fixture) => {
      const { owner, member, conversation, memberAt } = await group(fixture);
      expect(outcome(await member("PATCH", memberAt(member), { role: "owner" }))).toBe("403 not_the_owner");
      expect((await owner("PATCH", memberAt(owner), { role: "owner" })).body.role).toBe("owner");
      expect((await owner("PATCH", memberAt(member), { role: "owner" })).body).toMatchObject({ role: "owner" });
      expect((await owner("GET", conversation.members)).body.data.map((it: Body) => it.role)).toEqual(["member", "owner"]);
    },
  "If you retry after losing the response, you get 403 `not_the_owner` if the first request succeeded: list the members to see the owner.":
    async (fixture) => {
      const { owner, member, memberAt } = await group(fixture);
      expect(outcome(await owner("PATCH", memberAt(member), { role: "owner" }))).toBe("200");
      expect(outcome(await owner("PATCH", memberAt(member), { role: "owner" }))).toBe("403 not_the_owner");
    },
  "If the user is not a member, you get 404. Of two requests at the same time, the second gets 403 `not_the_owner`.": async (
    fixture,
  ) => {
    const { owner, member, stranger, memberAt } = await group(fixture);
    expect(outcome(await owner("PATCH", memberAt(stranger), { role: "owner" }))).toBe("404 not_found");
    const answers = await Promise.all([1, 2].map(() => owner("PATCH", memberAt(member), { role: "owner" })));
    expect(answers.map(outcome).toSorted()).toEqual(["200", "403 not_the_owner"]);
  },
  "Existing notifications stay. Repeating the request changes nothing, and leaving the conversation ends it.": async (
    fixture,
  ) => {
    const { owner, member, conversation, memberAt } = await group(fixture);
    await send(owner, conversation, "Hello");
    for (let n = 0; n < 2; n++) expect(outcome(await member("PUT", `${conversation.path}/mute`))).toBe("204");
    await send(owner, conversation, "Muted");
    expect((await unread(member))[0]).toMatchObject({ body: "Hello", event_count: 1 });
    await member("DELETE", memberAt(member));
    await owner("PUT", memberAt(member));
    await send(owner, conversation, "Welcome back");
    expect((await unread(member)).map((it) => it.body)).toContain("Welcome back");
  },
  "Messages that others send from now on notify you again. Those that were sent while the conversation was muted don't.": async (
    fixture,
  ) => {
    const { owner, member, conversation } = await group(fixture);
    await member("PUT", `${conversation.path}/mute`);
    await send(owner, conversation, "Muted");
    await member("DELETE", `${conversation.path}/mute`);
    await send(owner, conversation, "Hello");
    expect((await unread(member))[0]).toMatchObject({ body: "Hello", event_count: 1 });
  },
  "If you are not the owner and the user is someone else, you get 403 `not_the_owner`.": async (fixture) => {
    const { owner, member, memberAt } = await group(fixture);
    expect(outcome(await member("DELETE", memberAt(owner)))).toBe("403 not_the_owner");
  },
  "If you retry after leaving, you get 403 `not_a_member`: the first request succeeded.": async (fixture) => {
    const { member, memberAt } = await group(fixture);
    expect(outcome(await member("DELETE", memberAt(member)))).toBe("204");
    expect(outcome(await member("DELETE", memberAt(member)))).toBe("403 not_a_member");
  },
  "If you are not a member of a conversation, every valid request for it returns 403 `not_a_member`.": async (fixture) => {
    const { owner, stranger, conversation, memberAt } = await group(fixture);
    const { body } = await send(owner, conversation, "Hello");
    for (const path of [conversation.path, conversation.members, conversation.messages, `${conversation.messages}/${body.id}`])
      expect(outcome(await stranger("GET", path))).toBe("403 not_a_member");
    expect(outcome(await send(stranger, conversation, "Hello"))).toBe("403 not_a_member");
    for (const method of ["PUT", "DELETE"]) expect(outcome(await stranger(method, memberAt(stranger)))).toBe("403 not_a_member");
  },
  "After a membership ends, every valid request of that user returns 403 while the conversation exists, even the retry of a request that succeeded.":
    async (fixture) => {
      const { owner, member, conversation, memberAt } = await group(fixture);
      const key = randomUUID();
      await send(member, conversation, "Hello", key);
      await owner("DELETE", memberAt(member));
      expect(outcome(await send(member, conversation, "Hello", key))).toBe("403 not_a_member");
      for (const path of [conversation.path, conversation.members, conversation.messages])
        expect(outcome(await member("GET", path))).toBe("403 not_a_member");
      expect((await member("GET", "/conversations")).body.data).toEqual([]);
    },
  "Users who have left are not listed, but their messages stay.": async (fixture) => {
    const { owner, member, conversation, memberAt } = await group(fixture);
    await send(member, conversation, "Hello");
    await member("DELETE", memberAt(member));
    expect((await owner("GET", conversation.members)).body.data.map((it: Body) => it.user_id)).toEqual([owner.userId]);
    expect((await owner("GET", conversation.messages)).body.data).toHaveLength(1);
  },
  "Messages are numbered by `sequence`: 1, 2, 3 and so on, without gaps.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    await Promise.all([owner, member, owner, member].map((it) => send(it, conversation, "At the same time")));
    const found = (await owner("GET", conversation.messages)).body.data.map((it: Body) => it.sequence);
    expect(found).toEqual([4, 3, 2, 1]);
  },
  "The id of a message in another conversation returns 404, even if you are a member of both.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    const other = await openConversation(owner, [member]);
    const { body } = await send(owner, conversation, "Hello");
    expect(outcome(await owner("GET", `${other.messages}/${body.id}`))).toBe("404 not_found");
  },
  "When you join, or join again, the position is that of the newest message.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    await send(owner, conversation, "Hello");
    await member("DELETE", `${conversation.members}/${member.userId}`);
    await owner("PUT", `${conversation.members}/${member.userId}`);
    expect((await member("GET", conversation.path)).body).toMatchObject({ last_read_sequence: 1, unread_count: 0 });
  },
  "When you send a message, the position moves to it, and your notifications about the conversation are marked as read.": async (
    fixture,
  ) => {
    const { owner, member, conversation } = await group(fixture);
    await send(owner, conversation, "Hello");
    expect(await unread(member)).toHaveLength(2);
    await send(member, conversation, "Hello");
    expect((await member("GET", "/conversations")).body.data[0]).toMatchObject({ last_read_sequence: 2, unread_count: 0 });
    expect(await unread(member)).toEqual([]);
  },
  "The position never goes back: a lower `sequence` changes nothing.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    for (const body of ["One", "Two"]) await send(owner, conversation, body);
    for (const sequence of [2, 1])
      expect((await member("PUT", `${conversation.path}/read-position`, { sequence })).body.last_read_sequence).toBe(2);
  },
  "One without messages counts with its creation.": async (fixture) => {
    const { owner, member, conversation } = await group(fixture);
    await send(owner, conversation, "Hello");
    const silent = await openConversation(owner, [member]);
    const { data } = (await member("GET", "/conversations?sort=-last_message_at")).body;
    expect(data.map((it: Body) => it.id)).toEqual([silent.id, conversation.id]);
  },
};
