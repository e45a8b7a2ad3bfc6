import { describe, expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

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
  it("is the new one everywhere as soon as PATCH /account has returned, under the same entity tags", async () => {
    const life = await lifeOfAda();
    const { ada, yuki } = life;
    const before = await readAll(yuki, life);
    const user = { id: ada.userId, display_name: "Ada Marsh", deleted: false };
    expect(before).toEqual(life.responses.map(([path], index) => ({ path, user, etag: before[index]!.etag })));
    await ada("PATCH", "/account", { display_name: "Ada Okafor" });
    const renamed = { ...user, display_name: "Ada Okafor" };
    expect(await readAll(yuki, life)).toEqual(before.map((it) => ({ ...it, user: renamed })));
    for (const { path, etag } of before.filter((it) => it.etag !== null))
      expect(await yuki("GET", path, undefined, { headers: { "If-None-Match": etag! } })).toMatchObject({ status: 304 });
  });

  it("is the new one in what the user creates and changes next, although the credential is cached with the old one", async () => {
    const life = await lifeOfAda();
    const { ada, yuki, conversation } = life;
    const etag = (await ada("GET", life.responses[0]![0])).headers.get("etag")!;
    await ada("PATCH", "/account", { display_name: "Ada Okafor" });
    const post = { title: "How we re-hung the doors", body: "The left one had sagged." };
    for (const options of [undefined, withKey("key-of-names"), withKey("key-of-names")])
      expect((await ada("POST", "/posts", post, options)).body.author.display_name).toBe("Ada Okafor");
    for (let attempt = 0; attempt < 2; attempt++)
      expect((await send(ada, conversation, "Again", "key-of-names")).body.sender.display_name).toBe("Ada Okafor");
    // The tag is from before the rename.
    const changed = await ada("PATCH", life.responses[0]![0], { title: "Changed" }, { headers: { "If-Match": etag } });
    expect(changed).toMatchObject({ status: 200, body: { author: { display_name: "Ada Okafor" } } });
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

  it("disappears everywhere at once when the user is deleted", async () => {
    const life = await lifeOfAda();
    await beginErasure(service.db, life.ada.userId, async () => undefined);
    for (const { user } of await readAll(life.yuki, life))
      expect(user).toEqual({ id: life.ada.userId, display_name: null, deleted: true });
  });
});
