import type { Operation } from "../contract/operations.ts";
import type { Failure } from "../failure.ts";

/** What the log, the metrics and the traces learn of a request while it is served. The steps that serve it don't read it. */
export type RequestRecord = {
  /** Null until the operation is known, and so for documents, preflights, unknown paths, and requests refused before that. */
  operation: Operation | null;
  userId: string | null;
  /** The reason for a refusal. */
  failure: Failure | null;
  /** Whether the response is the one stored under the idempotency key. */
  isReplay: boolean;
  /** The bytes of a download that have been sent. */
  sentBytes: number;
  /** How long it has waited for something new, because the client has asked for it. */
  waitedMs: number;
};

/** The record of a request that begins. */
export const newRecord = (): RequestRecord => ({
  operation: null,
  userId: null,
  failure: null,
  isReplay: false,
  sentBytes: 0,
  waitedMs: 0,
});

/** What they learn of a request that has ended. */
export type EndedRequest = Readonly<RequestRecord> & {
  readonly requestId: string;
  /** Null for bytes that are not an HTTP request, like the path. */
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

/** Is told of each request that has ended. It must not throw, and must be fast. */
export type OnRequestEnd = (request: EndedRequest) => void;

/** Methods with a name of their own in metrics and spans. A client can send any other. */
export const METHODS: ReadonlySet<string | null> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
