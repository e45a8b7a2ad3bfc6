import type { RequestHandler } from "express";
import { Failure } from "../failure.ts";
import { corsHeaders, type Origins } from "./common-headers.ts";

/** Which cross-origin requests to a path a browser can send. */
type CorsPolicy = {
  readonly origins: Origins;
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAgeSeconds?: number;
};

/** Responds to a CORS preflight (Fetch, 3.3.2). */
function preflight({ origins, methods, allowedHeaders, maxAgeSeconds }: CorsPolicy): RequestHandler {
  const policy = {
    "Access-Control-Allow-Methods": methods.join(","),
    ...(allowedHeaders.length > 0 ? { "Access-Control-Allow-Headers": allowedHeaders.join(",") } : {}),
    ...(maxAgeSeconds === undefined ? {} : { "Access-Control-Max-Age": String(maxAgeSeconds) }),
    // Some browsers wait for a body if a 204 has no length.
    "Content-Length": "0",
  };
  return ({ headers }, res) => {
    res
      .status(204)
      .set({ ...corsHeaders(origins, headers.origin), ...policy })
      .end();
  };
}

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
