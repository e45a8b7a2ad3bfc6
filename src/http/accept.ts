import Negotiator from "negotiator";
import { Failure } from "../failure.ts";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";

/** A parameter of a media type except the weight (`q`): a name, and a value that is a token or a quoted string. */
const PARAMETER = /;\s*(?!q\s*=)[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?/gi;

/**
 * Whether an Accept header allows a media type (RFC 9110, 12.5.1). Ignores parameters, because each type has one form:
 * `application/json;charset=utf-8` allows JSON.
 */
function accepts(header: string | undefined, mediaType: string): boolean {
  // The values of nearly all clients.
  if (header === undefined || header === "*/*" || header === mediaType || header.trim() === "") return true;
  const accept = header.replaceAll(PARAMETER, "");
  return new Negotiator({ headers: { accept } }).mediaType([mediaType]) !== undefined;
}

/** Whether the client prefers a page to a problem. A browser accepts HTML, and never names JSON. */
export function prefersPage(header = ""): boolean {
  if (!/\btext\//i.test(header) || /json/i.test(header)) return false;
  return new Negotiator({ headers: { accept: header } }).mediaType(["application/problem+json", "text/html"]) === "text/html";
}

/**
 * Refuses a request if the response would be JSON and the Accept header excludes it. Other responses ignore the header: they have no body,
 * or are an image or a video in one media type.
 */
export function requireAccepted({ produces }: Operation, header: string | undefined): void {
  if (produces === JSON_TYPE && !accepts(header, JSON_TYPE))
    throw new Failure(
      "not_acceptable",
      "The response is application/json, but your Accept header excludes it. Accept it, or leave the header out.",
    );
}
