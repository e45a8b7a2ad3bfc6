import { randomUUIDv7 } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Express } from "express";
import { operations } from "#generated/operations.ts";
import type { Config } from "../config.ts";
import { everyOperation } from "../contract/operations.ts";
import { Failure } from "../failure.ts";
import { openPort } from "../util/open-port.ts";
import { manageConnections, QUIET_MS } from "./connections.ts";
import { createCommonHeaders, type ResponseHeaders } from "./common-headers.ts";
import { createMessageClasses } from "./message-classes.ts";
import { prefixIn } from "./path-prefix.ts";
import { problemHeaders, problemOf, statusOf } from "./problem.ts";
import { NO_OBSERVER, observeEnded, type RequestObserver } from "./request-observer.ts";
import { sendText } from "./send-text.ts";

const HEADERS_TIMEOUT_MS = 5_000;
/** Longer than the idle timeout of common load balancers, so that they close connections first. */
const KEEP_ALIVE_MS = 65_000;

/** The dependencies of responses without the application. */
type ResponseContext = {
  readonly version: string;
  readonly prefix: string;
  readonly observer: RequestObserver;
  readonly commonHeaders: ReturnType<typeof createCommonHeaders>;
};

/**
 * Opens the port. Requests that Node refuses also return a problem. `observer` gets requests that do not reach the application. Throws a
 * StartupError if the port cannot be opened.
 */
export async function listen(config: Config, version: string, observer: RequestObserver = NO_OBSERVER) {
  const { HOST: host, PORT: port, quietMs = QUIET_MS } = config;
  const commonHeaders = createCommonHeaders(config, version, everyOperation);
  const context = { version, prefix: prefixIn(config.PUBLIC_URL), observer, commonHeaders };
  const { classes, adopt } = createMessageClasses();
  const server = createServer({
    ...classes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // This timeout would also abort large uploads with progress. Reading a body has its own timeout.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16 * 1024,
    // Node would return 400 without a body; malformed-requests.ts returns a problem.
    requireHostHeader: false,
  });
  // RFC 9110, 10.1.1: `sendContinue` sends `100 Continue` later, so that clients send no body that is refused.
  server.on("checkContinue", (req, res) => server.emit("request", req, res));
  // A server can ignore other expectations. Node would return 417 without a body.
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
  let handle: RequestListener = (req, res) => respondWhileStarting(req, res, context);
  const connections = manageConnections(server, config.IDLE_TIMEOUT_SECONDS * 1_000, quietMs, (req, res) => handle(req, res));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    // A second response would be read as a part of the first.
    else if (connections.hasBegunResponse(socket)) socket.destroySoon();
    else refuseUnparsed(error, socket, context);
  });
  const opened = await openPort(server, host, port, (code) =>
    code === "EADDRINUSE"
      ? `Port ${port} of ${host} is taken; stop what listens there or set PORT.`
      : `Cannot listen on ${host}, port ${port} (${code}).`,
  );
  return {
    port: opened,
    /** Lets the application serve all requests from now on. */
    serve(app: Express): void {
      adopt(app);
      // Express calls `next` for a request target without a path.
      handle = (req, res) => app(req as never, res as never, () => sendPlain(req, res, unparsedFailure(undefined), context));
    },
    ...connections,
  };
}

/** Sends a problem for a request that Node's parser refuses, which never reaches Express. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, context: ResponseContext): void {
  const failure = unparsedFailure(error.code);
  const { requestId, status, headers, body } = plainResponse({ headers: {} }, failure, context);
  observeEnded(context.observer, { requestId, method: null, path: null, status, failure });
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Responds during the start: 503, but 200 to a liveness check. */
function respondWhileStarting(req: IncomingMessage, res: ServerResponse, context: ResponseContext): void {
  const isLivenessCheck =
    (req.method === "GET" || req.method === "HEAD") && req.url?.split("?")[0] === operations.getLiveness.path;
  const starting = new Failure("unavailable", "The service is starting.", { retryAfterSeconds: 1 });
  sendPlain(req, res, isLivenessCheck ? null : starting, context);
}

function sendPlain(req: IncomingMessage, res: ServerResponse, failure: Failure | null, context: ResponseContext): void {
  const { requestId, status, headers, body } = plainResponse(req, failure, context);
  // The path is not logged, because it is not validated.
  observeEnded(context.observer, { requestId, method: req.method!, path: "*", status, failure });
  sendText({ req, res, common: null }, status, headers, body);
}

/** A complete response without Express: a problem, or the liveness of the process if `failure` is null. */
function plainResponse(
  req: Pick<IncomingMessage, "headers">,
  failure: Failure | null,
  { version, prefix, commonHeaders }: ResponseContext,
) {
  const requestId = randomUUIDv7();
  const body = JSON.stringify(
    failure === null ? { status: "pass", version, service_version: version } : problemOf(failure, requestId, prefix),
  );
  const headers: ResponseHeaders = {
    ...commonHeaders(req).headers,
    "Content-Type": `application/${failure === null ? "json" : "problem+json"}; charset=utf-8`,
    "X-Request-Id": requestId,
    "Cache-Control": "no-store",
    Connection: "close",
    ...(failure && problemHeaders(failure)),
  };
  return { requestId, status: failure === null ? 200 : statusOf(failure), headers, body };
}

function unparsedFailure(code: string | undefined): Failure {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Failure("headers_too_large", "The request line and headers are larger than 16 KiB.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Failure("request_timeout", "The request did not arrive in time.");
  return new Failure("malformed_request", "This is not an HTTP/1.1 request.");
}
