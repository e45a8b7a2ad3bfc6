import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "../contract/operations.ts";

const KEY = /[a-z*][a-z0-9_.*-]*/.source;
const STRING = /"(?:[ !#-[\]-~]|\\["\\])*"/.source;
/** A bare item (RFC 9651, 3.3): a number, string, token, byte sequence, boolean, date or display string. */
const ITEM = [
  /-?\d{1,15}(?:\.\d{1,3})?/.source,
  STRING,
  /[A-Za-z*][\w!#$%&'*+.^`|~:/-]*/.source,
  /:[A-Za-z0-9+/=]*:/.source,
  /\?[01]/.source,
  /@-?\d{1,15}/.source,
  /%"(?:[ !#$&-~]|%[0-9a-f]{2})*"/.source,
].join("|");
/** A value, and its parameters (RFC 9651, 3.1.2). */
const WITH_PARAMETERS = new RegExp(`^(${STRING}|[^";]*)(?:; *${KEY}(?:=(?:${ITEM}))?)+$`);

/**
 * Removes the parameters from the structured fields of a request: the service knows none, so it ignores all. The validation refuses a value
 * whose parameters are malformed.
 */
export function ignoreParameters({ structuredHeaders }: Operation, headers: IncomingHttpHeaders): void {
  for (const name of structuredHeaders) {
    const value = headers[name.toLowerCase()];
    if (typeof value !== "string" || !value.includes(";")) continue;
    headers[name.toLowerCase()] = WITH_PARAMETERS.exec(value)?.[1] ?? value;
  }
}
