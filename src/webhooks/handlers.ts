import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { once } from "../idempotency/idempotency.ts";
import type { Dependents } from "../jobs/dependents.ts";
import type { Cursors } from "../pagination/cursor.ts";
import { parsePage, page } from "../pagination/list.ts";
import * as service from "./service.ts";
import { findEndpoints, type DeliveryRow } from "./store.ts";
import { toDelivery, toEndpoint, toNewEndpoint } from "./wire.ts";

type WebhookDependencies = Connections & service.EndpointRules & { readonly cursors: Cursors; readonly dependents: Dependents };

/** Usually the first attempt is done by then. */
const POLL_SECONDS = 1;

const accepted = (row: DeliveryRow) => {
  const Location = `/webhook-endpoints/${row.endpointId}/deliveries/${row.id}`;
  return { status: 202, headers: { Location, "Retry-After": POLL_SECONDS }, body: toDelivery(row) } as const;
};

export function webhookHandlers(parts: WebhookDependencies): Operations<"Webhooks"> {
  const { db, pool, cursors } = parts;
  return {
    createWebhookEndpoint: async (input) => {
      service.checkCreation(input);
      return once(db, input, async (tx) => {
        const { endpoint, secret } = await service.createEndpoint(tx, parts, input);
        const headers = { Location: `/webhook-endpoints/${endpoint.id}` };
        return { status: 201, headers, body: { endpoint: toNewEndpoint(endpoint), secret } } as const;
      });
    },

    async listWebhookEndpoints(input) {
      const pageRequest = parsePage(cursors, input, BY_CREATION, "desc");
      const rows = await findEndpoints(pool, pageRequest, { ownerId: input.principal.userId });
      return { status: 200, body: page(pageRequest, rows, toEndpoint) };
    },

    async getWebhookEndpoint({ principal, path }) {
      return { status: 200, body: toEndpoint(await service.readEndpoint(pool, principal.userId, path.endpoint_id)) };
    },

    async updateWebhookEndpoint(input) {
      return { status: 200, body: toEndpoint(await service.changeEndpoint(db, parts, input)) };
    },

    async deleteWebhookEndpoint({ principal, path }) {
      await service.deleteEndpoint(parts, principal.userId, path.endpoint_id);
      return { status: 204 };
    },

    async createWebhookSecret({ principal, path: { endpoint_id: id } }) {
      const { secret, until } = await service.rotateSecret(db, principal.userId, id);
      const body = { secret, previous_secret_expires_at: until };
      return { status: 201, headers: { Location: `/webhook-endpoints/${id}` }, body };
    },

    async listWebhookDeliveries(input) {
      const pageRequest = parsePage(cursors, input, BY_CREATION, "desc");
      const rows = await service.readDeliveries(pool, input, input.query.status, pageRequest);
      return { status: 200, body: page(pageRequest, rows, toDelivery) };
    },

    async getWebhookDelivery(input) {
      return { status: 200, body: toDelivery(await service.readDelivery(pool, input)) };
    },

    createWebhookDelivery: async (input) => accepted(await service.sendTest(db, input)),

    createWebhookAttempt: async (input) => accepted(await service.redeliver(db, input)),
  };
}
