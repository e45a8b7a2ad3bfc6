import { Counter, Gauge, type Registry } from "prom-client";
import { IN_FLIGHT_LIMITS } from "../admission/admission.ts";
import { UNKNOWN_CALLER_LIMITS } from "../admission/unknown-callers.ts";
import { RATE_LIMIT_NAMES } from "../settings/values.ts";
import type { EndedRequest, RequestObserver } from "../http/request-observer.ts";
import { ResponseMismatch } from "../http/validation/response-mismatch.ts";
import { createTallies } from "./tallies.ts";

/** Methods with a label of their own. All others share one, because a client can send any name. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Counts requests: by operation, method and status, in flight, refused by a limit, replayed, and downloaded bytes. */
export function createRequestMetrics(registry: Registry, openRequests: () => number): RequestObserver {
  const registers = [registry];
  const tally = createTallies(registry);
  new Gauge({
    name: "plumbline_http_requests_in_flight",
    help: "Requests that have begun and not ended.",
    registers,
    collect() {
      this.set(openRequests());
    },
  });
  const shed = new Counter({
    name: "plumbline_http_requests_shed_total",
    help: "Requests refused with 503 or 429 because too many are in flight, by limit.",
    labelNames: ["limit"],
    registers,
  });
  const rateLimited = new Counter({
    name: "plumbline_rate_limit_refusals_total",
    help: "Requests refused with 429 by a rate limit, by policy.",
    labelNames: ["policy"],
    registers,
  });
  const replays = new Counter({
    name: "plumbline_idempotency_replays_total",
    help: "Retries that returned the response stored under their idempotency key.",
    registers,
  });
  const mismatches = new Counter({
    name: "plumbline_response_validation_failures_total",
    help: "Responses that did not match the contract and were replaced by 500: defects of the service.",
    registers,
  });
  const left = new Counter({
    name: "plumbline_http_clients_left_total",
    help: "Requests whose connection closed before the response was sent in full.",
    registers,
  });
  const sent = new Counter({
    name: "plumbline_download_bytes_total",
    help: "Bytes of videos and images sent to clients, counted when the request ends.",
    registers,
  });
  // A counter that begins at its first event hides that event from rate() and increase().
  for (const limit of [...IN_FLIGHT_LIMITS, ...UNKNOWN_CALLER_LIMITS]) shed.inc({ limit }, 0);
  for (const policy of RATE_LIMIT_NAMES) rateLimited.inc({ policy }, 0);

  function countRefusal({ data: { limit }, cause }: NonNullable<EndedRequest["failure"]>): void {
    if (limit?.on === "requests in flight") shed.inc({ limit: limit.name });
    if (limit?.on === "rate") rateLimited.inc({ policy: limit.name });
    if (cause instanceof ResponseMismatch) mismatches.inc();
  }

  return {
    begun: () => undefined,
    ended({ operation, method, status, durationMs, failure, hasClientLeft, isReplay, sentBytes }) {
      tally(operation, method !== null && METHODS.has(method) ? method : "other", status, durationMs);
      if (failure !== null) countRefusal(failure);
      if (hasClientLeft) left.inc();
      if (isReplay) replays.inc();
      if (sentBytes > 0) sent.inc(sentBytes);
    },
  };
}
