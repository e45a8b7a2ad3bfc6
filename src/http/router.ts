import type { NextFunction, RequestHandler } from "express";
import { types } from "node:util";
import type { Config } from "../config.ts";
import type { Operation } from "../contract/operations.ts";
import { Failure } from "../failure.ts";
import { originsIn } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { createOtherMethods } from "./other-methods.ts";
import type { Serve } from "./serve-operation.ts";

/** The request headers that a browser can send to every path. */
const ALWAYS_ALLOWED = ["Authorization", "Content-Type", "X-Request-Id", "Consistency-Token"];
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** The handlers of a path of the contract, by method, and of all other methods. */
type Resource = { readonly pattern: RegExp; readonly served: ReadonlyMap<string, Serve>; readonly others: RequestHandler };
/** A matched resource, and the decoded path parameters. */
type Route = { readonly resource: Resource; readonly path: Record<string, string> };

/** Creates the function that routes a request to its operation, or calls `next` for an unknown path. */
export function createRouter(operations: readonly Operation[], config: Config, serveOf: (operation: Operation) => Serve) {
  const routeOf = createRouteTable(operations, (path, group): Resource => {
    const served = new Map(group.map((it) => [it.method.toUpperCase(), serveOf(it)]));
    const ofGet = served.get("GET");
    if (ofGet !== undefined) served.set("HEAD", ofGet);
    const allowedHeaders = [...new Set([...ALWAYS_ALLOWED, ...group.flatMap((it) => it.headerParameters)])];
    const cors = { origins: originsIn(config), maxAgeSeconds: PREFLIGHT_MAX_AGE_SECONDS, allowedHeaders };
    const methods = group.map(({ method }) => method);
    return { pattern: patternOf(path), served, others: createOtherMethods(methods, cors) };
  });
  return (exchange: Exchange, next: NextFunction): void => {
    const { req, res } = exchange;
    const route = routeOf(exchange.path);
    const serve = route?.resource.served.get(req.method);
    if (serve !== undefined) return void serve(exchange, route!.path).catch((thrown: unknown) => next(errorOf(thrown)));
    res.set(exchange.headers);
    if (route === null) next();
    else route.resource.others(req, res, next);
  };
}

/**
 * Matches paths of requests to the paths of the contract. A parameter is one segment that is not empty. Case, slashes and percent-encoding
 * are not normalized.
 */
function createRouteTable(
  operations: readonly Operation[],
  resourceOf: (path: string, group: readonly Operation[]) => Resource,
): (path: string) => Route | null {
  const fixed = new Map<string, Resource>();
  /** By the number of segments. */
  const patterns: Resource[][] = [];
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    if (!path.includes("{")) fixed.set(path, resourceOf(path, group));
    else (patterns[segmentsOf(path)] ??= []).push(resourceOf(path, group));
  }
  /** Null for an unknown path. Throws a failure if a parameter cannot be decoded. */
  return (path) => {
    const known = fixed.get(path);
    if (known !== undefined) return { resource: known, path: {} };
    for (const resource of patterns[segmentsOf(path)] ?? []) {
      const match = resource.pattern.exec(path);
      if (match !== null) return { resource, path: path.includes("%") ? decoded(match.groups!) : match.groups! };
    }
    return null;
  };
}

const patternOf = (path: string) => new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);

function decoded(path: Readonly<Record<string, string>>): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(path).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch (cause) {
    throw new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause });
  }
}

const segmentsOf = (path: string): number => path.split("/").length;

/** Wraps values that are not errors, because Express interprets some of them, such as `"route"`. */
const errorOf = (thrown: unknown): Error =>
  types.isNativeError(thrown) ? thrown : new Error("A value that is not an error was thrown.", { cause: thrown });
