import express, { type ErrorRequestHandler, type Express } from "express";
import type { Logger } from "pino";
import { createAdmission } from "../limits/admission.ts";
import { limitUnverifiedCredentials } from "../limits/unverified-credentials.ts";
import { everyOperation, type Operation } from "../contract/operations.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { WatchSemaphore } from "../util/semaphore.ts";
import { createAddressOf, warnOfUntrustedProxy } from "./client-address.ts";
import { createDocuments, type Documents } from "./documents/documents.ts";
import { createExchanges, type Exchange } from "./exchange.ts";
import { createLoggedPath } from "./logged-path.ts";
import { refuseMalformed } from "./malformed-requests.ts";
import { acceptLines } from "./node-internals.ts";
import { createUnknownPaths } from "./other-methods.ts";
import { prefixIn } from "./path-prefix.ts";
import { createRefusal, type Translator } from "./refuse.ts";
import { NO_OBSERVER, observe, type RequestObserver } from "./request-observer.ts";
import { createRouter } from "./router.ts";
import { serveOperation, type OperationDeps } from "./serve-operation.ts";
import { createEnforcement } from "./validation/enforcement.ts";

type AppDeps = OperationDeps & {
  readonly documents: Documents;
  /** The operations of `documents.contract`, if it is not the generated contract. */
  readonly operations?: readonly Operation[];
  readonly log: Logger;
  /** How many requests wait for a connection to the database. */
  readonly databaseBacklog?: () => number;
  /** The value of `Upload-Limit` for an upload that has not begun. */
  readonly uploadLimit: string;
  /** Adds semaphores to the metrics. */
  readonly watchSemaphore?: WatchSemaphore;
  /** Called for each request. */
  readonly observer?: RequestObserver;
  readonly telemetry?: Telemetry | null;
  /** Each converts the errors of one layer into failures, and returns null for other errors. */
  readonly translators: readonly Translator[];
};

/** Creates the Express application. Its middlewares serve the operations of the contract, then the documents, and refuse all other paths. */
export async function createApp(deps: AppDeps): Promise<Express> {
  const { config, documents, log, uploadLimit, operations = everyOperation, observer = NO_OBSERVER, telemetry = null } = deps;
  const { contract } = documents;
  const app = express();
  app.disable("x-powered-by");
  acceptLines(app.response);
  app.set("trust proxy", config.TRUST_PROXY);
  const prefix = prefixIn(config.PUBLIC_URL);
  const loggedPath = createLoggedPath(operations);
  const begin = createExchanges(config, contract.info.version, operations);
  const warn = config.TRUST_PROXY === 0 ? warnOfUntrustedProxy(log) : () => undefined;
  const addressOf = createAddressOf();
  const admission = createAdmission(config, deps.databaseBacklog ?? (() => 0), deps.watchSemaphore);
  const unverifiedCredentials = limitUnverifiedCredentials(config, deps.watchSemaphore);
  const enforce = createEnforcement(contract, operations);
  const shared = { ...deps, prefix, addressOf, admission, unverifiedCredentials, enforce };
  const route = createRouter(operations, (operation) => serveOperation(operation, shared), uploadLimit);
  const refuse = createRefusal(deps.translators, { prefix, uploadLimit }, log, loggedPath);

  app.use((req, res, next) => {
    const span = telemetry?.beginRequest(req) ?? null;
    const exchange = begin(req, res, span);
    res.locals["exchange"] = exchange;
    observe(exchange, span, observer, loggedPath);
    const enter = () => {
      warn(req);
      refuseMalformed(req, res);
      route(exchange, next);
    };
    if (span === null) enter();
    else span.run(enter);
  });
  app.use(createDocuments(documents, prefix, (req, res, next) => void (admission.document(addressOf(req), res) && next())));
  app.use(createUnknownPaths(operations, prefix));
  // Deferred, because a small body usually arrives with the headers. Once it is parsed, the connection can stay open.
  const refuseSoon: ErrorRequestHandler = (error: Error, _req, res, _next) =>
    void setImmediate(refuse, res.locals["exchange"] as Exchange, error);
  app.use(refuseSoon);
  return app;
}
