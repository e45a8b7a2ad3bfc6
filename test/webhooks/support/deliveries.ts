import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import type { Endpoint } from "../../support/receiver.ts";
import type { TestService } from "../../support/service.ts";

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
