/** What the clients of a fault run have seen. All times are of `performance.now()` in one process. */

/** A response with which the service has acknowledged a write. */
export type Acknowledgement = { readonly id: string; readonly status: number; readonly text: string };

/** A write with one idempotency key, and all its retries. Its mark is a text that no other write stores. */
export type Write = {
  readonly mark: string;
  readonly startedMs: number;
  /** When the first acknowledgement arrived; null if none did. */
  acknowledgedMs: number | null;
  /** The first acknowledgement, and those of later requests with the same key. */
  readonly acknowledgements: Acknowledgement[];
};

/** A row at the end of the run. */
export type Row = { readonly mark: string; readonly id: string };
export type MessageRow = Row & { readonly sequence: number; readonly senderId: string };
export type JobRow = Row & { readonly status: string };

/** A page of messages in ascending order. `after` is the sequence that it continues, or null if it is the newest page. */
export type Read = {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly after: number | null;
  /** Whether the service said that there was no newer message. */
  readonly reachesEnd: boolean;
  readonly items: readonly { readonly sequence: number; readonly id: string }[];
};

/** The state of a video job in one response. The observations of a job are in the order of their requests. */
export type Observation = {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly percent: number;
};

/** A notification of one user. `subject` is the conversation or upload whose events it counts. */
export type Notice = {
  readonly userId: string;
  readonly kind: string;
  readonly subject: string;
  readonly resource: string;
  readonly count: number;
  readonly isRead: boolean;
};
