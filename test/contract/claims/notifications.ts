import { expect } from "@jest/globals";
import type { Body, Client } from "../../support/client.ts";
import { openConversation, send, sendMany } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { header, outcome, type Claims, type Fixture } from "./claim.ts";

/** A reader whose only unread notification is the one about the messages of this conversation. */
async function reader({ as }: Fixture, messages: number) {
  const [writer, reader] = [await as(), await as()];
  const conversation = await openConversation(writer, [reader]);
  await markAll(reader);
  await sendMany(writer, conversation, messages);
  return { writer, reader, conversation };
}

const listOf = async (client: Client, query = ""): Promise<Body> => (await client("GET", `/notifications${query}`)).body;
const markAll = async (client: Client, more: object = {}) =>
  client("PATCH", "/notifications", { status: "read", seen: (await listOf(client)).seen, ...more });
const unread = async (client: Client): Promise<Body[]> => (await listOf(client, "?status=unread")).data;

export const notifications: Claims = {
  "You also get one when a webhook endpoint of yours is created, when its `url` or `scopes` change, and when the service disables it.":
    async ({ as }) => {
      const user = await as();
      // A receiver that returns 410 is in test/webhooks/deliveries.test.ts.
      const kinds = async () => (await listOf(user)).data.map((it: Body) => it.kind).sort();
      const hook = { url: "https://hooks.example.org/", events: ["message.created"] };
      const { headers } = await user("POST", "/webhook-endpoints", hook);
      expect(await kinds()).toEqual(["webhook_endpoint.created"]);
      expect((await user("PATCH", headers.get("location")!, { scopes: ["conversations:read"] })).status).toBe(200);
      expect(await kinds()).toEqual(["webhook_endpoint.changed", "webhook_endpoint.created"]);
    },
  "You get one when another user sends a message in one of your conversations, when you are added to a conversation, and when one of your video uploads succeeds or fails.":
    async ({ as }) => {
      const [writer, user] = [await as(), await as()];
      const conversation = await openConversation(writer, [user]);
      await send(writer, conversation, "Hello");
      await user("POST", "/video-uploads", Buffer.from("not a video"));
      const kinds = async () => (await listOf(user)).data.map((it: Body) => it.kind).sort();
      const expected = ["conversation.member_added", "message.created", "video_upload.failed"];
      expect(await eventually("three notifications", async () => ((await kinds()).length === 3 ? kinds() : null))).toEqual(
        expected,
      );
    },
  "While the messages of a conversation are unread, one notification counts them in `event_count` and shows the newest.": async (
    fixture,
  ) => {
    const { reader: user } = await reader(fixture, 3);
    expect(await unread(user)).toMatchObject([{ kind: "message.created", event_count: 3, body: "Message 3" }]);
  },
  "It keeps its id and its position in the list.": async (fixture) => {
    const { writer, reader: user, conversation } = await reader(fixture, 1);
    await openConversation(writer, [user]);
    const before = await unread(user);
    await send(writer, conversation, "Again");
    expect((await unread(user)).map((it) => it.id)).toEqual(before.map((it) => it.id));
  },
  "After you read it, the next message creates a new notification at the newest end of the list.": async (fixture) => {
    const { writer, reader: user, conversation } = await reader(fixture, 1);
    const [first] = await unread(user);
    await user("PATCH", `/notifications/${first!.id}`, { status: "read" });
    await send(writer, conversation, "Again");
    const [newest] = (await listOf(user)).data;
    expect([newest.id === first!.id, newest.event_count, newest.body]).toEqual([false, 1, "Again"]);
  },
  "To show a badge,** poll `GET /notifications?status=unread&limit=1` with `If-None-Match` and show `unread_count`.": async (
    fixture,
  ) => {
    const { writer, reader: user } = await reader(fixture, 1);
    const path = "/notifications?status=unread&limit=1";
    const first = await user("GET", path);
    const etag = first.headers.get("etag")!;
    expect([first.body.unread_count, (await user("GET", path, undefined, header("If-None-Match", etag))).status]).toEqual([
      1, 304,
    ]);
    await openConversation(writer, [user]);
    expect((await user("GET", path, undefined, header("If-None-Match", etag))).body.unread_count).toBe(2);
  },
  "It marks everything that had happened by then.": async (fixture) => {
    const { writer, reader: user } = await reader(fixture, 2);
    await openConversation(writer, [user]);
    const { seen } = await listOf(user, "?limit=1");
    const { body } = await user("PATCH", "/notifications", { status: "read", seen });
    expect(body).toEqual({ updated_count: 2, unread_count: 0 });
  },
  "Newer events stay unread, even if they were added to a notification that was in the list.": async (fixture) => {
    const { writer, reader: user, conversation } = await reader(fixture, 1);
    const { seen } = await listOf(user);
    await send(writer, conversation, "Newer");
    await user("PATCH", "/notifications", { status: "read", seen });
    expect(await unread(user)).toMatchObject([{ body: "Newer" }]);
  },
  "Send `conversation_id` as well to mark only one conversation.": async (fixture) => {
    const { writer, reader: user, conversation } = await reader(fixture, 1);
    const other = await openConversation(writer, [user]);
    await markAll(user, { conversation_id: conversation.id });
    expect((await unread(user)).map((it) => it.resource.id)).toEqual([other.id]);
  },
  "A notification names its subject in `resource`, with an `href` to get it.": async (fixture) => {
    const { reader: user } = await reader(fixture, 1);
    const [{ resource }] = (await unread(user)) as [Body];
    expect((await user("GET", resource.href)).body).toMatchObject({ id: resource.id, body: "Message 1" });
  },
  "Getting a notification doesn't mark it as read.": async (fixture) => {
    const { reader: user } = await reader(fixture, 1);
    const [one] = await unread(user);
    expect((await user("GET", `/notifications/${one!.id}`)).body.status).toBe("unread");
    expect(await unread(user)).toHaveLength(1);
  },
  "Setting what is set already returns 200 and changes nothing.": async (fixture) => {
    const { reader: user } = await reader(fixture, 1);
    const [one] = await unread(user);
    const again = await user("PATCH", `/notifications/${one!.id}`, { status: "unread" });
    expect([again.status, again.body]).toEqual([200, one]);
  },
  "Marking it again keeps the first time.": async (fixture) => {
    const { reader: user } = await reader(fixture, 1);
    const path = `/notifications/${(await unread(user))[0]!.id}`;
    const first = await user("PATCH", path, { status: "read" });
    expect((await user("PATCH", path, { status: "read" })).body.read_at).toBe(first.body.read_at);
  },
  "An unread notification can't be archived.": async (fixture) => {
    const { reader: user } = await reader(fixture, 1);
    const path = `/notifications/${(await unread(user))[0]!.id}`;
    expect(outcome(await user("PATCH", path, { status: "unread", archived: true }))).toBe("400 conflicting_parameters");
    await user("PATCH", path, { status: "read", archived: true });
    expect((await user("PATCH", path, { status: "unread" })).body.archived_at).toBeNull();
  },
  "The lists leave it out, except `GET /notifications?archived=only`.": async (fixture) => {
    const { reader: user } = await reader(fixture, 1);
    const [{ id }] = (await unread(user)) as [Body];
    await user("PATCH", `/notifications/${id}`, { status: "read", archived: true });
    const idsOf = async (query: string): Promise<string[]> => (await listOf(user, query)).data.map((it: Body) => it.id);
    expect(await idsOf("?archived=only")).toEqual([id]);
    for (const query of ["", "?status=read", "?status=unread", "?archived=exclude"]) expect(await idsOf(query)).not.toContain(id);
  },
  "The next event on its subject replaces it, like one that was read: the new notification is unread and not archived.": async (
    fixture,
  ) => {
    const { writer, reader: user, conversation } = await reader(fixture, 1);
    const [first] = await unread(user);
    await user("PATCH", `/notifications/${first!.id}`, { status: "read", archived: true });
    await send(writer, conversation, "Again");
    const [next] = await unread(user);
    expect([next!.id === first!.id, next!.event_count, next!.archived_at]).toEqual([false, 1, null]);
    expect((await listOf(user, "?archived=only")).data).toEqual([]);
  },
  "`title` has the name at the time of the event.": async (fixture) => {
    const { writer, reader: user } = await reader(fixture, 1);
    await writer("PATCH", "/account", { display_name: "A new name" });
    const [one] = await unread(user);
    expect([one!.title, one!.actor.display_name]).toEqual([`${writer.userName} wrote to you`, "A new name"]);
  },
  "The `seen` of the list that you showed. With it, setting the status to `read` leaves the notification unread if something has happened since.":
    async (fixture) => {
      const { writer, reader: user, conversation } = await reader(fixture, 1);
      const { seen, data } = await listOf(user);
      await send(writer, conversation, "Newer");
      const { body } = await user("PATCH", `/notifications/${data[0].id}`, { status: "read", seen });
      expect(body).toMatchObject({ status: "unread", body: "Newer" });
    },
  "or `seen` is not from a list of your notifications.": async (fixture) => {
    const [one, two] = [await fixture.as(), await fixture.as()];
    const { seen } = await listOf(one);
    expect(outcome(await two("PATCH", "/notifications", { status: "read", seen }))).toBe("400 invalid_cursor");
  },
  "There is no such notification, it has been removed, or it belongs to another user.": async (fixture) => {
    const { writer, reader: user } = await reader(fixture, 1);
    const [one] = await unread(user);
    expect(outcome(await writer("GET", `/notifications/${one!.id}`))).toBe("404 not_found");
  },
};
