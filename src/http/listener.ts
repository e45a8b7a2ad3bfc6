import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { operations } from "#generated/operations.ts";
import type { Config } from "../config.ts";
import { Failure } from "../failure.ts";
import { StartupError } from "../startup-error.ts";
import { answerInTurn } from "./connections.ts";
import { prefixIn } from "./path-prefix.ts";
import { problemHeaders, problemOf, statusOf } from "./problem.ts";

const HEADERS_TIMEOUT_MS = 5_000;
/** Above the idle time-out of the usual load balancers, so that they close connections first. */
const KEEP_ALIVE_MS = 65_000;

/** What every answer says of the service: the version of its contract, and the prefix of its links. */
type About = { readonly version: string; readonly prefix: string };

/** Listens, with Node's own refusals in the same form as all others; a StartupError says why it cannot. */
export async function listen(config: Config, version: string) {
  const { HOST: host, PORT: port } = config;
  const about = { version, prefix: prefixIn(config.PUBLIC_URL) };
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Node would cut honest large uploads; bodies have time limits of their own where they are read.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: 16 * 1024,
    // Node would refuse it without a word; malformed-requests.ts does so with a problem.
    requireHostHeader: false,
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => refuseUnparsed(error, socket as Socket, about));
  // RFC 9110, 10.1.1: a body that will be refused need not be sent; the body readers ask for it.
  server.on("checkContinue", (req, res) => server.emit("request", req, res));
  // What else is expected may be ignored; Node would answer 417 without a word.
  server.on("checkExpectation", (req, res) => server.emit("request", req, res));
  let answer: RequestListener = (req, res) => answerStarting(req, res, about);
  const connections = answerInTurn(server, config.IDLE_TIMEOUT_SECONDS * 1_000, (req, res) => {
    if (hasPath(req.url)) answer(req, res);
    else sendPlain(req, res, plainAnswer(unparsedFailure(undefined), about));
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE")
      throw new StartupError(`Port ${port} of ${host} is taken; stop what listens there or set PORT.`, { cause: error });
    throw new StartupError(`Cannot listen on ${host}, port ${port} (${code ?? "unknown error"}).`, { cause: error });
  }
  return {
    port: (server.address() as AddressInfo).port,
    /** From now on requests are answered by this. */
    serve(listener: RequestListener): void {
      answer = listener;
    },
    ...connections,
  };
}

/** Node's own mark of the answer that a connection is busy with; Node decides the same way without a listener. */
type Answering = Socket & { readonly _httpMessage?: { readonly headersSent: boolean } | null };

/** What Node's parser refuses never reaches Express; it gets the same kind of answer. */
function refuseUnparsed(error: NodeJS.ErrnoException, socket: Socket, about: About): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  // An answer that has begun is all that this connection will carry: a second one would be read as part of it.
  if ((socket as Answering)._httpMessage?.headersSent) return socket.destroySoon();
  const { status, headers, body } = plainAnswer(unparsedFailure(error.code), about);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\r\n")}\r\n\r\n${body}`,
  );
}

/** The port is open before the service can work, so that a taken one is found first; the process runs already. */
function answerStarting(req: IncomingMessage, res: ServerResponse, about: About): void {
  const isLivenessAsked =
    (req.method === "GET" || req.method === "HEAD") && req.url?.split("?")[0] === operations.getLiveness.path;
  const starting = new Failure("unavailable", "The service is starting.", { retryAfterSeconds: 1 });
  sendPlain(req, res, plainAnswer(isLivenessAsked ? null : starting, about));
}

/** Whether a request target has a path. Without one, Express would send a page of its own. */
const hasPath = (target = "") => target.startsWith("/") || target === "*" || URL.parse(target)?.pathname.startsWith("/") === true;

const sendPlain = (req: IncomingMessage, res: ServerResponse, { status, headers, body }: ReturnType<typeof plainAnswer>) =>
  void res.writeHead(status, headers).end(req.method === "HEAD" ? undefined : body);

/** A whole answer, for when there is no Express to make one: a refusal, or that the process runs. */
function plainAnswer(failure: Failure | null, { version, prefix }: About) {
  const requestId = randomUUID();
  const body = JSON.stringify(failure === null ? { status: "pass", version } : problemOf(failure, requestId, prefix));
  const headers = {
    "Content-Type": `application/${failure === null ? "json" : "problem+json"}; charset=utf-8`,
    "Content-Length": Buffer.byteLength(body),
    "X-Request-Id": requestId,
    "API-Version": version,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none';frame-ancestors 'none'",
    Connection: "close",
    ...(failure && problemHeaders(failure)),
  };
  return { status: failure === null ? 200 : statusOf(failure), headers, body };
}

function unparsedFailure(code: string | undefined): Failure {
  if (code === "HPE_HEADER_OVERFLOW")
    return new Failure("headers_too_large", "The request line and headers are larger than 16 KiB.");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new Failure("request_timeout", "The request did not arrive in time.");
  return new Failure("malformed_request", "This is not an HTTP/1.1 request.");
}
