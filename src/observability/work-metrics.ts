import { Counter, Histogram, type Registry } from "prom-client";
import type { StorageFailure } from "../storage/object-store.ts";
import { ATTEMPT_OUTCOMES, type OnAttemptEnd } from "../video-uploads/index.ts";

/** In seconds: from a short clip to hours of video. */
const ATTEMPT_BUCKETS = [1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400];

/** The kinds of failures that are those of the object store itself. The others are those of a request. */
type StoreFailureKind = Exclude<StorageFailure["kind"], "too_large" | "invalid_key" | "invalid_range">;
const STORE_FAILURES: Readonly<Record<StoreFailureKind, true>> = { unavailable: true, store_full: true, refused: true };
export const isStoreFailure = (kind: string): kind is StoreFailureKind => Object.hasOwn(STORE_FAILURES, kind);

/** What the work behind the requests tells the metrics. */
export type WorkRecorder = {
  readonly onAttemptEnd: OnAttemptEnd;
  /** A rate limit was counted in this process alone, because the shared count failed. */
  readonly onSharedLimitUnavailable: () => void;
  /** Bytes of a video were stored. */
  readonly onStored: (bytes: number) => void;
  /** The object store has no room, does not respond, or refuses this service. */
  readonly onStorageFailure: (kind: StoreFailureKind) => void;
  /** The key set for JWTs could not be fetched. */
  readonly onKeysAway: () => void;
};

export const NO_RECORDER: WorkRecorder = {
  onAttemptEnd: () => undefined,
  onSharedLimitUnavailable: () => undefined,
  onStored: () => undefined,
  onStorageFailure: () => undefined,
  onKeysAway: () => undefined,
};

/** Counts attempts at videos, uploaded bytes, and what the service has to do without: shared counts, the store, the key set. */
export function createWorkMetrics(registry: Registry): WorkRecorder {
  const registers = [registry];
  const attempts = new Counter({
    name: "plumbline_video_attempts_total",
    help: "Attempts at video jobs that have ended, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "plumbline_video_attempt_duration_seconds",
    help: "How long attempts at video jobs took, by outcome.",
    labelNames: ["outcome"],
    buckets: ATTEMPT_BUCKETS,
    registers,
  });
  const countedAlone = new Counter({
    name: "plumbline_rate_limits_counted_alone_total",
    help: "Requests whose rate limit this process counted alone, because the count of all processes failed.",
    registers,
  });
  const stored = new Counter({
    name: "plumbline_upload_bytes_total",
    help: "Bytes of videos that uploads have stored.",
    registers,
  });
  const storageFailures = new Counter({
    name: "plumbline_storage_failures_total",
    help: "Uses of the object store that failed because it has no room or does not respond, by kind.",
    labelNames: ["kind"],
    registers,
  });
  const keysAway = new Counter({
    name: "plumbline_key_set_failures_total",
    help: "Fetches of the key set for JWTs that failed.",
    registers,
  });
  for (const kind of Object.keys(STORE_FAILURES)) storageFailures.inc({ kind }, 0);
  for (const outcome of ATTEMPT_OUTCOMES) attempts.inc({ outcome }, 0);
  return {
    onAttemptEnd(outcome, durationMs) {
      attempts.inc({ outcome });
      if (durationMs !== undefined) durations.observe({ outcome }, durationMs / 1_000);
    },
    onSharedLimitUnavailable: () => countedAlone.inc(),
    onStored: (bytes) => stored.inc(bytes),
    onStorageFailure: (kind) => storageFailures.inc({ kind }),
    onKeysAway: () => keysAway.inc(),
  };
}
