/**
 * How attempts end. `moved`: to the lane of longer videos. `lost`: deleted, taken over or broken off. `interrupted`: the worker of
 * the last attempt has died.
 */
export const ATTEMPT_OUTCOMES = [
  "succeeded",
  "failed",
  "retried",
  "moved",
  "postponed",
  "stopped",
  "lost",
  "interrupted",
] as const;
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];
export type OnAttemptEnd = (outcome: AttemptOutcome, durationMs?: number) => void;
