import type { Logger } from "pino";
import type { EndedRequest, RequestObserver } from "../http/request-observer.ts";

/**
 * Logs one line for each request, or for a share of them and all that fail with 5xx. A health check is logged only when it
 * fails: load balancers send one every second or so, and the metrics count them.
 */
export function createRequestLog(log: Logger, share: number): RequestObserver {
  return {
    begun: () => undefined,
    ended(request) {
      const isFailed = request.status !== null && request.status >= 500;
      const isChosen = share === 1 || isFailed || Math.random() < share;
      if (isChosen && (isFailed || !isHealthCheck(request))) log.info(lineOf(request), "request");
    },
  };
}

const isHealthCheck = ({ operation }: EndedRequest) => operation?.ratePolicy === "none";

/** The fields of a line. None of them can contain a secret, a query or a body. */
const lineOf = (it: EndedRequest) => ({
  operation: it.operation?.id ?? null,
  method: it.method,
  path: it.path,
  status: it.status,
  duration_ms: Math.round(it.durationMs * 10) / 10,
  user: it.userId,
  request_id: it.requestId,
  trace_id: it.traceId,
  client_left: it.hasClientLeft,
});
