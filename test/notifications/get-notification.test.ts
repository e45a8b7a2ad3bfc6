import { describe, expect, it } from "@jest/globals";
import { purgeNotifications } from "../../src/notifications/store.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { earlier } from "../support/database.ts";
import { createNotifications } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

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
  it("returns 404 for a notification older than 90 days, and neither lists nor counts it, also before its deletion", async () => {
    const {
      yuki,
      notifications: [young, borderline, old],
    } = await notifiedUser(3);
    await age(borderline.id, 89);
    await age(old.id, 90);
    const sees = async () => {
      expect(await yuki("GET", `/notifications/${old.id}`)).toMatchObject({ status: 404 });
      expect(await yuki("PATCH", `/notifications/${old.id}`, { status: "read" })).toMatchObject({ status: 404 });
      const { body } = await yuki("GET", "/notifications?sort=created_at");
      expect({ ids: body.data.map((it: Body) => it.id), unread: body.unread_count }).toEqual({
        ids: [borderline.id, young.id],
        unread: 2,
      });
    };
    await sees();
    expect(await purgeNotifications(service.db)).toBe(1);
    await sees();
    expect(await service.db.notification.count({ where: { userId: yuki.userId } })).toBe(2);
  });

  it("keeps a notification for 90 days after its newest event, read or not, and counts further events in it until then", async () => {
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
