import type { Operation } from "../contract/operations.ts";
import type { Failure } from "../failure.ts";

/** The data of a request for log, metrics and traces. The steps that serve the request only write it. */
export type RequestRecord = {
  /** Null for documents, preflights, unknown paths, and requests that are refused before routing. */
  operation: Operation | null;
  userId: string | null;
  /** The reason for a refusal. */
  failure: Failure | null;
  /** Whether the response is stored under the idempotency key. */
  isReplay: boolean;
  /** The bytes of a download that have been sent. */
  sentBytes: number;
  /** The time in a long poll. */
  waitedMs: number;
};

/** The record of a new request. */
export const newRecord = (): RequestRecord => ({
  operation: null,
  userId: null,
  failure: null,
  isReplay: false,
  sentBytes: 0,
  waitedMs: 0,
});

/** The data of an ended request. */
export type EndedRequest = Readonly<RequestRecord> & {
  readonly requestId: string;
  /** Null for bytes that are not an HTTP request. */
  readonly method: string | null;
  /** Without the query, and without an id that is a secret. */
  readonly path: string | null;
  /** Null if the client disconnected before the response began. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly traceId: string | null;
  /** Whether the connection closed before the response was sent in full. */
  readonly hasClientDisconnected: boolean;
};

/** Called for each ended request. It must be fast and must not throw. */
export type OnRequestEnd = (request: EndedRequest) => void;

/** The methods in metrics and spans. Clients can send any other method. */
export const METHODS: ReadonlySet<string | null> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
