import type { Schemas } from "../contract/contract.ts";
import type { DeliveryRow, EndpointRow } from "./store.ts";

/** Whether an endpoint gets events, and whether they arrive. */
export function statusOf({ disabledBecause, failingSince }: { disabledBecause: string | null; failingSince: unknown }) {
  if (disabledBecause !== null) return "disabled";
  return failingSince !== null ? "failing" : "active";
}

/** The response to a creation, without `paused_until`: idempotency keys store it, and release 1.2.0 validates what it replays. */
export function toNewEndpoint(row: EndpointRow): Schemas["WebhookEndpoint"] {
  const { previousSecretUntil: until } = row;
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: [...row.events],
    scopes: [...row.scopes],
    status: statusOf(row),
    disabled_because: row.disabledBecause,
    failing_since: row.failingSince,
    previous_secret_expires_at: isFuture(until) ? until : null,
    created_at: row.createdAt,
  };
}

export const toEndpoint = (row: EndpointRow): Schemas["WebhookEndpoint"] => ({
  ...toNewEndpoint(row),
  paused_until: row.failures > 0 && isFuture(row.resumeAt) ? row.resumeAt : null,
});

const isFuture = (instant: string | null): boolean => instant !== null && new Date(instant) > new Date();

/** The later of two instants: when the delivery is ready, and when the pause ends. RFC 3339 in UTC sorts as text. */
function nextAttemptAt({ nextAttemptAt, delayedUntil, ignoresPause, resumeAt }: DeliveryRow): string | null {
  const at = nextAttemptAt ?? delayedUntil;
  if (at === null || ignoresPause || resumeAt === null) return at;
  return at > resumeAt ? at : resumeAt;
}

/** The only event without text of other users. A receiver that echoes it returns none. */
const TEST_EVENT = "webhook_endpoint.tested";

/** The beginning of a response, to store and to show. Null for events that can contain text of other users. */
export const excerptFor = (event: string, excerpt: string | null): string | null => (event === TEST_EVENT ? excerpt : null);

export function toDelivery(row: DeliveryRow): Schemas["WebhookDelivery"] {
  return {
    id: row.id,
    endpoint_id: row.endpointId,
    event: row.event,
    status: row.status,
    attempt_count: row.attempts,
    next_attempt_at: nextAttemptAt(row),
    attempted_at: row.attemptedAt,
    response_status: row.responseStatus,
    // A process of the previous version may have stored an excerpt for any event.
    response_excerpt: excerptFor(row.event, row.responseBody),
    failure: row.failure,
    created_at: row.createdAt,
  };
}
