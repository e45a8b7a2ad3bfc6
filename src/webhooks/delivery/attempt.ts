import type { Logger } from "pino";
import type { EventBody, EventType } from "../../contract/contract.ts";
import type { Senders } from "../../contract/events.ts";
import type { Connections } from "../../database/client.ts";
import type { Egress } from "../egress/egress.ts";
import type { Outcome } from "../egress/outcome.ts";
import type { DueDelivery, EndpointRow } from "../store.ts";
import * as store from "../store.ts";
import { retrySeconds } from "./backoff.ts";
import type { AttemptEnd, OnDelivery } from "./ends.ts";
import { signedHeaders } from "./sign.ts";

/** What the delivery of events needs. */
export type DeliveryParts = Connections & {
  readonly log: Logger;
  readonly egress: Egress;
  readonly senders: Senders<Connections>;
  /** Throws an error if the contract doesn't describe this event. */
  readonly checkEvent: (type: EventType, body: unknown) => void;
  readonly onDelivery: OnDelivery;
};

/** The status by which a receiver says that it wants no more events (Standard Webhooks). */
const GONE = 410;

/** Makes, signs and sends an event, and records how that ended. */
export async function attempt(
  parts: DeliveryParts,
  endpoint: EndpointRow,
  delivery: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptEnd> {
  const outcome = await send(parts, endpoint, delivery, signal);
  const end = endOf(outcome);
  await record(parts, delivery, outcome, end.kind === "succeeded");
  if (outcome.kind === "response" && outcome.status === GONE) await disable(parts, endpoint, "gone");
  parts.onDelivery(end.kind);
  return end;
}

type Result = Outcome | { readonly kind: "defect"; readonly durationMs: number };

async function send(parts: DeliveryParts, endpoint: EndpointRow, delivery: DueDelivery, signal: AbortSignal): Promise<Result> {
  let body: string;
  try {
    body = JSON.stringify(await eventOf(parts, endpoint, delivery));
  } catch (error) {
    // A defect of this version, or a database that is away: the event doesn't leave, and a later attempt can succeed.
    parts.log.error({ err: error, delivery_id: delivery.id, event: delivery.event }, "an event could not be made");
    return { kind: "defect", durationMs: 0 };
  }
  const headers = signedHeaders(endpoint, delivery.id, body);
  return parts.egress.send({ url: endpoint.url, headers, body, signal });
}

/** The event as the contract describes it. */
async function eventOf(parts: DeliveryParts, { scopes }: EndpointRow, delivery: DueDelivery): Promise<EventBody<EventType>> {
  const type = delivery.event as EventType;
  const sender = parts.senders[type];
  const mayRead = sender.scope !== null && scopes.includes(sender.scope);
  const data = await sender.data(parts, { ownerId: delivery.ownerId, ids: delivery.data, mayRead });
  const event = { type, timestamp: delivery.createdAt, data } as EventBody<EventType>;
  parts.checkEvent(type, event);
  return event;
}

function endOf(outcome: Result): AttemptEnd {
  const { durationMs } = outcome;
  if (outcome.kind === "failure") return { kind: "unreachable", durationMs };
  if (outcome.kind === "defect") return { kind: "defect", durationMs };
  return { kind: outcome.status >= 200 && outcome.status < 300 ? "succeeded" : "refused", durationMs };
}

async function record({ pool }: DeliveryParts, delivery: DueDelivery, outcome: Result, isSuccess: boolean): Promise<void> {
  const { ownerId, id, attempts } = delivery;
  const seconds = retrySeconds(attempts + 1);
  const isLast = isSuccess || Date.now() + seconds * 1_000 >= new Date(delivery.expiresAt).getTime();
  const response = outcome.kind === "response" ? outcome : null;
  await store.recordAttempt(pool, {
    ...{ ownerId, id, attempts },
    status: isSuccess ? "succeeded" : isLast ? "failed" : "pending",
    retrySeconds: isLast ? null : seconds,
    responseStatus: response?.status ?? null,
    responseBody: response?.excerpt ?? null,
    failure: outcome.kind === "failure" ? outcome.reason : outcome.kind === "defect" ? "internal_error" : null,
  });
}

const WHY = {
  failing: "It has not accepted an event for 5 days. Enable it again when your receiver works.",
  gone: "Your receiver has answered with 410 Gone. Enable it again if you want further events.",
} as const;

/** Disables an endpoint, and notifies its owner in the same statement. */
export async function disable({ pool, log }: Pick<DeliveryParts, "pool" | "log">, { id }: EndpointRow, reason: keyof typeof WHY) {
  const disabled = await store.disableEndpoint(pool, { id, reason, body: WHY[reason] });
  if (disabled !== null) log.warn({ endpoint_id: id, reason }, "a webhook endpoint was disabled");
}
