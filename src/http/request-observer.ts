import type { RequestSpan } from "../telemetry/telemetry.ts";
import { newRecord, type EndedRequest, type OnRequestEnd } from "../telemetry/request-record.ts";
import type { Exchange } from "./exchange.ts";
import type { LoggedPath } from "./logged-path.ts";

/** Called for each request. It must be fast and must not throw. */
export type RequestObserver = {
  /** A request has begun. It ends with exactly one call of `ended`. */
  begun(): void;
  readonly ended: OnRequestEnd;
};

export const NO_OBSERVER: RequestObserver = { begun: () => undefined, ended: () => undefined };

/** Reports the beginning and the end of a request to the observer. */
export function observe(exchange: Exchange, span: RequestSpan | null, observer: RequestObserver, loggedPath: LoggedPath): void {
  const { req, res, requestId, traceId, record } = exchange;
  const startedMs = performance.now();
  observer.begun();
  res.on("close", () => {
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

/** Reports a request that ended before it reached the application. */
export function observeEnded(
  observer: RequestObserver,
  it: Pick<EndedRequest, "requestId" | "method" | "path" | "status" | "failure">,
): void {
  observer.begun();
  observer.ended({ ...newRecord(), durationMs: 0, traceId: null, hasClientDisconnected: false, ...it });
}
