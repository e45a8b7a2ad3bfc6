import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import express, { type Request, type RequestHandler, type Response } from "express";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";
import { contentTooLarge, Failure } from "../failure.ts";
import { unusableValue } from "./plain-values.ts";

/** Enough for a text of 10,000 emoji, each escaped as two \uXXXX. */
const JSON_LIMIT_BYTES = 128 * 1024;
const JSON_TIMEOUT_MS = 10_000;

const parseJson = express.json({
  limit: JSON_LIMIT_BYTES,
  inflate: false,
  strict: false,
  type: () => true,
  // The parser would replace invalid UTF-8 with U+FFFD, which the client did not send.
  verify: (_req, _res, bytes) => {
    if (!isUtf8(bytes)) throw new Failure("malformed_body", "The body is not valid UTF-8.");
  },
});

/** Whether the request has a body (RFC 9112, 6). */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/**
 * Closes the connection after the response to a request whose body is not read: Node would otherwise wait for the end of the
 * body before it handles the next request.
 */
export function closeAfterUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (hasBody(req)) res.setHeader("Connection", "close");
}

/**
 * Checks the Content-Type before the body is read, and replaces it with the contract's spelling: the validator keeps a
 * compiled schema for each spelling, and clients could otherwise add any number of them.
 */
export function requireMediaType(operation: Operation): RequestHandler {
  return (req, res, next) => {
    if (operation.body === null) {
      delete req.headers["content-type"];
      closeAfterUnreadBody(req, res);
      return next();
    }
    if (operation.body === JSON_TYPE && !hasBody(req))
      throw new Failure("malformed_body", "This operation requires a JSON body.");
    // The operation decides about a request that has neither a body nor a Content-Type.
    if (hasBody(req) || req.headers["content-type"] !== undefined) checkMediaType(operation, req.headers);
    // From here on, the first media type of the operation stands for all of them.
    req.headers["content-type"] = operation.body;
    next();
  };
}

function checkMediaType({ bodies }: Operation, headers: IncomingHttpHeaders): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    throw new Failure("unsupported_media_type", "Send the body without Content-Encoding.");
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  if (!bodies.some((it) => isWithin(type, it)))
    throw new Failure("unsupported_media_type", `Send the body as Content-Type: ${bodies.join(" or ")}.`, { mediaTypes: bodies });
  if (type === JSON_TYPE && parameters.some((it) => it.startsWith("charset=") && !/^charset="?utf-?8"?$/.test(it)))
    throw new Failure("unsupported_media_type", "Send the JSON as UTF-8.");
}

/** Whether a media type equals `range`, or is in a range such as `video/*`. */
const isWithin = (type: string, range: string) => (range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : type === range);

/** Refuses a body whose Content-Length is too large, before the body is read. */
export function limitLength(operation: Operation, maxUploadBytes: number): RequestHandler {
  const [noun, maxBytes] =
    operation.body === JSON_TYPE ? (["The body", JSON_LIMIT_BYTES] as const) : (["A video", maxUploadBytes] as const);
  return (req, _res, next) => {
    if (operation.body !== null && Number(req.headers["content-length"] ?? 0) > maxBytes) throw contentTooLarge(noun, maxBytes);
    next();
  };
}

/** Sends `100 Continue` to a client that waits for it before it sends the body (RFC 9110, 10.1.1). */
export function askForBody(req: Request, res: Response): void {
  res.locals["bodyWanted"] = true;
  if (/\b100-continue\b/i.test(req.headers.expect ?? "")) res.writeContinue();
}

/** Reads a JSON body. Refuses one that is too large, too slow, or not valid JSON in UTF-8. */
export const readJson: RequestHandler = (req, res, next) => {
  let over = false;
  const finish = (error?: unknown) => {
    clearTimeout(timer);
    if (!over) next(error);
    over = true;
  };
  const timer = setTimeout(() => finish(new Failure("request_timeout", "The body did not arrive in time.")), JSON_TIMEOUT_MS);
  askForBody(req, res);
  parseJson(req, res, (error?: unknown) => finish(error ?? unusableValue("body", req.body) ?? undefined));
};
