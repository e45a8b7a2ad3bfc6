/** Why there is no response. None of them says more, because a stranger chose the address and may read this. */
export type FailureReason =
  "address_not_allowed" | "name_not_found" | "connection_failed" | "tls_failed" | "timeout" | "response_too_large" | "not_http";

/** How a request ended without a response. */
export type Failure = { readonly kind: "failure"; readonly reason: FailureReason; readonly durationMs: number };

/** A response, even if the rest of it didn't arrive: the receiver has answered, and to send the request again would not change that. */
export type Response = {
  readonly kind: "response";
  readonly status: number;
  /** The field `Retry-After` as it was received. */
  readonly retryAfter: string | null;
  /** The beginning of the body as text that PostgreSQL can store. */
  readonly excerpt: string;
  readonly durationMs: number;
};

/** What became of a request. */
export type Outcome = Failure | Response;

/** Ends an attempt. Its message is only the reason, because an error of the network can contain an address or a credential. */
export class EgressFailure extends Error {
  override readonly name = "EgressFailure";
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason);
    this.reason = reason;
  }
}
