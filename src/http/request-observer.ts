import type { Operation } from "../contract/operations.ts";
import type { Failure } from "../failure.ts";
import type { RequestSpan } from "../telemetry/telemetry.ts";
import type { Exchange } from "./exchange.ts";
import type { LoggedPath } from "./logged-path.ts";

/** What the log and the metrics learn of a request that has ended. */
export type EndedRequest = {
  readonly requestId: string;
  /** Null for bytes that are not an HTTP request, like the path. */
  readonly method: string | null;
  /** Without the query, and without an id that is a secret. */
  readonly path: string | null;
  /** Null for documents, preflights, unknown paths, and requests that are refused before their operation is known. */
  readonly operation: Operation | null;
  /** Null if the client disconnected before the response began. */
  readonly status: number | null;
  readonly durationMs: number;
  readonly userId: string | null;
  readonly traceId: string | null;
  /** Whether the connection closed before the response was sent in full. */
  readonly hasClientDisconnected: boolean;
  /** Why the request was refused. */
  readonly failure: Failure | null;
  /** Whether the response is the one stored under the idempotency key. */
  readonly isReplay: boolean;
  /** The bytes of a video or an image that were sent. */
  readonly sentBytes: number;
};

/** Is told of each request. It must not throw, and must be fast. */
export type RequestObserver = {
  /** A request has begun. It ends with exactly one call of `ended`. */
  begun(): void;
  ended(request: EndedRequest): void;
};

export const NO_OBSERVER: RequestObserver = { begun: () => undefined, ended: () => undefined };

/** Calls several observers in turn. */
export function observeWithAll(observers: readonly RequestObserver[]): RequestObserver {
  return {
    begun() {
      for (const it of observers) it.begun();
    },
    ended(request) {
      for (const it of observers) it.ended(request);
    },
  };
}

/** Tells the observer that a request begins now, and when it ends. */
export function observe(exchange: Exchange, span: RequestSpan | null, observer: RequestObserver, loggedPath: LoggedPath): void {
  const { req, res, requestId, traceId, record } = exchange;
  const startedMs = performance.now();
  observer.begun();
  res.once("close", () => {
    const ended: EndedRequest = {
      requestId,
      traceId,
      method: req.method,
      path: loggedPath(exchange),
      status: res.headersSent ? res.statusCode : null,
      durationMs: performance.now() - startedMs,
      hasClientDisconnected: !res.writableFinished,
      ...record,
    };
    span?.end(ended);
    observer.ended(ended);
  });
}

/** Tells the observer of a request that was answered before the application saw it. */
export function observeAtOnce(
  observer: RequestObserver,
  it: Pick<EndedRequest, "requestId" | "method" | "path" | "status" | "failure">,
): void {
  observer.begun();
  observer.ended({
    ...it,
    operation: null,
    durationMs: 0,
    userId: null,
    traceId: null,
    hasClientDisconnected: false,
    isReplay: false,
    sentBytes: 0,
  });
}
