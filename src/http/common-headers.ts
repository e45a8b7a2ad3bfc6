import { validateHeaderName, validateHeaderValue, type IncomingMessage } from "node:http";
import type { Config } from "../config.ts";
import type { Operation } from "../contract/operations.ts";

/** The headers of a response, collected for one `writeHead`. */
export type ResponseHeaders = Record<string, string | number | string[]>;

/** The headers of every response, and the same as lines, for `beginWithLines`. */
export type CommonHeaders = { readonly headers: Readonly<Record<string, string>>; readonly lines: string };

/** The origins whose scripts can read responses. */
type Origins = "*" | readonly string[];

const originsIn = ({ CORS_ORIGINS: origins }: Config): Origins => (origins.includes("*") ? "*" : origins);

/** The headers by which a browser decides whether a script of an origin can read a response (Fetch, 3.3.3). */
function corsHeaders(origins: Origins, origin: string | undefined): Readonly<Record<string, string>> {
  if (origins === "*") return { "Access-Control-Allow-Origin": "*" };
  if (origin === undefined || !origins.includes(origin)) return { Vary: "Origin" };
  return { "Access-Control-Allow-Origin": origin, Vary: "Origin" };
}

/** The recommendations of OWASP's REST Security Cheat Sheet, without headers that only affect HTML. */
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
 * Returns a function for the headers of every response, including errors: without CORS headers, a browser hides a response from scripts.
 * They are created once for each allowed origin.
 */
export function createCommonHeaders(config: Config, version: string, operations: readonly Operation[]) {
  const origins = originsIn(config);
  const exposedHeaders = new Set(operations.flatMap((it) => it.responseHeaders));
  const common = { "API-Version": version, ...SECURITY_HEADERS };
  const headersFor = (origin?: string): CommonHeaders =>
    withLines({
      ...common,
      ...corsHeaders(origins, origin),
      "Access-Control-Expose-Headers": [...exposedHeaders].join(","),
    });
  const others = headersFor();
  const allowed = new Map([origins].flat().map((it) => [it, headersFor(it)]));
  return ({ headers: { origin } }: Pick<IncomingMessage, "headers">): CommonHeaders =>
    origin === undefined ? others : (allowed.get(origin) ?? others);
}

/** Node checks and joins the headers of each response. These are checked once. */
function withLines(headers: CommonHeaders["headers"]): CommonHeaders {
  const lines = Object.entries(headers).map(([name, value]) => {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return `${name}: ${value}\r\n`;
  });
  return { headers, lines: lines.join("") };
}

/** The headers of a deprecated operation: the dates of its deprecation (RFC 9745) and its sunset (RFC 8594), and a link. */
export function deprecationHeaders({ deprecation }: Operation): ResponseHeaders {
  if (deprecation === null) return {};
  const { deprecated_at, sunset_at, link } = deprecation;
  return {
    Deprecation: `@${Date.parse(`${deprecated_at}T00:00:00Z`) / 1_000}`,
    Sunset: new Date(`${sunset_at}T00:00:00Z`).toUTCString(),
    Link: `<${link}>; rel="deprecation"`,
  };
}
