import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure } from "../failure.ts";
import { closeAfterUnreadBody } from "./body.ts";

/** In characters: several times the length of the longest request target in the contract. */
const TARGET_LENGTH_MAX = 8 * 1024;

/**
 * The headers of which Node silently drops all but the first, and that decide about a request. Of the others, the parser refuses
 * a second Content-Length, and Node joins the rest, which the contract then refuses unless they are lists (RFC 9110, 5.3). For
 * two tokens, RFC 6750, 3.1 says 400.
 */
const SENT_ONCE = ["Host", "Authorization", "Content-Type"] as const;

/**
 * Refuses requests that Node's parser accepts and RFC 9112 doesn't: without a Host header (3.2), with several of a header that
 * can be sent once, because a proxy may have used another of them, and with a transfer coding other than chunked (6.1).
 */
export function refuseMalformed(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.host === undefined && req.httpVersion !== "1.0") throw malformed("Send exactly one Host header.");
  const sent = req.headersDistinct;
  const twice = SENT_ONCE.find((name) => (sent[name.toLowerCase()]?.length ?? 0) > 1);
  if (twice !== undefined) throw malformed(`Send exactly one ${twice} header.`);
  const coding = req.headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    throw malformed("The only supported transfer coding is chunked.");
  if (req.url!.length > TARGET_LENGTH_MAX)
    throw new Failure("uri_too_long", `The request target is longer than ${TARGET_LENGTH_MAX} bytes.`);
  if (!MAY_HAVE_BODY.has(req.method!)) closeAfterUnreadBody(req, res);
}

const MAY_HAVE_BODY = new Set(["POST", "PUT", "PATCH"]);

const malformed = (detail: string) => new Failure("malformed_request", detail);
