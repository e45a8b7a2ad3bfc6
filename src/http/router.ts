import { Router, type RequestHandler } from "express";
import type { Config } from "../config.ts";
import type { Operation } from "../contract/operations.ts";
import { exchangeOf } from "./exchange.ts";
import { mountResource } from "./resource.ts";
import type { Serve } from "./serve-operation.ts";

/** The request headers that a page can send to every path. */
const ALWAYS_ALLOWED = ["Authorization", "Content-Type", "X-Request-Id", "Consistency-Token"];

/** Mounts the operations for the requests that `route-table.ts` leaves to Express: preflights, 405, and unusual targets. */
export function createRouter(operations: readonly Operation[], config: Config, serveOf: (operation: Operation) => Serve): Router {
  const router = Router({ strict: true, caseSensitive: true });
  for (const [path, group] of Map.groupBy(operations, (it) => it.path)) {
    const allowedHeaders = [...new Set([...ALWAYS_ALLOWED, ...group.flatMap((it) => it.headerParameters)])];
    const preflight = { origin: corsOrigin(config), maxAge: 600, allowedHeaders };
    const handlerOf = (serve: Serve): RequestHandler => {
      return (req, res) => serve(exchangeOf(res), req.params as Record<string, string>);
    };
    const handlers = Object.fromEntries(group.map((it) => [it.method, [handlerOf(serveOf(it))]]));
    mountResource(router, path.replaceAll(/\{(\w+)\}/g, ":$1"), handlers, preflight);
  }
  return router;
}

export const corsOrigin = ({ CORS_ORIGINS: origins }: Config) => (origins.includes("*") ? "*" : origins);
