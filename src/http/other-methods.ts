import type { RequestHandler } from "express";
import { Failure } from "../failure.ts";
import { preflight, type CorsPolicy } from "./cors.ts";

/** Handles the requests for a resource that none of its methods serves: OPTIONS, which can be a CORS preflight, and 405. */
export function createOtherMethods(served: readonly string[], cors: Omit<CorsPolicy, "methods">): RequestHandler {
  const methods = served.flatMap((it) => (it === "get" ? ["GET", "HEAD"] : [it.toUpperCase()]));
  const allowed = [...methods, "OPTIONS"];
  const respond = preflight({ methods, ...cors });
  return (req, res, next) => {
    if (req.method === "OPTIONS") return respond(req, res.set("Allow", allowed.join(", ")), next);
    const detail = `${req.method} is not supported here. Supported methods: ${allowed.join(", ")}.`;
    throw new Failure("method_not_allowed", detail, { methods: allowed });
  };
}
