import type { RequestHandler } from "express";
import type { Operation } from "../contract/operations.ts";

/**
 * Sets headers on every response of a deprecated operation: the date of its deprecation (RFC 9745), the date until which it
 * works at least (RFC 8594), and a link to its documentation. Comes first in the chain, so that error responses have them too.
 */
export function announceDeprecation({ deprecation }: Operation): RequestHandler {
  if (deprecation === null) return (_req, _res, next) => next();
  const { deprecated_at, sunset_at, link } = deprecation;
  const headers = {
    Deprecation: `@${Date.parse(`${deprecated_at}T00:00:00Z`) / 1_000}`,
    Sunset: new Date(`${sunset_at}T00:00:00Z`).toUTCString(),
  };
  return (_req, res, next) => {
    // Appended, because a list also has a link to its next page.
    res.set(headers).append("Link", `<${link}>; rel="deprecation"`);
    next();
  };
}
