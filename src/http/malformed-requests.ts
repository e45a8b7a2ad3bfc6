import type { RequestHandler } from "express";
import { Failure } from "../failure.ts";
import { closeAfterUnreadBody } from "./body.ts";

/** Several times what the longest request of the contract needs, in characters. */
const TARGET_LENGTH_MAX = 8 * 1024;

/**
 * Refuses what Node's parser accepts although RFC 9112 does not: no Host or several (3.2), of which a proxy may have used
 * another one, and a transfer coding other than chunked (6.1).
 */
export const refuseMalformed: RequestHandler = (req, res, next) => {
  const hosts = req.rawHeaders.filter((it, index) => index % 2 === 0 && it.toLowerCase() === "host").length;
  if (hosts > 1 || (hosts === 0 && req.httpVersion !== "1.0")) throw malformed("Send exactly one Host header.");
  const coding = req.headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    throw malformed("The only supported transfer coding is chunked.");
  if (req.url.length > TARGET_LENGTH_MAX)
    throw new Failure("uri_too_long", `The request target is longer than ${TARGET_LENGTH_MAX} bytes.`);
  if (!MAY_HAVE_BODY.has(req.method)) closeAfterUnreadBody(req, res);
  next();
};

const MAY_HAVE_BODY = new Set(["POST", "PUT", "PATCH"]);

const malformed = (detail: string) => new Failure("malformed_request", detail);
