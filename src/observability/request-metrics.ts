import { Counter, Histogram, type Registry } from "prom-client";
import { IN_FLIGHT_LIMITS } from "../limits/admission.ts";
import { UNVERIFIED_CREDENTIAL_LIMITS } from "../limits/unverified-credentials.ts";
import { RATE_LIMIT_NAMES } from "../settings/values.ts";
import { METHODS, type OnRequestEnd } from "../telemetry/request-record.ts";
import { ResponseMismatch } from "../http/validation/response-mismatch.ts";
import type { Failure } from "../failure.ts";
import { counter, gauge } from "./instruments.ts";

/** In seconds, from cached reads to uploads of minutes. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** Counts requests by operation, method and status, requests in flight, refusals, replays, and downloaded bytes. */
export function createRequestMetrics(registry: Registry, openRequests: () => number): OnRequestEnd {
  const countTimed = createTimedCount(registry);
  const countRefusal = createRefusalCounts(registry);
  const count = (name: string, help: string) => counter(registry, `plumbline_${name}_total`, help);
  const replays = count("idempotency_replays", "Retries that returned the response stored under their idempotency key.");
  const disconnected = count("http_clients_left", "Requests whose connection closed before the response was sent in full.");
  const sent = count("download_bytes", "Bytes of videos and images sent to clients, counted when the request ends.");
  gauge(registry, "plumbline_http_requests_in_flight", "Requests that have begun and not ended.", (it) => it.set(openRequests()));
  return (request) => {
    countTimed(request);
    if (request.failure !== null) countRefusal(request.failure);
    if (request.hasClientDisconnected) disconnected.inc();
    if (request.isReplay) replays.inc();
    if (request.sentBytes > 0) sent.inc(request.sentBytes);
  };
}

function createTimedCount(registry: Registry): OnRequestEnd {
  const requests = new Counter({
    name: "plumbline_http_requests_total",
    help: "Requests that have ended. Documents and unknown paths have no operation; a response that never began has no status.",
    labelNames: ["operation", "method", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "plumbline_http_request_duration_seconds",
    help: "Time from the head of a request to the end of its response, by class of status, without the time that `wait` took.",
    labelNames: ["operation", "method", "status_class"],
    buckets: BUCKETS,
    registers: [registry],
  });
  return ({ operation: found, method: sent, status, durationMs, waitedMs }) => {
    const operation = found?.id ?? "none";
    const method = METHODS.has(sent) ? sent! : "other";
    requests.inc({ operation, method, status: status ?? "none" });
    const status_class = status === null ? "none" : `${Math.floor(status / 100)}xx`;
    durations.observe({ operation, method, status_class }, (durationMs - waitedMs) / 1_000);
  };
}

function createRefusalCounts(registry: Registry): (failure: Failure) => void {
  const shed = counter(
    registry,
    "plumbline_http_requests_shed_total",
    "Requests refused with 503 or 429 because too many are in flight, by limit.",
    "limit",
    [...IN_FLIGHT_LIMITS, ...UNVERIFIED_CREDENTIAL_LIMITS],
  );
  const rateLimited = counter(
    registry,
    "plumbline_rate_limit_refusals_total",
    "Requests refused with 429 by a rate limit, by policy.",
    "policy",
    RATE_LIMIT_NAMES,
  );
  const mismatches = counter(
    registry,
    "plumbline_response_validation_failures_total",
    "Responses that did not match the contract and were replaced by 500: defects of the service.",
  );
  return ({ data: { limit }, cause }) => {
    if (limit?.on === "requests in flight") shed.inc({ limit: limit.name });
    if (limit?.on === "rate") rateLimited.inc({ policy: limit.name });
    if (cause instanceof ResponseMismatch) mismatches.inc();
  };
}
