import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import express, { type Request, type RequestHandler, type Response } from "express";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";
import { contentTooLarge, Failure } from "../failure.ts";
import { unusableValue } from "./plain-values.ts";

/** Room for 10,000 emoji, each escaped as two \uXXXX. */
const JSON_LIMIT_BYTES = 128 * 1024;
const JSON_TIMEOUT_MS = 10_000;

const parseJson = express.json({
  limit: JSON_LIMIT_BYTES,
  inflate: false,
  strict: false,
  type: () => true,
  // The parser would replace what is not UTF-8 by U+FFFD, which the client did not send.
  verify: (_req, _res, bytes) => {
    if (!isUtf8(bytes)) throw new Failure("malformed_body", "The body is not valid UTF-8.");
  },
});

/** Whether the request has a body (RFC 9112, 6). */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}

/** Ends the connection after a body that is not read: Node would wait for its end before it takes the next request. */
export function closeAfterUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (hasBody(req)) res.setHeader("Connection", "close");
}

/**
 * Looks at the declared media type before a byte is read, and leaves nothing of it but lower-case `type/subtype`: the
 * schemas that are compiled for each media type are then as many as the contract has.
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
    // Nothing, of no declared type: what that means is for the operation to say.
    if (hasBody(req) || req.headers["content-type"] !== undefined) checkMediaType(operation, req.headers);
    // Of the media types that are taken alike, one stands for all from here on.
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

/** Whether a media type is another one, or within a range such as `video/*`. */
const isWithin = (type: string, range: string) => (range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : type === range);

/** Says 413 as soon as the declared length tells, before a byte is read. */
export function limitLength(operation: Operation, maxUploadBytes: number): RequestHandler {
  const [noun, maxBytes] =
    operation.body === JSON_TYPE ? (["The body", JSON_LIMIT_BYTES] as const) : (["A video", maxUploadBytes] as const);
  return (req, _res, next) => {
    if (operation.body !== null && Number(req.headers["content-length"] ?? 0) > maxBytes) throw contentTooLarge(noun, maxBytes);
    next();
  };
}

/** Asks for the body of a client that waits to be asked (RFC 9110, 10.1.1), now that it is wanted. */
export function askForBody(req: Request, res: Response): void {
  res.locals["bodyWanted"] = true;
  if (/\b100-continue\b/i.test(req.headers.expect ?? "")) res.writeContinue();
}

/** Reads a JSON body within its size and time limits; anything else is a 4xx that says what was wrong. */
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
