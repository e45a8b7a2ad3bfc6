import type { Operation } from "../contract/operations.ts";
import type { ResponseHeaders } from "./common-headers.ts";

/**
 * The headers of every response of a deprecated operation: the date of its deprecation (RFC 9745), the date until which it
 * works at least (RFC 8594), and a link to its documentation.
 */
export function deprecationHeaders({ deprecation }: Operation): ResponseHeaders {
  if (deprecation === null) return {};
  const { deprecated_at, sunset_at, link } = deprecation;
  return {
    Deprecation: `@${Date.parse(`${deprecated_at}T00:00:00Z`) / 1_000}`,
    Sunset: new Date(`${sunset_at}T00:00:00Z`).toUTCString(),
    Link: `<${link}>; rel="deprecation"`,
  };
}
