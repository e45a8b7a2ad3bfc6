import type { NextFunction, RequestHandler } from "express";
import { types } from "node:util";
import type { Config } from "../config.ts";
import type { Operation } from "../contract/operations.ts";
import { originsIn } from "./common-headers.ts";
import type { Exchange } from "./exchange.ts";
import { createOtherMethods } from "./other-methods.ts";
import { createRouteTable } from "./route-table.ts";
import type { Serve } from "./serve-operation.ts";

/** The request headers that a page can send to every path. */
const ALWAYS_ALLOWED = ["Authorization", "Content-Type", "X-Request-Id", "Consistency-Token"];
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/** What serves each method of a path, and what handles all other methods. */
type Resource = { readonly served: ReadonlyMap<string, Serve>; readonly others: RequestHandler };

/** Creates the function that lets the operation of a request serve it, or calls `next` if the contract lacks its path. */
export function createRouter(operations: readonly Operation[], config: Config, serveOf: (operation: Operation) => Serve) {
  const routeOf = createRouteTable(operations, (group): Resource => {
    const served = new Map(group.map((it) => [it.method.toUpperCase(), serveOf(it)]));
    const ofGet = served.get("GET");
    if (ofGet !== undefined) served.set("HEAD", ofGet);
    const allowedHeaders = [...new Set([...ALWAYS_ALLOWED, ...group.flatMap((it) => it.headerParameters)])];
    const cors = { origins: originsIn(config), maxAgeSeconds: PREFLIGHT_MAX_AGE_SECONDS, allowedHeaders };
    return {
      served,
      others: createOtherMethods(
        group.map(({ method }) => method),
        cors,
      ),
    };
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

/** Express gives some values that are not errors a meaning of their own. */
const errorOf = (thrown: unknown): Error =>
  types.isNativeError(thrown) ? thrown : new Error("A value that is not an error was thrown.", { cause: thrown });
