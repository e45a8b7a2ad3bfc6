import type { IncomingMessage } from "node:http";
import cors from "cors";
import type { Request, RequestHandler, Response } from "express";
import helmet from "helmet";

/** The headers of a response, collected in a plain object and sent by one `writeHead`. */
export type Head = Record<string, string | number | string[]>;

const secure = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { "default-src": ["'none'"], "frame-ancestors": ["'none'"] } },
  crossOriginResourcePolicy: { policy: "cross-origin" },
  // These change nothing for a response that is not a page of HTML, and each header costs time.
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/**
 * Returns a function for the headers that every response has, errors too: without CORS headers, a browser hides a response
 * from scripts. They depend only on the origin, so helmet and cors run here, once for each allowed origin.
 */
export function createHeads(version: string, origin: "*" | readonly string[], exposedHeaders: string[]) {
  const always = { "API-Version": version, ...headersSetBy(secure, {}) };
  const allow = cors({ origin: typeof origin === "string" ? origin : [...origin], exposedHeaders });
  const headFor = (headers: object): Readonly<Head> => ({ ...always, ...headersSetBy(allow, headers) });
  const others = headFor({});
  const allowed = new Map([origin].flat().map((it) => [it, headFor({ origin: it })]));
  return ({ method, headers }: IncomingMessage): Readonly<Head> => {
    // The route of the path responds to a preflight.
    if (method === "OPTIONS") return always;
    return headers.origin === undefined ? others : (allowed.get(headers.origin) ?? others);
  };
}

/** The headers that a middleware sets on the response to a GET request. */
function headersSetBy(middleware: RequestHandler, headers: object): Head {
  const head: Head = {};
  const res = {
    setHeader: (name: string, value: string) => void (head[name] = value),
    getHeader: (name: string) => head[name],
    removeHeader: (name: string) => void delete head[name],
  };
  void middleware({ method: "GET", headers } as Request, res as unknown as Response, () => undefined);
  return head;
}
