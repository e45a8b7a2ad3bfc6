import type { RequestHandler } from "express";
import type { Config } from "../config.ts";

/** The origins whose scripts can read responses. */
export type Origins = "*" | readonly string[];

export const originsIn = ({ CORS_ORIGINS: origins }: Config): Origins => (origins.includes("*") ? "*" : origins);

/** The headers by which a browser decides whether a script of an origin can read a response (Fetch, 3.3.3). */
export function corsHeaders(origins: Origins, origin: string | undefined): Readonly<Record<string, string>> {
  if (origins === "*") return { "Access-Control-Allow-Origin": "*" };
  if (origin === undefined || !origins.includes(origin)) return { Vary: "Origin" };
  return { "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** Which cross-origin requests to a path a browser can send. */
export type CorsPolicy = {
  readonly origins: Origins;
  readonly methods: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAgeSeconds?: number;
};

/** Responds to a CORS preflight (Fetch, 3.3.2). */
export function preflight({ origins, methods, allowedHeaders, maxAgeSeconds }: CorsPolicy): RequestHandler {
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
