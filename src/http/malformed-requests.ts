import type { IncomingMessage, ServerResponse } from "node:http";
import { Failure } from "../failure.ts";
import { closeAfterUnreadBody } from "./body.ts";

/** In characters: several times the longest request target of the contract. */
const TARGET_LENGTH_MAX = 8 * 1024;

/**
 * Headers with an effect of which Node drops all but the first. The parser refuses a second Content-Length, and Node joins other headers,
 * which the contract refuses unless they are lists (RFC 9110, 5.3). Two tokens are a 400 (RFC 6750, 3.1).
 */
const SENT_ONCE = ["Host", "Authorization", "Content-Type"] as const;

/**
 * Refuses requests that Node accepts against RFC 9112: without Host (3.2), and with another transfer coding than chunked (6.1). Refuses
 * repeated headers, because a proxy may have used another value.
 */
export function refuseMalformed(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.host === undefined && req.httpVersion !== "1.0") throw malformed("Send exactly one Host header.");
  // `headersDistinct` costs more than all else here, and is only needed if any header is repeated.
  const isAnyRepeated = Object.keys(req.headers).length * 2 !== req.rawHeaders.length;
  const twice = isAnyRepeated ? SENT_ONCE.find((name) => (req.headersDistinct[name.toLowerCase()]?.length ?? 0) > 1) : undefined;
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
