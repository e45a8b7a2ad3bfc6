import { expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Body, Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

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
