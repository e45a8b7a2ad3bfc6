import type { RequestHandler } from "express";
import type { Operation } from "../contract/operations.ts";

/**
 * Tells with every answer of a deprecated operation since when it is that (RFC 9745), until when it works at least
 * (RFC 8594), and where to read about it. Comes first in the chain, so that refusals tell it too.
 */
export function announceDeprecation({ deprecation }: Operation): RequestHandler {
  if (deprecation === null) return (_req, _res, next) => next();
  const { deprecated_at, sunset_at, link } = deprecation;
  const headers = {
    Deprecation: `@${Date.parse(`${deprecated_at}T00:00:00Z`) / 1_000}`,
    Sunset: new Date(`${sunset_at}T00:00:00Z`).toUTCString(),
  };
  return (_req, res, next) => {
    // Appended, as a list has a link to its next page as well.
    res.set(headers).append("Link", `<${link}>; rel="deprecation"`);
    next();
  };
}
