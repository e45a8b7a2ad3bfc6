import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { IN_FLIGHT_LIMITS } from "../admission/admission.ts";
import { UNKNOWN_CALLER_LIMITS } from "../admission/unknown-callers.ts";
import { RATE_LIMIT_NAMES } from "../settings/values.ts";
import type { EndedRequest, RequestObserver } from "../http/request-observer.ts";
import { ResponseMismatch } from "../http/validation/response-mismatch.ts";
import type { Failure } from "../failure.ts";

/** Methods with a label of their own. All others share one, because a client can send any name. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** In seconds: from a read out of memory to an upload of minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** Counts requests: by operation, method and status, in flight, refused by a limit, replayed, and downloaded bytes. */
export function createRequestMetrics(registry: Registry, openRequests: () => number): RequestObserver {
  const countTimed = createTimedCount(registry);
  const countRefusal = createRefusalCounts(registry);
  const count = (name: string, help: string) => new Counter({ name, help, registers: [registry] });
  new Gauge({
    name: "plumbline_http_requests_in_flight",
    help: "Requests that have begun and not ended.",
    registers: [registry],
    collect() {
      this.set(openRequests());
    },
  });
  const replays = count(
    "plumbline_idempotency_replays_total",
    "Retries that returned the response stored under their idempotency key.",
  );
  const disconnected = count(
    "plumbline_http_clients_left_total",
    "Requests whose connection closed before the response was sent in full.",
  );
  const sent = count(
    "plumbline_download_bytes_total",
    "Bytes of videos and images sent to clients, counted when the request ends.",
  );
  return {
    begun: () => undefined,
    ended(request) {
      countTimed(request);
      if (request.failure !== null) countRefusal(request.failure);
      if (request.hasClientDisconnected) disconnected.inc();
      if (request.isReplay) replays.inc();
      if (request.sentBytes > 0) sent.inc(request.sentBytes);
    },
  };
}

function createTimedCount(registry: Registry): (request: EndedRequest) => void {
  const requests = new Counter({
    name: "plumbline_http_requests_total",
    help: "Requests that have ended. Documents and unknown paths have no operation; a response that never began has no status.",
    labelNames: ["operation", "method", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "plumbline_http_request_duration_seconds",
    help: "Time from the head of a request to the end of its response, by class of status.",
    labelNames: ["operation", "method", "status_class"],
    buckets: BUCKETS,
    registers: [registry],
  });
  return ({ operation: found, method: given, status, durationMs }) => {
    const operation = found?.id ?? "none";
    const method = given !== null && METHODS.has(given) ? given : "other";
    requests.inc({ operation, method, status: status ?? "none" });
    const status_class = status === null ? "none" : `${Math.floor(status / 100)}xx`;
    durations.observe({ operation, method, status_class }, durationMs / 1_000);
  };
}

function createRefusalCounts(registry: Registry): (failure: Failure) => void {
  const registers = [registry];
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
  const mismatches = new Counter({
    name: "plumbline_response_validation_failures_total",
    help: "Responses that did not match the contract and were replaced by 500: defects of the service.",
    registers,
  });
  // A counter that begins at its first event hides that event from rate() and increase().
  for (const limit of [...IN_FLIGHT_LIMITS, ...UNKNOWN_CALLER_LIMITS]) shed.inc({ limit }, 0);
  for (const policy of RATE_LIMIT_NAMES) rateLimited.inc({ policy }, 0);
  return ({ data: { limit }, cause }) => {
    if (limit?.on === "requests in flight") shed.inc({ limit: limit.name });
    if (limit?.on === "rate") rateLimited.inc({ policy: limit.name });
    if (cause instanceof ResponseMismatch) mismatches.inc();
  };
}
