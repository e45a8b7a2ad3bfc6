import type { Schemas } from "../contract/contract.ts";
import type { DeliveryRow, EndpointRow } from "./store.ts";

/** Maps each field explicitly, so that a secret is never sent by accident. */
export function toEndpoint(row: EndpointRow): Schemas["WebhookEndpoint"] {
  const { previousSecretUntil: until } = row;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: [...row.events],
    scopes: [...row.scopes],
    status: row.disabledBecause !== null ? "disabled" : row.failingSince !== null ? "failing" : "active",
    disabled_because: row.disabledBecause,
    failing_since: row.failingSince,
    previous_secret_expires_at: until !== null && new Date(until) > new Date() ? until : null,
    created_at: row.createdAt,
  };
}

export function toDelivery(row: DeliveryRow): Schemas["WebhookDelivery"] {
  return {
    id: row.id,
    endpoint_id: row.endpointId,
    event: row.event,
    status: row.status,
    attempt_count: row.attempts,
    next_attempt_at: row.nextAttemptAt,
    attempted_at: row.attemptedAt,
    response_status: row.responseStatus,
    response_excerpt: row.responseBody,
    failure: row.failure,
    created_at: row.createdAt,
  };
}
