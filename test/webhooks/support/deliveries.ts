import type { ServerResponse } from "node:http";
import type { Client } from "../../support/client.ts";
import { openConversation, send } from "../../support/conversations.ts";
import { eventually } from "../../support/eventually.ts";
import { prepareForEach } from "../../support/prepare.ts";
import { createEndpoint, startReceiver, type Endpoint, type Receiver } from "../../support/receiver.ts";
import type { TestService } from "../../support/service.ts";

/** Starts receivers that end with their test, each with a user and an endpoint of that user. */
export function prepareReceivers(service: TestService) {
  const scope = prepareForEach(async () => new AsyncDisposableStack());
  return async (respond?: Receiver["respond"], scopes: readonly string[] = [], events = ["message.created"]) => {
    const ada = await service.as();
    const receiver = scope.use(await startReceiver(respond));
    return { ada, receiver, endpoint: await createEndpoint(ada, receiver, events, scopes) };
  };
}

/** Another user, who writes to this one. */
export async function writerTo(service: TestService, reader: Client) {
  const writer = await service.as();
  const conversation = await openConversation(writer, [reader]);
  return (text: string) => send(writer, conversation, text);
}

/** Responses after a tenth of a second, so that requests of one batch are open together, and how many were at most. */
export function overlapping(status: number) {
  let open = 0;
  const seen = {
    most: 0,
    respond: (_received: unknown, res: ServerResponse) => {
      seen.most = Math.max(seen.most, ++open);
      setTimeout(() => {
        open--;
        res.writeHead(status).end();
      }, 100);
    },
  };
  return seen;
}

/** Ends the pause of an endpoint, and makes all its pending deliveries ready. */
export async function hurry({ db }: TestService, { id }: Endpoint): Promise<void> {
  await db.webhookEndpoint.updateMany({ where: { id }, data: { resumeAt: null } });
  const where = { endpointId: id, status: "pending" };
  await db.webhookDelivery.updateMany({ where, data: { nextAttemptAt: new Date(Date.now() - 1_000), delayedUntil: null } });
}

/** Waits until an endpoint has this status, which is written after its delivery. */
export const becomes = (owner: Client, { path }: Endpoint, status: string) =>
  eventually(`an endpoint that is ${status}`, async () => {
    const { body } = await owner("GET", path);
    return body.status === status ? body : null;
  });

/** A delivery, and how to wait until it has a status after a number of attempts. */
export function watchDelivery(owner: Client, path: string) {
  return {
    id: path.split("/").at(-1)!,
    path,
    reaches: (state: string, attempts = 1) =>
      eventually(`a delivery that has ${state} after ${attempts} attempts`, async () => {
        const { body: delivery } = await owner("GET", path);
        return delivery.status === state && delivery.attempt_count >= attempts ? delivery : null;
      }),
  };
}

/** Sends a test event, and returns its delivery. */
export async function testEvent(owner: Client, endpoint: Endpoint) {
  const { status, headers, text } = await owner("POST", `${endpoint.path}/deliveries`, {});
  if (status !== 202) throw new Error(`The test event was not accepted: ${text}`);
  return watchDelivery(owner, headers.get("location")!);
}
