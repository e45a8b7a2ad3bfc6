import type { RequestSpan } from "../telemetry/telemetry.ts";
import { newRecord, type EndedRequest, type OnRequestEnd } from "../telemetry/request-record.ts";
import type { Exchange } from "./exchange.ts";
import type { LoggedPath } from "./logged-path.ts";

/** Is told of each request. It must not throw, and must be fast. */
export type RequestObserver = {
  /** A request has begun. It ends with exactly one call of `ended`. */
  begun(): void;
  readonly ended: OnRequestEnd;
};

export const NO_OBSERVER: RequestObserver = { begun: () => undefined, ended: () => undefined };

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
  observer.ended({ ...newRecord(), durationMs: 0, traceId: null, hasClientDisconnected: false, ...it });
}
