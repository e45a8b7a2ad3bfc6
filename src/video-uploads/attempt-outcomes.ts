/**
 * `moved`: to a later lane. `lost`: deleted, or another attempt has taken over. `interrupted`: the worker of the last attempt has
 * died.
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
