import type { Operations, Schemas } from "../contract/contract.ts";
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

/** A client asks again when the next attempt can have ended, at most a minute later. */
const POLL_MAX_SECONDS = 60;

function pollingHeaders({ status, next_attempt_at: next }: Schemas["WebhookDelivery"]) {
  if (status !== "pending") return null;
  const leftSeconds = next === null ? 0 : Math.ceil((Date.parse(next) - Date.now()) / 1_000);
  return { "Retry-After": Math.min(Math.max(leftSeconds, POLL_SECONDS), POLL_MAX_SECONDS) };
}

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

    async createWebhookSecret(input) {
      const { userId } = input.principal;
      const { endpoint_id: id } = input.path;
      // Access is checked before the key.
      await service.readEndpoint(pool, userId, id);
      return once(db, input, async (tx) => {
        const { secret, until } = await service.rotateSecret(tx, userId, id);
        const headers = { Location: `/webhook-endpoints/${id}` };
        return { status: 201, headers, body: { secret, previous_secret_expires_at: until } } as const;
      });
    },

    ...deliveryHandlers(parts),
  };
}

type DeliveryOperation = "listWebhookDeliveries" | "getWebhookDelivery" | "createWebhookDelivery" | "createWebhookAttempt";

function deliveryHandlers({ db, pool, cursors }: WebhookDependencies): Pick<Operations<"Webhooks">, DeliveryOperation> {
  return {
    async listWebhookDeliveries(input) {
      const pageRequest = parsePage(cursors, input, BY_CREATION, "desc");
      const rows = await service.readDeliveries(pool, input, input.query.status, pageRequest);
      return { status: 200, body: page(pageRequest, rows, toDelivery) };
    },

    async getWebhookDelivery(input) {
      const body = toDelivery(await service.readDelivery(pool, input));
      const headers = pollingHeaders(body);
      return { status: 200, ...(headers === null ? {} : { headers }), body };
    },

    async createWebhookDelivery(input) {
      await service.readEndpoint(pool, input.principal.userId, input.path.endpoint_id);
      return once(db, input, async (tx) => accepted(await service.sendTest(tx, input)));
    },

    async createWebhookAttempt(input) {
      await service.readDelivery(pool, input);
      return once(db, input, async (tx) => accepted(await service.redeliver(tx, input)));
    },
  };
}
