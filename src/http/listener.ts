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
import { NO_OBSERVER, observeAtOnce, type RequestObserver } from "./request-observer.ts";
import { sendText } from "./send-text.ts";

const HEADERS_TIMEOUT_MS = 5_000;
/** Longer than the idle timeout of common load balancers, so that they close connections first. */
const KEEP_ALIVE_MS = 65_000;

/** What the responses need that no application makes: the version of the contract, the prefix of links, and who is told. */
type About = {
  readonly version: string;
  readonly prefix: string;
  readonly observer: RequestObserver;
  readonly commonHeaders: ReturnType<typeof createCommonHeaders>;
};

/**
 * Opens the port. Requests that Node refuses also return a problem. The observer is told of requests that the application does
 * not see. Throws a StartupError if the port cannot be opened.
 */
export async function listen(config: Config, version: string, observer: RequestObserver = NO_OBSERVER) {
  const { HOST: host, PORT: port, quietMs = QUIET_MS } = config;
  const commonHeaders = createCommonHeaders(config, version, everyOperation);
  const about = { version, prefix: prefixIn(config.PUBLIC_URL), observer, commonHeaders };
  const { classes, adopt } = createMessageClasses();
  const server = createServer({
    ...classes,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // This timeout would also abort large uploads that make progress. The code that reads a body has its own time limit.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16 * 1024,
    // Node would return 400 without a body; malformed-requests.ts returns a problem.
    requireHostHeader: false,
  });
  // RFC 9110, 10.1.1: a client need not send a body that is refused. `askForBody` sends `100 Continue`.
  server.on("checkContinue", (req, res) => server.emit("request", req, res));
  // A server can ignore other expectations. Node would return 417 without a body.
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
  let handle: RequestListener = (req, res) => respondWhileStarting(req, res, about);
  const connections = manageConnections(server, config.IDLE_TIMEOUT_SECONDS * 1_000, quietMs, (req, res) => handle(req, res));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) socket.destroy();
    // The client would read a second response as part of the one that has begun.
    else if (connections.hasBegunResponse(socket)) socket.destroySoon();
    else refuseUnparsed(error, socket, about);
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
      // Express passes on a request target without a path, for which it would otherwise send an error page.
      handle = (req, res) => app(req as never, res as never, () => sendPlain(req, res, unparsedFailure(undefined), about));
    },
    ...connections,
  };
}

/** Sends a problem for a request that Node's parser refuses, because the request never reaches Express. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, about: About): void {
  const failure = unparsedFailure(error.code);
  const { requestId, status, headers, body } = plainAnswer({ headers: {} }, failure, about);
  observeAtOnce(about.observer, { requestId, method: null, path: null, status, failure });
  const lines = Object.entries({ ...headers, "Content-Length": Buffer.byteLength(body) }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

/** Responds while the service starts: 503, but 200 to a liveness check, because the process is running. */
function respondWhileStarting(req: IncomingMessage, res: ServerResponse, about: About): void {
  const isLivenessAsked =
    (req.method === "GET" || req.method === "HEAD") && req.url?.split("?")[0] === operations.getLiveness.path;
  const starting = new Failure("unavailable", "The service is starting.", { retryAfterSeconds: 1 });
  sendPlain(req, res, isLivenessAsked ? null : starting, about);
}

function sendPlain(req: IncomingMessage, res: ServerResponse, failure: Failure | null, about: About): void {
  const { requestId, status, headers, body } = plainAnswer(req, failure, about);
  // Nothing is known of the path, which can contain anything.
  observeAtOnce(about.observer, { requestId, method: req.method!, path: "*", status, failure });
  sendText(req, res, status, headers, body);
}

/** A complete response without Express: a problem, or the liveness of the process if `failure` is null. */
function plainAnswer(
  req: Pick<IncomingMessage, "method" | "headers">,
  failure: Failure | null,
  { version, prefix, commonHeaders }: About,
) {
  const requestId = randomUUIDv7();
  const body = JSON.stringify(
    failure === null ? { status: "pass", version, service_version: version } : problemOf(failure, requestId, prefix),
  );
  const headers: ResponseHeaders = {
    ...commonHeaders(req),
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
