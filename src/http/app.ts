import { randomUUID } from "node:crypto";
import cors from "cors";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import helmet from "helmet";
import type { Logger } from "pino";
import { contentTooLarge, Failure } from "../failure.ts";
import { warnOfUntrustedProxy } from "./limits/client-address.ts";
import { createAdmission } from "./limits/admission.ts";
import { createDocuments, type Documents } from "./documents/documents.ts";
import { createEnforcement } from "./validation/enforcement.ts";
import { refuseMalformed } from "./malformed-requests.ts";
import { prefixIn } from "./path-prefix.ts";
import { everyOperation, type Operation } from "../contract/operations.ts";
import { releaseInFlight } from "./limits/in-flight.ts";
import { sendProblem, statusOf } from "./problem.ts";
import { corsOrigin, createRouter, type Boundary } from "./router.ts";

type AppParts = Boundary & {
  readonly documents: Documents;
  /** The operations of the contract in `documents`, if it is not the generated contract. */
  readonly operations?: readonly Operation[];
  readonly log: Logger;
  /** One translator for each layer below. It converts an error of its layer into a failure, and returns null for any other. */
  readonly translators: readonly Translator[];
};

type Translator = (error: unknown) => Failure | null;

/** Creates the HTTP application: the operations of the contract, the documents about them, and the error handler. */
export async function createApp(parts: AppParts): Promise<Express> {
  const { config, log, operations = everyOperation } = parts;
  const { contract } = parts.documents;
  const exposedHeaders = [...new Set(operations.flatMap((it) => it.responseHeaders))];
  const enforce = await createEnforcement(contract, operations);

  const app = express();
  app.disable("x-powered-by");
  // The handlers set the entity tags that the contract declares. Express would hash every body, without need.
  app.set("etag", false);
  // `respond.ts` and `documents.ts` decide about 304. Express would send 304 instead of every 200 if `If-None-Match` is `*`.
  Object.defineProperty(app.request, "fresh", { value: false });
  app.set("trust proxy", config.TRUST_PROXY);
  const prefix = prefixIn(config.PUBLIC_URL);
  app.locals["prefix"] = prefix;

  app.use(identify(contract.info.version, log));
  // Before the checks, because every response has these headers. Without CORS headers, a browser hides a response from scripts.
  app.use(
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { "default-src": ["'none'"], "frame-ancestors": ["'none'"] } },
      crossOriginResourcePolicy: { policy: "cross-origin" },
    }),
  );
  const allowOrigins = cors({ origin: corsOrigin(config), exposedHeaders });
  // The route of the path responds to a preflight.
  app.use((req, res, next) => (req.method === "OPTIONS" ? next() : allowOrigins(req, res, next)));
  if (config.TRUST_PROXY === 0) app.use(warnOfUntrustedProxy(log));
  app.use(refuseMalformed);
  const admission = createAdmission(config);
  app.use(createDocuments(parts.documents, prefix, admission.document));
  app.use(admission.request);
  app.use(createRouter(operations, parts, enforce, admission));
  app.use((req) => {
    throw new Failure(
      "route_not_found",
      `There is nothing at ${req.path.slice(0, 200)}. See ${prefix}/docs for the available paths.`,
    );
  });
  app.use(refuse([requestFailure, ...parts.translators], log));
  return app;
}

/** Sets the id of the request and the version of the contract on each response, and logs the end of each request. */
function identify(version: string, log: Logger): RequestHandler {
  return (req, res, next) => {
    const startedMs = performance.now();
    const requestId = randomUUID();
    res.set({ "X-Request-Id": requestId, "API-Version": version });
    res.once("close", () => {
      const line = {
        request_id: requestId,
        method: req.method,
        path: req.path,
        status: res.statusCode,
        ms: Math.round(performance.now() - startedMs),
        finished: res.writableFinished,
      };
      log.debug(line, "request ended");
    });
    next();
  };
}

/** The failure for an error of Express or its body parser; null for any other error. */
function requestFailure(error: unknown): Failure | null {
  if (error instanceof URIError)
    return new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause: error });
  const { type, limit = 0 } = error as { readonly type?: string; readonly limit?: number };
  switch (type) {
    case "entity.parse.failed":
      return new Failure("malformed_body", "The body is not valid JSON.", { cause: error });
    case "entity.too.large":
      return contentTooLarge("The body", limit);
    case "request.size.invalid":
    case "request.aborted":
      return new Failure("malformed_body", "The body is shorter than its Content-Length says.", { cause: error });
    default:
      return null;
  }
}

/** Converts every error into a response. An unknown error is a defect: it is logged in full, and kept out of the response. */
function refuse(translators: readonly Translator[], log: Logger): ErrorRequestHandler {
  const translated = (error: unknown) => translators.reduce<Failure | null>((found, it) => found ?? it(error), null);
  return (error: unknown, req, res, _next) => {
    const known = error instanceof Failure ? error : translated(error);
    const failure =
      known ??
      new Failure("internal_error", "Something went wrong on our side. Quote the request_id when you ask for help.", {
        cause: error,
      });
    const status = statusOf(failure);
    const line = { request_id: res.getHeader("X-Request-Id"), method: req.method, path: req.path, status, code: failure.code };
    // A client that disconnects while it sends a request is not an error of the service.
    if (req.destroyed && !req.complete) log.info(line, "client closed the request");
    else if (known === null) log.error({ ...line, err: error }, "defect");
    else if (status >= 500) log.warn({ ...line, err: failure.cause }, failure.detail);
    // Only a few bytes remain to be sent, and a slow client may take long to read them.
    releaseInFlight(res);
    sendProblem(req, res, failure);
  };
}
