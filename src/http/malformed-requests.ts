import { Failure } from "../failure.ts";
import { closeAfterUnreadBody } from "./body.ts";
import type { Exchange } from "./exchange.ts";

/** In characters: several times the length of the longest request target in the contract. */
const TARGET_LENGTH_MAX = 8 * 1024;

/**
 * Refuses requests that Node's parser accepts and RFC 9112 doesn't: without a Host header or with several (3.2), because a
 * proxy may have used another of them, and with a transfer coding other than chunked (6.1).
 */
export function refuseMalformed({ req, res }: Exchange): void {
  const hosts = req.rawHeaders.filter((it, index) => it.length === 4 && index % 2 === 0 && it.toLowerCase() === "host").length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== "1.0")) throw malformed("Send exactly one Host header.");
  const coding = req.headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    throw malformed("The only supported transfer coding is chunked.");
  if (req.url!.length > TARGET_LENGTH_MAX)
    throw new Failure("uri_too_long", `The request target is longer than ${TARGET_LENGTH_MAX} bytes.`);
  if (!MAY_HAVE_BODY.has(req.method!)) closeAfterUnreadBody(req, res);
}

const MAY_HAVE_BODY = new Set(["POST", "PUT", "PATCH"]);

const malformed = (detail: string) => new Failure("malformed_request", detail);
