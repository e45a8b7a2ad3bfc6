import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

/** A user with one unread notification, and its path. */
async function notifiedUser(): Promise<{ yuki: Client; path: string }> {
  const [ada, yuki] = [await service.as(), await service.as()];
  await openConversation(ada, [yuki]);
  return { yuki, path: `/notifications/${(await yuki("GET", "/notifications")).body.data[0].id}` };
}

describe("PATCH /notifications/{notification_id}", () => {
  it("returns 200 with the status read and a read_at, as do later reads, and decreases the unread count", async () => {
    const { yuki, path } = await notifiedUser();
    const before = Date.now() - 1_000;
    const marked = await yuki("PATCH", path, { status: "read" });
    expect(marked).toMatchObject({ status: 200, body: { status: "read", read_at: expect.any(String) } });
    expect(Date.parse(marked.body.read_at)).toBeGreaterThan(before);
    expect(marked.body.read_at >= marked.body.created_at).toBe(true);
    expect(await yuki("GET", path)).toMatchObject({ body: marked.body });
    expect(await yuki("GET", "/notifications")).toMatchObject({ body: { data: [marked.body], unread_count: 0 } });
  });

  it("returns the same read_at for ten concurrent requests", async () => {
    const { yuki, path } = await notifiedUser();
    const answers = await Promise.all(Array.from({ length: 10 }, () => yuki("PATCH", path, { status: "read" })));
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
  });

  it("keeps it unread if a message arrived after the seen token, and marks it as read with a newer token", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "Seen");
    const { body: shown } = await yuki("GET", "/notifications?kind=message.created");
    const path = `/notifications/${shown.data[0].id}`;
    await send(ada, conversation, "Not seen");
    expect(await yuki("PATCH", path, { status: "read", seen: shown.seen })).toMatchObject({
      status: 200,
      body: { status: "unread", body: "Not seen", event_count: 2 },
    });
    const { seen } = (await yuki("GET", "/notifications")).body;
    expect(await yuki("PATCH", path, { status: "read", seen })).toMatchObject({ status: 200, body: { status: "read" } });
  });

  it("sets it to unread again, also twice, and counts it once as unread", async () => {
    const { yuki, path } = await notifiedUser();
    await yuki("PATCH", path, { status: "read" });
    for (let round = 0; round < 2; round++)
      expect(await yuki("PATCH", path, { status: "unread" })).toMatchObject({
        status: 200,
        body: { status: "unread", read_at: null },
      });
    expect((await yuki("GET", "/notifications")).body.unread_count).toBe(1);
  });

  const [INBOX, READ, ARCHIVED] = [
    { status: "unread", read_at: null, archived_at: null },
    { status: "read", read_at: expect.any(String), archived_at: null },
    { status: "read", read_at: expect.any(String), archived_at: expect.any(String) },
  ];
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
  ])("%s", async (_what, changes, expected) => {
    const { yuki, path } = await notifiedUser();
    let last: Body;
    for (const change of changes) last = (await yuki("PATCH", path, change)).body;
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

  it("archives twice with the first times, and refuses to archive as unread with 400 that names both fields", async () => {
    const { yuki, path } = await notifiedUser();
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

  it("neither archives nor marks one that has an event after the seen token", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const conversation = await openConversation(ada, [yuki]);
    await send(ada, conversation, "Seen");
    const { data, seen } = (await yuki("GET", "/notifications?kind=message.created")).body;
    await send(ada, conversation, "Not seen");
    expect(await yuki("PATCH", `/notifications/${data[0].id}`, { status: "read", archived: true, seen })).toMatchObject({
      status: 200,
      body: INBOX,
    });
  });

  it("is not archived any more if a process of 1.0.0, which has no archive, marks it as unread and read", async () => {
    const { yuki, path } = await notifiedUser();
    await yuki("PATCH", path, { status: "read", archived: true });
    const ofYuki = { where: { userId: yuki.userId } };
    await service.db.notification.updateMany({ ...ofYuki, data: { readAt: null } });
    expect((await yuki("GET", path)).body).toMatchObject(INBOX);
    await service.db.notification.updateMany({ ...ofYuki, data: { readAt: new Date(Date.now() + 1_000) } });
    expect((await yuki("GET", path)).body).toMatchObject(READ);
    expect((await yuki("GET", "/notifications?status=read")).body.data).toHaveLength(1);
    expect((await yuki("GET", "/notifications?archived=only")).body.data).toEqual([]);
  });

  it("returns the same 404 for another user's notification as for an unknown id, and changes nothing", async () => {
    const { yuki, path } = await notifiedUser();
    const stranger = await service.as();
    const [foreign, missing] = [
      await stranger("PATCH", path, { status: "read" }),
      await stranger("PATCH", `/notifications/${randomUUIDv7()}`, { status: "read" }),
    ];
    expect(foreign).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect({ ...foreign.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    expect(await yuki("GET", path)).toMatchObject({ body: { status: "unread" } });
    await yuki("PATCH", path, { status: "read" });
    expect(await stranger("PATCH", path, { status: "unread" })).toMatchObject({ status: 404 });
    expect(await yuki("GET", path)).toMatchObject({ body: { status: "read" } });
  });
});
