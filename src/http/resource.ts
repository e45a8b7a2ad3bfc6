import cors, { type CorsOptions } from "cors";
import type { RequestHandler, Router } from "express";
import type { Operation } from "../contract/operations.ts";
import { Failure } from "../failure.ts";

/** The handlers of each method, in order. The handlers of GET also serve HEAD. */
type Methods = Readonly<Partial<Record<Operation["method"], readonly RequestHandler[]>>>;

/** Mounts the methods of a path, OPTIONS with the response to a CORS preflight, and 405 for all other methods. */
export function mountResource(router: Router, path: string, handlers: Methods, preflight: CorsOptions): void {
  const route = router.route(path);
  for (const [method, chain] of Object.entries(handlers)) route[method as Operation["method"]](...chain);
  const methods = Object.keys(handlers).flatMap((it) => (it === "get" ? ["GET", "HEAD"] : [it.toUpperCase()]));
  const allowed = [...methods, "OPTIONS"];
  route.options(
    (_req, res, next) => {
      res.set("Allow", allowed.join(", "));
      next();
    },
    cors({ methods, ...preflight }),
  );
  route.all((req) => {
    const detail = `${req.method} is not supported here. Supported methods: ${allowed.join(", ")}.`;
    throw new Failure("method_not_allowed", detail, { methods: allowed });
  });
}
