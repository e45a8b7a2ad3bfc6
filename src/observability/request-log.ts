import { pino, type DestinationStream, type Logger } from "pino";
import type { EndedRequest, OnRequestEnd } from "../telemetry/request-record.ts";

const INFO = 30;
/** Printable ASCII that JSON does not escape. */
const NEEDS_NO_ESCAPE = /^[ !#-[\]-~]*$/;

/** Logs one line for each request, or for a share of the requests and all with 5xx. Health checks are logged only if they fail. */
export function createRequestLog(log: Logger, share: number): OnRequestEnd {
  const stream = (log as unknown as Record<symbol, DestinationStream & { lastLevel?: number }>)[pino.symbols.streamSym]!;
  return (request) => {
    const isFailed = request.status !== null && request.status >= 500;
    const isChosen = share === 1 || isFailed || Math.random() < share;
    if (!isChosen || (isHealthCheck(request) && !isFailed)) return;
    stream.lastLevel = INFO;
    stream.write(lineOf(request));
  };
}

const isHealthCheck = ({ operation }: EndedRequest) => operation?.ratePolicy === "none";

/**
 * The line of a request in the format of pino, which takes three times as long. No field can contain a secret, a query or a body, and only
 * method and path come from the client.
 */
function lineOf(it: EndedRequest): string {
  const operation = it.operation === null ? "null" : `"${it.operation.id}"`;
  const user = it.userId === null ? "null" : `"${it.userId}"`;
  const trace = it.traceId === null ? "null" : `"${it.traceId}"`;
  const [durationMs, waitedMs] = [tenths(it.durationMs), tenths(it.waitedMs)];
  return `{"level":${INFO},"time":${Date.now()},"operation":${operation},"method":${quoted(it.method)},"path":${quoted(it.path)},"status":${it.status},"duration_ms":${durationMs},"waited_ms":${waitedMs},"user":${user},"request_id":"${it.requestId}","trace_id":${trace},"client_left":${it.hasClientDisconnected},"msg":"request"}\n`;
}

const tenths = (ms: number) => Math.round(ms * 10) / 10;

const quoted = (text: string | null) => (text !== null && NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text));
