import { randomUUIDv7 } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { types } from "node:util";
import express, { type ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { createAdmission } from "../admission/admission.ts";
import { releaseInFlight } from "../admission/in-flight.ts";
import { createUnknownCallers } from "../admission/unknown-callers.ts";
import { Failure } from "../failure.ts";
import { createAddressOf, warnOfUntrustedProxy } from "./client-address.ts";
import { createDocuments, type Documents } from "./documents/documents.ts";
import { createEnforcement } from "./validation/enforcement.ts";
import { exchangeOf, handlerOf, type Exchange } from "./exchange.ts";
import { createHeads } from "./head.ts";
import { refuseMalformed } from "./malformed-requests.ts";
import { prefixIn } from "./path-prefix.ts";
import { everyOperation, type Operation } from "../contract/operations.ts";
import { createLoggedPath } from "./logged-path.ts";
import { sendProblem, statusOf } from "./problem.ts";
import { NO_OBSERVER, observe, type RequestObserver } from "./request-observer.ts";
import { createRouteTable } from "./route-table.ts";
import { corsOrigin, createRouter } from "./router.ts";
import { serveOperation, type Boundary } from "./serve-operation.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { traceIdInHeader } from "./trace-context.ts";

type AppParts = Boundary & {
  readonly documents: Documents;
  /** The operations of the contract in `documents`, if it is not the generated contract. */
  readonly operations?: readonly Operation[];
  readonly log: Logger;
  /** How many requests wait for a connection to the database. */
  readonly databaseBacklog?: () => number;
  /** Is told of each request. */
  readonly observer?: RequestObserver;
  readonly telemetry?: Telemetry | null;
  /** One translator for each layer below. It converts an error of its layer into a failure, and returns null for any other. */
  readonly translators: readonly Translator[];
};

type Translator = (error: unknown) => Failure | null;

/** A request target that Express would not change: ASCII without a fragment. */
const USUAL_TARGET = /^\/[!-"$-~]*$/;

/**
 * Creates the HTTP application. It finds the operation of a request in a table, and calls the one function that serves it.
 * Express gets all other requests: documents about the API, preflights, unknown paths and methods, and unusual targets.
 */
export async function createApp(parts: AppParts): Promise<RequestListener> {
  const { config, log, operations = everyOperation, observer = NO_OBSERVER, telemetry = null } = parts;
  const { contract } = parts.documents;
  const app = express();
  app.disable("x-powered-by");
  app.set("trust proxy", config.TRUST_PROXY);
  const prefix = prefixIn(config.PUBLIC_URL);
  const exposedHeaders = [...new Set(operations.flatMap((it) => it.responseHeaders))];
  const headFor = createHeads(contract.info.version, corsOrigin(config), exposedHeaders);
  const loggedPath = createLoggedPath(operations);
  const refuse = createRefusal([uriFailure, ...parts.translators], prefix, log, loggedPath);
  const addressOf = createAddressOf(app);
  const admission = createAdmission(config, parts.databaseBacklog ?? (() => 0));
  const enforce = createEnforcement(contract, operations);
  const unknownCallers = createUnknownCallers(config);
  const shared = { ...parts, prefix, admission, addressOf, unknownCallers, enforce, refuse };
  const serving = new Map(operations.map((it) => [it, serveOperation(it, shared)]));
  const serveOf = (operation: Operation) => serving.get(operation)!;
  const routeOf = createRouteTable(operations, serveOf);
  const warn = config.TRUST_PROXY === 0 ? warnOfUntrustedProxy(log) : () => undefined;

  app.use((req, res, next) => {
    const search = req.url.replace(/#.*/s, "").split("?").slice(1).join("?");
    Object.assign(exchangeOf(res), { path: req.path, search });
    next();
  });
  app.use(
    createDocuments(
      parts.documents,
      prefix,
      handlerOf(({ req, res }) => admission.document(addressOf(req), res)),
    ),
  );
  app.use(createRouter(operations, config, serveOf));
  app.use((req) => {
    throw new Failure(
      "route_not_found",
      `There is nothing at ${req.path.slice(0, 200)}. See ${prefix}/docs for the available paths.`,
    );
  });
  app.use(((error, _req, res, _next) => refuse(exchangeOf(res), error)) satisfies ErrorRequestHandler);

  return (req, res) => {
    const exchange = begin(req, res);
    if (exchange.span === null) serve(exchange);
    else exchange.span.run(() => serve(exchange));
  };

  function serve(exchange: Exchange): void {
    const { req } = exchange;
    try {
      warn(req);
      refuseMalformed(exchange);
      const route = USUAL_TARGET.test(req.url!) ? routeOf(req.method!, exchange.path) : null;
      if (route === null) serveByExpress(exchange);
      else route.target(exchange, route.path);
    } catch (error) {
      // A small body is usually in the packet of the headers. Once it is parsed, the connection need not close.
      setImmediate(refuse, exchange, error);
    }
  }

  function begin(req: IncomingMessage, res: ServerResponse): Exchange {
    const { url = "" } = req;
    const end = url.indexOf("?");
    const [path, search] = end === -1 ? [url, ""] : [url.slice(0, end), url.slice(end + 1)];
    const requestId = randomUUIDv7();
    const [always, head] = [headFor(req), { "X-Request-Id": requestId }];
    const span = telemetry?.beginRequest(req) ?? null;
    const exchange: Exchange = {
      req,
      res,
      requestId,
      traceId: span?.traceId ?? traceIdInHeader(req),
      span,
      always,
      head,
      path,
      search,
      operation: null,
      principal: undefined,
      failure: null,
      isReplay: false,
      sentBytes: 0,
      isBodyWanted: false,
    };
    observe(exchange, observer, loggedPath);
    return exchange;
  }

  function serveByExpress(exchange: Exchange): void {
    const { req, res, always, head } = exchange;
    for (const [name, value] of Object.entries({ ...always, ...head })) res.setHeader(name, value);
    void app(req, Object.assign(res, { locals: { exchange } }));
  }
}

/** The failure for a path that Express cannot decode; null for any other error. */
function uriFailure(error: unknown): Failure | null {
  if (!(error instanceof URIError)) return null;
  return new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause: error });
}

/** Converts every error into a response. An unknown error is a defect: it is logged in full, and kept out of the response. */
function createRefusal(
  translators: readonly Translator[],
  prefix: string,
  log: Logger,
  loggedPath: ReturnType<typeof createLoggedPath>,
) {
  const translated = (error: unknown) => translators.reduce<Failure | null>((found, it) => found ?? it(error), null);
  const refuse = (exchange: Exchange, thrown: unknown): void => {
    const error = types.isNativeError(thrown) ? thrown : new Error("A value that is not an error was thrown.", { cause: thrown });
    const known = error instanceof Failure ? error : translated(error);
    const failure =
      known ??
      new Failure("internal_error", "Something went wrong on our side. Quote the request_id when you ask for help.", {
        cause: error,
      });
    const { req, res, requestId } = exchange;
    const status = statusOf(failure);
    exchange.failure = failure;
    const line = { request_id: requestId, method: req.method, path: loggedPath(exchange), status, code: failure.code };
    // A client that disconnects while it sends a request is not an error of the service.
    if (req.destroyed && !req.complete) log.debug(line, "the client left while it sent the request");
    else if (known === null) log.error({ ...line, err: error }, "defect");
    // A request that a limit refuses has its line as every request. Another one for each would cost more than the refusal.
    else if (status >= 500 && failure.data.limit === undefined) log.warn({ ...line, err: failure.cause }, failure.detail);
    // Only a few bytes remain to be sent, and a slow client may take long to read them.
    releaseInFlight(res);
    sendProblem(exchange, failure, prefix);
  };
  return (exchange: Exchange, thrown: unknown): void => {
    try {
      refuse(exchange, thrown);
    } catch (error) {
      // Without a response, the client must at least not wait for one, and the process must not end.
      log.error({ request_id: exchange.requestId, err: error }, "defect in an error response");
      exchange.res.destroy();
    }
  };
}
