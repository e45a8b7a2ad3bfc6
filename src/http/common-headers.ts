import type { IncomingMessage } from "node:http";
import { corsHeaders, type Origins } from "./cors.ts";
import type { ResponseHeaders } from "./exchange.ts";

/** What OWASP's REST Security Cheat Sheet recommends. Headers that only change pages of HTML are left out. */
const SECURITY_HEADERS = {
  "Content-Security-Policy": "default-src 'none';frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Referrer-Policy": "no-referrer",
  "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "SAMEORIGIN",
};

/**
 * Returns a function for the headers that every response has, errors too: without CORS headers, a browser hides a response
 * from scripts. They depend only on the origin, so they are made once for each allowed origin.
 */
export function createCommonHeaders(version: string, origins: Origins, exposedHeaders: readonly string[]) {
  const always = { "API-Version": version, ...SECURITY_HEADERS };
  const headersFor = (origin?: string): Readonly<ResponseHeaders> => ({
    ...always,
    ...corsHeaders(origins, origin),
    "Access-Control-Expose-Headers": exposedHeaders.join(","),
  });
  const others = headersFor();
  const allowed = new Map([origins].flat().map((it) => [it, headersFor(it)]));
  return ({ method, headers }: IncomingMessage): Readonly<ResponseHeaders> => {
    // The response to a preflight has CORS headers of its own.
    if (method === "OPTIONS") return always;
    return headers.origin === undefined ? others : (allowed.get(headers.origin) ?? others);
  };
}
