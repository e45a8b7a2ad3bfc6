import { describe, expect, it } from "@jest/globals";
import { purgeNotifications } from "../../src/notifications/store.ts";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Answer, Body, Client } from "../support/client.ts";
import { openConversation, send, sendMany, walk, type Conversation, pair } from "../support/conversations.ts";
import { createNotifications, titlesOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";
import { earlier } from "../support/database.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const kinds = (answer: Answer) => answer.body.data.map((it: Body) => it.kind);
const bodies = (items: readonly Body[]) => items.map((it) => it.body as string);

describe("GET /notifications", () => {
  const GET_ONE =
    "You get one when another user sends a message in one of your conversations, when you are added to a conversation";
  it(`${sentence(GET_ONE)}. ${sentence("A notification names its subject in `resource`, with an `href` to get it.")}`, async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada Marsh" }), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki], "Boathouse roof");
    await ada("PUT", `${conversation.members}/${tom.userId}`);
    const { body: message } = await send(ada, conversation, "The slates come on Thursday.");
    for (const member of [yuki, tom]) {
      const answer = await member("GET", "/notifications");
      expect(answer).toMatchObject({
        status: 200,
        body: {
          data: [
            {
              kind: "message.created",
              status: "unread",
              title: "Ada Marsh wrote in Boathouse roof",
              body: "The slates come on Thursday.",
              read_at: null,
              resource: { type: "message", id: message.id, href: `${conversation.messages}/${message.id}` },
            },
            {
              kind: "conversation.member_added",
              status: "unread",
              title: "Ada Marsh added you to Boathouse roof",
              body: null,
              resource: { type: "conversation", id: conversation.id, href: conversation.path },
            },
          ],
          page: { limit: 20, next_cursor: null },
          unread_count: 2,
        },
      });
      for (const { resource } of answer.body.data)
        expect(await member("GET", resource.href)).toMatchObject({ status: 200, body: { id: resource.id } });
    }
    expect(await ada("GET", "/notifications")).toMatchObject({ status: 200, body: { data: [], unread_count: 0 } });
  });

  it("names the sender if the conversation has no title, and notifies neither the sender nor removed members", async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada Marsh" }), await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki, tom]);
    await ada("DELETE", `${conversation.members}/${tom.userId}`);
    await send(ada, conversation, "Hello");
    expect((await yuki("GET", "/notifications")).body.data).toMatchObject([
      { title: "Ada Marsh wrote to you" },
      { title: "Ada Marsh added you to a conversation" },
    ]);
    expect(kinds(await tom("GET", "/notifications"))).toEqual(["conversation.member_added"]);
    expect((await ada("GET", "/notifications")).body.data).toEqual([]);
  });

  const COMBINED =
    "While the messages of a conversation are unread, one notification counts them in `event_count` and shows the newest.";
  it(sentence(COMBINED), async () => {
    const [ada, yuki, tom] = [await service.as({ name: "Ada Marsh" }), await service.as(), await service.as({ name: "Tom" })];
    const conversation = await openConversation(ada, [yuki, tom], "Boathouse roof");
    await send(ada, conversation, "One");
    const [first] = (await yuki("GET", "/notifications?kind=message.created")).body.data;
    expect(first).toMatchObject({ body: "One", event_count: 1, updated_at: first.created_at });
    await send(tom, conversation, "Two");
    const { body: message } = await send(tom, conversation, "Three");
    expect((await yuki("GET", "/notifications?kind=message.created")).body.data).toEqual([
      {
        ...first,
        title: "Tom wrote in Boathouse roof",
        body: "Three",
        resource: { type: "message", id: message.id, href: `${conversation.messages}/${message.id}` },
        event_count: 3,
        updated_at: expect.any(String),
        actor: { id: tom.userId, display_name: "Tom", deleted: false },
      },
    ]);
    const { data } = (await yuki("GET", "/notifications")).body;
    expect(data.map((it: Body) => it.actor.display_name)).toEqual(["Tom", "Ada Marsh"]);
    // Each member has a separate count: one message for Tom, two for Ada.
    expect((await tom("GET", "/notifications?kind=message.created")).body.data).toMatchObject([{ body: "One", event_count: 1 }]);
    expect((await ada("GET", "/notifications")).body.data).toMatchObject([{ body: "Three", event_count: 2 }]);
  });

  it("cuts a title to 200 and a body to 500 whole characters, the last of them an ellipsis", async () => {
    const [ada, yuki] = [await service.as({ name: "🪚".repeat(100) }), await service.as()];
    const conversation = await openConversation(ada, [yuki], "🪵".repeat(200));
    for (const [text, shown] of [
      ["😀".repeat(501), `${"😀".repeat(499)}…`],
      ["😀".repeat(500), "😀".repeat(500)],
    ] as const) {
      await send(ada, conversation, text);
      const { body } = await yuki("GET", "/notifications?kind=message.created");
      expect(bodies(body.data)).toEqual([shown]);
      expect(body.data[0].title).toBe(`${"🪚".repeat(100)} wrote in ${"🪵".repeat(89)}…`);
      expect([...body.data[0].title]).toHaveLength(200);
    }
  });

  const UNREAD = sentence("The number of your unread notifications, regardless of filters and page.");
  it(`${sentence("Several filters are combined with *and*.")} ${UNREAD}`, async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    await createNotifications(ada, yuki, 2);
    await sendMany(ada, await openConversation(ada, [yuki]), 3);
    const {
      body: {
        data: [newest],
      },
    } = await yuki("GET", "/notifications?kind=conversation.member_added");
    await yuki("PATCH", `/notifications/${newest.id}`, { status: "read" });
    const read = async (query: string) => (await yuki("GET", `/notifications?${query}`)).body;
    const found = async (query: string) => ({ count: (await read(query)).data.length, unread: (await read(query)).unread_count });
    expect(await found("")).toEqual({ count: 4, unread: 3 });
    expect(await found("status=read")).toEqual({ count: 1, unread: 3 });
    expect(await found("status=unread")).toEqual({ count: 3, unread: 3 });
    expect(await found("kind=message.created")).toEqual({ count: 1, unread: 3 });
    expect(await found("kind=conversation.member_added&status=unread")).toEqual({ count: 2, unread: 3 });
    expect(await found("kind=conversation.member_added&status=read")).toEqual({ count: 1, unread: 3 });
    expect(await found("kind=video_upload.failed")).toEqual({ count: 0, unread: 3 });
  });

  it(`${sentence("It keeps its id and its position in the list.")} While it counts messages, each is on one page`, async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversations: Conversation[] = [];
    for (let index = 0; index < 6; index++) conversations.push(await openConversation(ada, [yuki]));
    await service.db.notification.deleteMany({ where: { userId: yuki.userId } });
    for (const it of conversations) await send(ada, it, "First");
    for (const order of ["created_at", "-created_at"]) {
      const walked = await walk(yuki, `/notifications?limit=2&sort=${order}&kind=message.created`, "after", async () => {
        await Promise.all(conversations.map((it) => send(ada, it, "More")));
      });
      const ids = walked.map((it) => it.resource.href.split("/")[2] as string);
      expect(ids.toSorted()).toEqual(conversations.map((it) => it.id).toSorted());
    }
  });

  it("pages through the unread notifications without missing any while the first page is marked as read", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const titles = await createNotifications(ada, yuki, 6);
    const first = await yuki("GET", "/notifications?status=unread&limit=2");
    for (const { id } of first.body.data) await yuki("PATCH", `/notifications/${id}`, { status: "read" });
    const rest = await yuki("GET", `/notifications?status=unread&after=${first.body.page.next_cursor}`);
    expect(titlesOf([...first.body.data, ...rest.body.data])).toEqual(titles.toReversed());
  });

  const BADGE =
    "To show a badge,** poll `GET /notifications?status=unread&limit=1` with `If-None-Match` and show `unread_count`.";
  it(sentence(BADGE), async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const poll = (headers = {}) => yuki("GET", "/notifications?status=unread&limit=1", undefined, { headers });
    const tag = { "If-None-Match": (await poll()).headers.get("etag")! };
    expect((await poll(tag)).status).toBe(304);
    await createNotifications(ada, yuki, 2);
    expect(await poll(tag)).toMatchObject({ status: 200, body: { unread_count: 2 } });
  });
});

/** A user with `count` notifications, newest first. */
async function notifiedUser(count: number): Promise<{ yuki: Client; notifications: Body[] }> {
  const [ada, yuki] = [await service.as(), await service.as()];
  await createNotifications(ada, yuki, count);
  return { yuki, notifications: (await yuki("GET", "/notifications")).body.data };
}

/** Moves the timestamps of a notification into the past: that of its first event, and by default that of its newest one. */
async function age(id: string, days: number, newestDays = days): Promise<void> {
  const moved = [
    earlier("created_at", `${days} days`),
    earlier("updated_at", `${newestDays} days`),
    earlier("read_at", `${newestDays} days`),
  ];
  await service.db.$executeRawUnsafe(
    `UPDATE notifications SET created_at = ${moved[0]}, updated_at = ${moved[1]}, read_at = ${moved[2]} WHERE id = $1::uuid`,
    id,
  );
}

describe("GET /notifications/{notification_id}", () => {
  const UNREAD = sentence("Getting a notification doesn't mark it as read.");
  const NONE = sentence("There is no such notification, it has been removed, or it belongs to another user.");
  const OLD = "A notification of another user, or one whose newest event is older than 90 days, returns 404.";
  it(`${sentence(OLD)} ${NONE} It is neither listed nor counted, also before its deletion. ${UNREAD}`, async () => {
    const {
      yuki,
      notifications: [young, borderline, old],
    } = await notifiedUser(3);
    const stranger = await service.as();
    await age(borderline.id, 89);
    await age(old.id, 90);
    const sees = async () => {
      expect(await yuki("GET", `/notifications/${old.id}`)).toMatchObject({ status: 404 });
      expect(await yuki("PATCH", `/notifications/${old.id}`, { status: "read" })).toMatchObject({ status: 404 });
      expect(await yuki("GET", `/notifications/${young.id}`)).toMatchObject({ status: 200, body: young });
      const { body } = await yuki("GET", "/notifications?sort=created_at");
      expect({ ids: body.data.map((it: Body) => it.id), unread: body.unread_count }).toEqual({
        ids: [borderline.id, young.id],
        unread: 2,
      });
    };
    await sees();
    expect(await purgeNotifications(service.db)).toBe(1);
    await sees();
    const { body: read } = await yuki("PATCH", `/notifications/${young.id}`, { status: "read" });
    expect(await stranger("PATCH", `/notifications/${young.id}`, { status: "unread" })).toMatchObject({ status: 404 });
    expect((await yuki("GET", `/notifications/${young.id}`)).body).toEqual(read);
    expect(await service.db.notification.count({ where: { userId: yuki.userId } })).toBe(2);
  });

  const KEPT = sentence("Notifications are kept for 90 days after their newest event.");
  it(`${KEPT} Read or not, and counting further events until then`, async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const [unread, read] = [await openConversation(ada, [yuki]), await openConversation(ada, [yuki])];
    await service.db.notification.deleteMany({ where: { userId: yuki.userId } });
    for (const conversation of [unread, read]) await send(ada, conversation, "A long time ago");
    const { body: before } = await yuki("GET", "/notifications?sort=created_at");
    const [one, other] = before.data as [Body, Body];
    await yuki("PATCH", `/notifications/${other.id}`, { status: "read" });
    await age(one.id, 200, 89);
    await age(other.id, 200, 89);
    expect(await purgeNotifications(service.db)).toBe(0);
    expect(await yuki("GET", "/notifications")).toMatchObject({ body: { data: [{}, {}], unread_count: 1 } });
    await send(ada, unread, "Just now");
    expect(await yuki("GET", `/notifications/${one.id}`)).toMatchObject({ body: { event_count: 2, body: "Just now" } });
    expect(await yuki("GET", "/notifications?status=unread")).toMatchObject({
      body: { data: [{ id: one.id }], unread_count: 1 },
    });

    await age(other.id, 0, 2);
    expect((await yuki("GET", "/notifications")).body.data).toMatchObject([{ id: one.id }]);
    // The purge has put both off by the age that they had then, so they are found when they have really expired.
    const purgedEarlier = `UPDATE notifications SET purge_from = ${earlier("purge_from", "2 days")} WHERE user_id = $1::uuid`;
    await service.db.$executeRawUnsafe(purgedEarlier, yuki.userId);
    expect(await purgeNotifications(service.db)).toBe(1);
    expect((await yuki("GET", "/notifications")).body.data).toMatchObject([{ id: one.id }]);

    // An expired notification counts no more events, although it is still there.
    await age(one.id, 91, 91);
    await send(ada, unread, "Another one");
    const [another] = (await yuki("GET", "/notifications")).body.data;
    expect(another).toMatchObject({ event_count: 1, body: "Another one", created_at: another.updated_at });
    expect(another.id).not.toBe(one.id);
  });

  it("deletes all notifications older than 90 days in batches, and no others", async () => {
    const { yuki, notifications } = await notifiedUser(8);
    for (const it of notifications.slice(3)) await age(it.id, 91);
    expect(await purgeNotifications(service.db, 2)).toBe(5);
    expect((await yuki("GET", "/notifications")).body.data).toEqual(notifications.slice(0, 3));
  });
});

/** A user with one unread notification, and its path. */
async function notified(): Promise<{ yuki: Client; path: string }> {
  const [ada, yuki] = [await service.as(), await service.as()];
  await openConversation(ada, [yuki]);
  return { yuki, path: `/notifications/${(await yuki("GET", "/notifications")).body.data[0].id}` };
}

/** A user with a notification of one message of Ada. */
async function messagedUser() {
  const { ada, yuki, conversation } = await pair(service);
  await send(ada, conversation, "Seen");
  return { ada, yuki, conversation };
}

describe("PATCH /notifications/{notification_id}", () => {
  it("returns 200 with the status read and a read_at, as do later reads, and decreases the unread count", async () => {
    const { yuki, path } = await notified();
    const before = Date.now() - 1_000;
    const marked = await yuki("PATCH", path, { status: "read" });
    expect(marked).toMatchObject({ status: 200, body: { status: "read", read_at: expect.any(String) } });
    expect(Date.parse(marked.body.read_at)).toBeGreaterThan(before);
    expect(marked.body.read_at >= marked.body.created_at).toBe(true);
    expect(await yuki("GET", path)).toMatchObject({ body: marked.body });
    expect(await yuki("GET", "/notifications")).toMatchObject({ body: { data: [marked.body], unread_count: 0 } });
  });

  it(`${sentence("Marking it again keeps the first time.")} Also for ten concurrent requests`, async () => {
    const { yuki, path } = await notified();
    const answers = await Promise.all(Array.from({ length: 10 }, () => yuki("PATCH", path, { status: "read" })));
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
  });

  it(sentence("Setting what is set already returns 200 and changes nothing."), async () => {
    const { yuki, path } = await notified();
    await yuki("PATCH", path, { status: "read" });
    const first = await yuki("PATCH", path, { status: "unread" });
    expect(first).toMatchObject({ status: 200, body: { status: "unread", read_at: null } });
    expect(await yuki("PATCH", path, { status: "unread" })).toMatchObject({ status: 200, text: first.text });
    expect((await yuki("GET", "/notifications")).body.unread_count).toBe(1);
  });

  const [INBOX, READ, ARCHIVED] = [
    { status: "unread", read_at: null, archived_at: null },
    { status: "read", read_at: expect.any(String), archived_at: null },
    { status: "read", read_at: expect.any(String), archived_at: expect.any(String) },
  ];
  const LISTS = sentence("The lists leave it out, except `GET /notifications?archived=only`.");
  it.each([
    ["archives an unread one, and marks it as read", [{ status: "read", archived: true }], ARCHIVED],
    ["archives a read one", [{ status: "read" }, { status: "read", archived: true }], ARCHIVED],
    ["leaves one in the archive", [{ status: "read", archived: true }, { status: "read" }], ARCHIVED],
    [
      "takes one out of the archive, which stays read",
      [
        { status: "read", archived: true },
        { status: "read", archived: false },
      ],
      READ,
    ],
    ["takes one out of the archive as unread", [{ status: "read", archived: true }, { status: "unread" }], INBOX],
    [
      "takes one out of the archive as both",
      [
        { status: "read", archived: true },
        { status: "unread", archived: false },
      ],
      INBOX,
    ],
    [
      "does not archive again what was marked as unread",
      [{ status: "read", archived: true }, { status: "unread" }, { status: "read" }],
      READ,
    ],
  ])(`%s: ${LISTS}`, async (_what, changes, expected) => {
    const { yuki, path } = await notified();
    let last: Body;
    for (const change of changes) {
      const before = (await yuki("GET", path)).body.read_at;
      last = (await yuki("PATCH", path, change)).body;
      if (before !== null && change.status === "read") expect(last.read_at).toBe(before);
    }
    expect(last).toMatchObject(expected);
    expect((await yuki("GET", path)).body).toEqual(last);
    // It is in the lists of its state and in no other one, and counts only if it is unread.
    const lists = { "": expected !== ARCHIVED, "?status=read": expected === READ, "?status=unread": expected === INBOX };
    for (const [list, isIn] of Object.entries({ ...lists, "?archived=only": expected === ARCHIVED }))
      for (const query of [list, `${list === "" ? "?" : `${list}&`}kind=${last!.kind}`]) {
        const { body } = await yuki("GET", `/notifications${query}`);
        expect([query, body.data, body.unread_count]).toEqual([query, isIn ? [last] : [], expected === INBOX ? 1 : 0]);
      }
  });

  it("leaves the archive 90 days after its last event, whatever the list asks for", async () => {
    const { yuki, path } = await notified();
    await yuki("PATCH", path, { status: "read", archived: true });
    const lists = ["", "&sort=created_at", "&kind=conversation.member_added", "&kind=conversation.member_added&sort=created_at"];
    const counts = async () =>
      Promise.all(lists.map(async (it) => (await yuki("GET", `/notifications?archived=only${it}`)).body.data.length as number));
    const isAged = (days: number) =>
      service.db.notification.updateMany({
        where: { userId: yuki.userId },
        data: { updatedAt: new Date(Date.now() - days * 86_400_000) },
      });
    await isAged(89.9);
    expect(await counts()).toEqual([1, 1, 1, 1]);
    await isAged(90.1);
    expect([await counts(), (await yuki("GET", path)).status]).toEqual([[0, 0, 0, 0], 404]);
  });

  const NEVER_BOTH = sentence("An unread notification can't be archived.");
  it(`${sentence("Archiving it again keeps the first time.")} ${NEVER_BOTH}`, async () => {
    const { yuki, path } = await notified();
    const first = await yuki("PATCH", path, { status: "read", archived: true });
    expect((await yuki("PATCH", path, { status: "read", archived: true })).text).toBe(first.text);
    const { status, body } = await yuki("PATCH", path, { status: "unread", archived: true });
    expect([status, body.code, body.errors.map((it: Body) => it.pointer)]).toEqual([
      400,
      "conflicting_parameters",
      ["/status", "/archived"],
    ]);
    expect((await yuki("GET", path)).body).toEqual(first.body);
  });

  const SEEN = "With it, setting the status to `read` leaves the notification unread if something has happened since.";
  it.each([{}, { archived: true }])(`${sentence(SEEN)} %j`, async (more) => {
    const { ada, yuki, conversation } = await messagedUser();
    const mark = (seen: string) => yuki("PATCH", path, { status: "read", seen, ...more });
    const { body: shown } = await yuki("GET", "/notifications?kind=message.created");
    const path = `/notifications/${shown.data[0].id}`;
    await send(ada, conversation, "Not seen");
    expect(await mark(shown.seen)).toMatchObject({ status: 200, body: { ...INBOX, body: "Not seen", event_count: 2 } });
    const { seen } = (await yuki("GET", "/notifications")).body;
    expect(await mark(seen)).toMatchObject({ status: 200, body: "archived" in more ? ARCHIVED : READ });
  });

  it("is not archived any more if a process of 1.0.0, which has no archive, marks it as unread and read", async () => {
    const { yuki, path } = await notified();
    await yuki("PATCH", path, { status: "read", archived: true });
    const ofYuki = { where: { userId: yuki.userId } };
    await service.db.notification.updateMany({ ...ofYuki, data: { readAt: null } });
    expect((await yuki("GET", path)).body).toMatchObject(INBOX);
    await service.db.notification.updateMany({ ...ofYuki, data: { readAt: new Date(Date.now() + 1_000) } });
    expect((await yuki("GET", path)).body).toMatchObject(READ);
    expect((await yuki("GET", "/notifications?status=read")).body.data).toHaveLength(1);
    expect((await yuki("GET", "/notifications?archived=only")).body.data).toEqual([]);
  });

  const REPLACED = sentence(
    "The next event on its subject replaces it, like one that was read: the new notification is unread and not archived.",
  );
  const NEXT = sentence("After you read it, the next message creates a new notification at the newest end of the list.");
  it.each([
    [NEXT, {}],
    [REPLACED, { archived: true }],
  ])("%s", async (_sentence, more) => {
    const { ada, yuki, conversation } = await messagedUser();
    await createNotifications(ada, yuki, 1);
    const [first] = (await yuki("GET", "/notifications?kind=message.created")).body.data;
    await yuki("PATCH", `/notifications/${first.id}`, { status: "read", ...more });
    await send(ada, conversation, "Again");
    const [newest] = (await yuki("GET", "/notifications")).body.data;
    expect(newest).toMatchObject({ ...INBOX, event_count: 1, body: "Again" });
    expect(newest.id).not.toBe(first.id);
    expect((await yuki("GET", "/notifications?archived=only")).body.data).toEqual([]);
  });
});

const noticesOf = async (client: Client): Promise<Body[]> => (await client("GET", "/notifications?sort=created_at")).body.data;
const textsOf = async (client: Client) => (await noticesOf(client)).map((it) => [it.title, it.body]);

/** Notifies a user of a message as a process of the previous release does. */
const notifyAsBefore = ({ id }: Conversation, recipient: Client, actor: Client, title: string) =>
  service.db
    .$queryRaw`SELECT FROM notify_users(ARRAY[${recipient.userId}::uuid], 'message.created', ${title}, 'Before', ${actor.userId}::uuid,
    ${id}, 'message', ${id}, '/x')`;

it("notifications of every kind have in `title` what the previous release reads there", async () => {
  const [ada, yuki] = [await service.as({ name: "🪚".repeat(100) }), await service.as()];
  for (const title of [undefined, "Roof", "🪵".repeat(200)]) {
    const conversation = await openConversation(ada, [yuki], title);
    await send(ada, conversation, "x".repeat(501));
    await yuki("PUT", `${conversation.path}/read-position`, { sequence: 1 });
  }
  const end = (kind: string, name: string | null) =>
    service.db
      .$queryRaw`SELECT FROM add_notifications(ARRAY[${yuki.userId}::uuid], ${kind}, NULL, NULL, ${name}, NULL, NULL, ${`${kind} ${name?.length}`},
      'video_upload', 'x', '/x')`;
  for (const kind of ["video_upload.succeeded", "video_upload.failed"])
    for (const name of [null, "roof.mp4", "r".repeat(255)]) await end(kind, name);
  const url = "http://127.0.0.1:1024/hook";
  const { headers } = await yuki("POST", "/webhook-endpoints", { url, events: ["message.created"] });
  await yuki("PATCH", headers.get("location")!, { url: `${url}/again` });
  const shown = await noticesOf(yuki);
  expect(new Set(shown.map((it) => it.kind)).size).toBe(6);
  const stored = await service.db.notification.findMany({ where: { userId: yuki.userId } });
  const titles = (items: readonly { readonly id: string; readonly title: string }[]) =>
    Object.fromEntries(items.map((it) => [it.id, it.title]));
  expect(titles(stored)).toEqual(titles(shown as { id: string; title: string }[]));
  expect(stored.filter((it) => it.body !== null).map((it) => it.body!.length)).toEqual([500, 500, 500]);
});

it("a notification that the previous release has written, or has counted an event in, has its title, and then that of the next event", async () => {
  const [ada, yuki] = [await service.as({ name: "Ada" }), await service.as()];
  const conversation = await openConversation(ada, [yuki], "Roof");
  await service.db.notification.deleteMany();
  await notifyAsBefore(conversation, yuki, ada, "Ada wrote in Attic");
  expect(await textsOf(yuki)).toEqual([["Ada wrote in Attic", "Before"]]);
  await send(ada, conversation, "Now");
  expect(await textsOf(yuki)).toEqual([["Ada wrote in Roof", "Now"]]);
  await notifyAsBefore(conversation, yuki, ada, "Ada wrote in Attic");
  expect(await noticesOf(yuki)).toMatchObject([{ title: "Ada wrote in Attic", body: "Before", event_count: 3 }]);
  await beginErasure(service.db, ada.userId, async () => undefined);
  expect(await textsOf(yuki)).toEqual([["A deleted user wrote to you", "This message was deleted."]]);
});
