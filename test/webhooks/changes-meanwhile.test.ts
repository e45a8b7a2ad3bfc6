import { expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { openConversation, send, type Conversation } from "../support/conversations.ts";
import { startNameServer } from "../support/dns-server.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { createEndpoint, startReceiver, type Endpoint } from "../support/receiver.ts";
import { startTestService } from "../support/service.ts";

/** Names whose lookups wait, and what ends that. */
const held = new Map<string, PromiseWithResolvers<readonly string[]>>();
const names = prepare(() => startNameServer({ answers: (name) => held.get(name)?.promise ?? [] }));
const service = prepare(() => startTestService({ WEBHOOK_DNS_SERVERS: names.address }));

const TEXT = "For members only";
type Change = { readonly ben: Client; readonly ada: Client; readonly endpoint: Endpoint; readonly conversation: Conversation };

/** Sends a message to Ben, makes a change while the attempt resolves the name of Ben's receiver, and lets it continue. */
async function changeMeanwhile(name: string, change: (it: Change) => Promise<unknown>) {
  const [ada, ben] = [await service.as(), await service.as()];
  const conversation = await openConversation(ada, [ben]);
  const answer = Promise.withResolvers<readonly string[]>();
  held.set(name, answer);
  const receiver = await startReceiver();
  const url = receiver.url.replace("127.0.0.1", name);
  const endpoint = await createEndpoint(ben, { url }, ["message.created"], ["conversations:read"]);
  await send(ada, conversation, TEXT);
  await eventually("the lookup of the receiver", () => names.lookups.includes(name));
  await change({ ada, ben, endpoint, conversation });
  answer.resolve(["127.0.0.1"]);
  return Object.assign(receiver, {
    /** Resolves when a connection was opened and closed without a request. */
    unused: () => eventually("a connection without a request", () => receiver.unusedConnections() > 0),
  });
}

it.each([
  [
    "their membership has ended",
    "removed.test",
    ({ ada, ben, conversation }: Change) => ada("DELETE", `${conversation.members}/${ben.userId}`),
  ],
  ["its scopes were taken away", "scopes.test", ({ ben, endpoint }: Change) => ben("PATCH", endpoint.path, { scopes: [] })],
])("no text is sent to an endpoint after %s, though its attempt had begun", async (_what, name, change) => {
  await using receiver = await changeMeanwhile(name, async (it) => expect((await change(it)).status).toBeLessThan(300));
  const [event] = await receiver.events("message.created", 1);
  expect(event!.body.data.message).toBeNull();
  expect(event!.text).not.toContain(TEXT);
});

it.each([
  ["it is deleted", "deleted.test", ({ ben, endpoint }: Change) => ben("DELETE", endpoint.path)],
  ["it is disabled", "disabled.test", ({ ben, endpoint }: Change) => ben("PATCH", endpoint.path, { status: "disabled" })],
])("nothing is sent to an endpoint after %s, though its attempt had begun", async (_what, name, change) => {
  await using receiver = await changeMeanwhile(name, async (it) => expect((await change(it)).status).toBeLessThan(300));
  await receiver.unused();
  expect(receiver.received).toEqual([]);
});

it("nothing is sent to the endpoint of a user after their deletion has begun", async () => {
  await using receiver = await changeMeanwhile("user.test", ({ ben }) =>
    service.db.user.update({ where: { id: ben.userId }, data: { deletedAt: new Date() } }),
  );
  await receiver.unused();
  expect(receiver.received).toEqual([]);
});

it("an event is sent to a new url, and not to the one before, though its attempt had begun", async () => {
  await using elsewhere = await startReceiver();
  await using receiver = await changeMeanwhile("before.test", ({ ben, endpoint }) =>
    ben("PATCH", endpoint.path, { url: elsewhere.url }),
  );
  await receiver.unused();
  const [event] = await elsewhere.events("message.created", 1);
  expect(event!.body.data.message).toMatchObject({ body: TEXT });
  expect(receiver.received).toEqual([]);
});
