import { Histogram, type Registry } from "prom-client";
import type { StorageFailure } from "../storage/object-store.ts";
import { ATTEMPT_OUTCOMES, type OnAttemptEnd } from "../video-uploads/index.ts";
import { ATTEMPT_RESULTS, type OnDelivery } from "../webhooks/index.ts";
import { counter, gauge } from "./instruments.ts";

/** In seconds, from short clips to hours of video. */
const ATTEMPT_BUCKETS = [1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400];

/** The kinds of failures of the object store itself. The other kinds are caused by a request. */
type StoreFailureKind = Exclude<StorageFailure["kind"], "too_large" | "invalid_key" | "invalid_range">;
const STORE_FAILURES: Readonly<Record<StoreFailureKind, true>> = { unavailable: true, store_full: true, refused: true };
export const isStoreFailure = (kind: string): kind is StoreFailureKind => Object.hasOwn(STORE_FAILURES, kind);

/** The callbacks that count work outside of requests. */
export type WorkRecorder = ReturnType<typeof createWorkMetrics>;

/** Counts attempts at videos and webhook deliveries, uploaded bytes, and failures of shared counts, the object store and the key set. */
export function createWorkMetrics(registry: Registry) {
  const count = (name: string, help: string, label?: string, values?: readonly string[]) =>
    counter(registry, `plumbline_${name}_total`, help, label, values);
  const attempts = count("video_attempts", "Attempts at video jobs that have ended, by outcome.", "outcome", ATTEMPT_OUTCOMES);
  const durations = new Histogram({
    name: "plumbline_video_attempt_duration_seconds",
    help: "How long attempts at video jobs took, by outcome.",
    labelNames: ["outcome"],
    buckets: ATTEMPT_BUCKETS,
    registers: [registry],
  });
  const countedAlone = count(
    "rate_limits_counted_alone",
    "Requests whose rate limit this process counted alone, because the count of all processes failed.",
  );
  const stored = count("upload_bytes", "Bytes of videos that uploads have stored.");
  const storageFailures = count(
    "storage_failures",
    "Uses of the object store that failed because it has no room or does not respond, by kind.",
    "kind",
    Object.keys(STORE_FAILURES),
  );
  const deliveries = count(
    "webhook_attempts",
    "Attempts to send an event to a webhook endpoint, by outcome.",
    "outcome",
    ATTEMPT_RESULTS,
  );
  let webhookDelay = 0;
  gauge(
    registry,
    "plumbline_webhook_delay_seconds",
    "For how long the oldest event has been due whose endpoint isn't paused, as this worker has found it last.",
    (it) => it.set(webhookDelay),
  );
  const onDelivery: OnDelivery = (outcome) => deliveries.inc({ outcome });
  const keysAway = count("key_set_failures", "Fetches of the key set for JWTs that failed.");
  const onAttemptEnd: OnAttemptEnd = (outcome, durationMs) => {
    attempts.inc({ outcome });
    if (durationMs !== undefined) durations.observe({ outcome }, durationMs / 1_000);
  };
  return {
    onAttemptEnd,
    onDelivery,
    /** The age of the oldest due webhook delivery. */
    onWebhookDelay: (seconds: number) => void (webhookDelay = seconds),
    /** Called when a shared rate limit was counted in this process alone. */
    onSharedLimitUnavailable: () => countedAlone.inc(),
    /** Called when bytes of a video were stored. */
    onStored: (bytes: number) => stored.inc(bytes),
    /** Called when the object store is full, does not respond, or refuses this service. */
    onStorageFailure: (kind: StoreFailureKind) => storageFailures.inc({ kind }),
    /** Called when a fetch of the key set failed. */
    onKeySetFailure: () => keysAway.inc(),
  };
}
