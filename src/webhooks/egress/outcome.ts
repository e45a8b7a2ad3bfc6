/** Why there is no response. None of them says more, because a stranger chose the address and may read this. */
export type FailureReason =
  "address_not_allowed" | "name_not_found" | "connection_failed" | "tls_failed" | "timeout" | "response_too_large" | "not_http";

/**
 * What became of a request. With a status it is a response, even if the rest of the response didn't arrive: the receiver has
 * answered, and to send it again would not change that.
 */
export type Outcome =
  | {
      readonly kind: "response";
      readonly status: number;
      /** The beginning of the body as text that PostgreSQL can store. */
      readonly excerpt: string;
      readonly durationMs: number;
    }
  | { readonly kind: "failure"; readonly reason: FailureReason; readonly durationMs: number };

/** Ends an attempt. Its message is only the reason, because an error of the network can contain an address or a credential. */
export class EgressFailure extends Error {
  override readonly name = "EgressFailure";
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(reason);
    this.reason = reason;
  }
}

/** A promise that fails as soon as the signal aborts, for what can't be cancelled. */
export async function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  // If the signal wins, nobody else waits for the promise, and its failure would end the process.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
