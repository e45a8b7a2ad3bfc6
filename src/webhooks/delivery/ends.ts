/** How an attempt can end: the receiver took it, answered with something else, or did not answer, or the event could not be made. */
export const ATTEMPT_ENDS = ["succeeded", "refused", "unreachable", "defect"] as const;

export type AttemptEnd = {
  readonly kind: (typeof ATTEMPT_ENDS)[number];
  readonly durationMs: number;
  /** The status of the response; left out without one. */
  readonly status?: number;
  /** For how long the receiver asks to be left alone. */
  readonly retryAfterSeconds?: number;
};

/** Is called with the end of each attempt. */
export type OnDelivery = (outcome: AttemptEnd["kind"]) => void;
