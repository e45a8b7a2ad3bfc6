import { Router, type RequestHandler } from "express";
import type { Config } from "../config.ts";
import type { Handlers } from "../contract/contract.ts";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";
import { requireAccepted } from "./accept.ts";
import { authenticate, type Authenticate } from "./authentication.ts";
import { limitLength, readJson, requireMediaType } from "./body.ts";
import { announceDeprecation } from "./deprecation.ts";
import type { Admission } from "./limits/admission.ts";
import type { RateLimits } from "./limits/rate-limits.ts";
import { checkQuery } from "./plain-values.ts";
import { mountResource } from "./resource.ts";
import { respond, type AnyHandler } from "./respond.ts";
import type { Enforcement } from "./validation/enforcement.ts";

/** The dependencies of the operations, in addition to the contract. */
export type Boundary = {
  readonly config: Config;
  readonly handlers: Handlers;
  readonly verify: Authenticate;
  readonly limits: RateLimits;
};

/** Mounts the operations. Each has the same chain of handlers, in the order of checks that the contract documents. */
export function createRouter(
  operations: readonly Operation[],
  { config, handlers, verify, limits }: Boundary,
  enforce: Enforcement,
  admission: Admission,
): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const chainOf = (operation: Operation): readonly RequestHandler[] => [
    announceDeprecation(operation),
    requireAccepted(operation),
    authenticate(operation, verify, limits),
    ...admission.operation(operation),
    requireMediaType(operation),
    limitLength(operation, config.MAX_UPLOAD_BYTES),
    ...(operation.body === JSON_TYPE ? [readJson] : []),
    checkQuery(operation),
    ...enforce(operation),
    respond(operation, handlers[operation.id] as AnyHandler),
  ];
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const allowedHeaders = [
      ...new Set(["Authorization", "Content-Type", "X-Request-Id", ...group.flatMap((it) => it.headerParameters)]),
    ];
    const chains = Object.fromEntries(group.map((it) => [it.method, chainOf(it)]));
    const preflight = { origin: corsOrigin(config), maxAge: 600, allowedHeaders };
    mountResource(router, path.replaceAll(/\{(\w+)\}/g, ":$1"), chains, preflight);
  }
  return router;
}

export const corsOrigin = ({ CORS_ORIGINS: origins }: Config) => (origins.includes("*") ? "*" : origins);
