/** The receiver returned 2xx, or another status, or no response; or the service could not make the event. */
export const ATTEMPT_RESULTS = ["succeeded", "refused", "unreachable", "defect"] as const;

export type AttemptResult = {
  readonly kind: (typeof ATTEMPT_RESULTS)[number];
  readonly durationMs: number;
  /** The status of the response, if there was one. */
  readonly status?: number;
  /** The delay that the receiver asks for. */
  readonly retryAfterSeconds?: number;
};

/** Called after each attempt. */
export type OnDelivery = (outcome: AttemptResult["kind"]) => void;
