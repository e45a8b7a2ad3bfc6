import cors from "cors";
import { Router, type RequestHandler } from "express";
import type { Handlers } from "../contract/contract.ts";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";
import { requireAccepted } from "./accept.ts";
import { authenticate, type Authenticate } from "./authentication.ts";
import { limitLength, readJson, requireMediaType } from "./body.ts";
import { announceDeprecation } from "./deprecation.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import { refuseMethod } from "./method-not-allowed.ts";
import { checkQuery } from "./plain-values.ts";
import { respond, type AnyHandler } from "./respond.ts";
import type { Enforcement } from "./validation/enforcement.ts";

type Boundary = {
  readonly handlers: Handlers;
  readonly enforce: Enforcement;
  readonly verify: Authenticate;
  readonly limits: RateLimits;
  readonly corsOrigins: readonly string[];
  readonly maxUploadBytes: number;
  /** Limits how many requests of an operation are in flight. */
  readonly admit: (operation: Operation) => readonly RequestHandler[];
  /** How long a client may read nothing of a body. */
  readonly stallMs: number;
};

/** Mounts the contract: each operation gets the same chain, in the order of checks that the contract states. */
export function createRouter(operations: readonly Operation[], boundary: Boundary): Router {
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const methods = group
      .map((it) => it.method.toUpperCase())
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    const allowed = [...methods, "OPTIONS"];
    const allowedHeaders = [
      ...new Set(["Authorization", "Content-Type", "X-Request-Id", ...group.flatMap((it) => it.headerParameters)]),
    ];
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ":$1"));
    route.options(
      (_req, res, next) => {
        res.set("Allow", allowed.join(", "));
        next();
      },
      cors({ origin: corsOrigin(boundary.corsOrigins), methods, maxAge: 600, allowedHeaders }),
    );
    for (const operation of group) {
      route[operation.method](
        announceDeprecation(operation),
        requireAccepted(operation),
        authenticate(operation, boundary.verify, boundary.limits),
        ...boundary.admit(operation),
        requireMediaType(operation),
        limitLength(operation, boundary.maxUploadBytes),
        ...(operation.body === JSON_TYPE ? [readJson] : []),
        checkQuery(operation),
        ...boundary.enforce(operation),
        respond(operation, boundary.handlers[operation.id] as AnyHandler, boundary.stallMs),
      );
    }
    route.all(refuseMethod(allowed));
  }
  return router;
}

export const corsOrigin = (origins: readonly string[]) => (origins.includes("*") ? "*" : [...origins]);
