import Negotiator from "negotiator";
import { Failure } from "../failure.ts";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";

/** A parameter of a media type except the weight (`q`): a name, and a value that is a token or a quoted string. */
const PARAMETER = /;\s*(?!q\s*=)[^\s;,="]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))?/gi;

/**
 * Whether an Accept header allows a media type (RFC 9110, 12.5.1). Ignores the parameters of media types, because the service
 * has only one form of each: `application/json;charset=utf-8` allows the JSON that it sends.
 */
function accepts(header: string | undefined, mediaType: string): boolean {
  // What nearly all clients send.
  if (header === undefined || header === "*/*" || header === mediaType || header.trim() === "") return true;
  const accept = header.replaceAll(PARAMETER, "");
  return new Negotiator({ headers: { accept } }).mediaType([mediaType]) !== undefined;
}

/** Whether the client would rather have a page than a problem. A browser names HTML, and never JSON. */
export function prefersPage(header = ""): boolean {
  if (!/\btext\//i.test(header) || /json/i.test(header)) return false;
  return new Negotiator({ headers: { accept: header } }).mediaType(["application/problem+json", "text/html"]) === "text/html";
}

/**
 * Refuses a request if the response would be JSON and the Accept header excludes it. Other responses ignore the Accept header:
 * they have no body, or they are an image or a video, which has only one media type.
 */
export function requireAccepted({ produces }: Operation, header: string | undefined): void {
  if (produces === JSON_TYPE && !accepts(header, JSON_TYPE))
    throw new Failure(
      "not_acceptable",
      "The response is application/json, but your Accept header excludes it. Accept it, or leave the header out.",
    );
}
