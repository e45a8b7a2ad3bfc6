import { describe, expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Body } from "../support/client.ts";
import { openConversation, send } from "../support/conversations.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, verify } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService());

/** A message of Ada that has reached an endpoint of Ben, which has the scopes to read it. `again` sends both events again. */
async function eventsOfOneMessage() {
  const [ada, ben] = [await service.as({ name: "Ada Zebra" }), await service.as()];
  const receiver = await startReceiver();
  const types = ["message.created", "notification.created"];
  const endpoint = await createEndpoint(ben, receiver, types, ["conversations:read", "notifications:read"]);
  const conversation = await openConversation(ada, [ben], "Roof");
  await send(ada, conversation, "For members only");
  const isOfMessage = (it: Body) => it.type === "message.created" || it.data.notification?.kind === "message.created";
  const arrived = (count: number) =>
    eventually(`${count} events of the message`, () => {
      const found = receiver.received.filter((it) => isOfMessage(it.body) || it.body.data.notification === null);
      return found.length >= count ? found : null;
    });
  const first = await arrived(2);
  const again = async () => {
    const before = receiver.received.length;
    for (const { id } of first) {
      const delivery = `${endpoint.path}/deliveries/${id}`;
      await eventually("a delivery that has succeeded", async () => (await ben("GET", delivery)).body.status === "succeeded");
      expect(await ben("POST", `${delivery}/attempts`, {})).toMatchObject({ status: 202 });
    }
    const events = await eventually("both events again", () => {
      const found = receiver.received.slice(before);
      return found.length >= 2 ? found : null;
    });
    for (const event of events) verify(event, endpoint.secret);
    const dataOf = (type: string): Body => events.find((it) => it.body.type === type)!.body.data;
    return { message: dataOf("message.created")["message"], notification: dataOf("notification.created")["notification"] };
  };
  const noticeOf = async () =>
    ((await ben("GET", "/notifications?kind=message.created")).body.data as Body[]).find((it) => it.kind === "message.created") ??
    null;
  return { ada, ben, receiver, conversation, again, noticeOf };
}

describe("an event that is sent after its resource has changed", () => {
  it("has the notification as GET returns it to a former member, and no message, which GET refuses", async () => {
    const { ada, ben, receiver, conversation, again, noticeOf } = await eventsOfOneMessage();
    await using _receiver = receiver;
    expect(await again()).toMatchObject({ message: { body: "For members only" }, notification: { body: "For members only" } });
    expect(await ada("DELETE", `${conversation.members}/${ben.userId}`)).toMatchObject({ status: 204 });
    expect(await ben("GET", conversation.messages)).toMatchObject({ status: 403 });
    const sent = await again();
    expect(sent.message).toBeNull();
    expect(sent.notification).toMatchObject({ title: "Ada Zebra wrote in Roof", body: "For members only" });
    expect(sent.notification).toEqual(await noticeOf());
  });

  it("has neither when the conversation is gone, and GET has no notification", async () => {
    const { ada, ben, receiver, conversation, again, noticeOf } = await eventsOfOneMessage();
    await using _receiver = receiver;
    for (const it of [ben, ada])
      expect(await it("DELETE", `${conversation.members}/${it.userId}`)).toMatchObject({ status: 204 });
    await eventually("no notification", async () => (await noticeOf()) === null);
    expect(await again()).toEqual({ message: null, notification: null });
  });

  it("has neither the name nor the text of a deleted sender, in the same form as GET", async () => {
    const { ada, receiver, again, noticeOf } = await eventsOfOneMessage();
    await using _receiver = receiver;
    // The job that removes the rest never runs.
    await beginErasure(service.db, ada.userId, async () => undefined);
    const sent = await again();
    expect(sent.message).toMatchObject({
      body: "This message was deleted.",
      sender: { id: ada.userId, display_name: null, deleted: true },
    });
    expect(sent.notification).toMatchObject({ title: "A deleted user wrote in Roof", body: "This message was deleted." });
    expect(sent.notification).toEqual(await noticeOf());
  });
});
