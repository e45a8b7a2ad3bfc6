/** Why there is no response. Without details, because users can read it and choose the address. */
export type FailureReason =
  "address_not_allowed" | "name_not_found" | "connection_failed" | "tls_failed" | "timeout" | "response_too_large" | "not_http";

/** How a request ended without a response. */
export type Failure = { readonly kind: "failure"; readonly reason: FailureReason; readonly durationMs: number };

/** A response, even if its body is incomplete: with the status, the receiver has handled the request. */
export type Response = {
  readonly kind: "response";
  readonly status: number;
  /** The `Retry-After` field as received. */
  readonly retryAfter: string | null;
  /** The beginning of the body as text that PostgreSQL can store. */
  readonly excerpt: string;
  readonly durationMs: number;
};

export type Outcome = Failure | Response;

/** Fails an attempt. Its message has no details, because a network error can contain an address or a credential. */
export class EgressFailure extends Error {
  override readonly name = "EgressFailure";
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason);
    this.reason = reason;
  }
}
