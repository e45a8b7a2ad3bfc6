import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";
import { contentTooLarge, Failure } from "../failure.ts";
import { inputFailure } from "./input-failure.ts";
import { unusableValue } from "./plain-values.ts";

/** Enough for a text of 10,000 emoji, each escaped as two \uXXXX. */
const JSON_LIMIT_BYTES = 128 * 1024;
const JSON_TIMEOUT_MS = 10_000;

/** Whether the request has a body (RFC 9112, 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/**
 * Closes the connection after the response to a request whose body is not read: Node would otherwise wait for the end of the
 * body before it handles the next request.
 */
export function closeAfterUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (hasBody(req)) res.setHeader("Connection", "close");
}

/** Reads the body if it is JSON; undefined if it is a stream, which is only checked, or if the operation takes no body. */
export async function readBody(
  operation: Operation,
  req: IncomingMessage,
  res: ServerResponse,
  maxUploadBytes: number,
): Promise<unknown> {
  if (operation.body !== null) checkBody(operation, req, maxUploadBytes);
  else if (hasBody(req)) await refuseBody(operation, req, res);
  return operation.body === JSON_TYPE ? readJson(req, res) : undefined;
}

/** Checks Content-Type and Content-Length before the body is read. */
function checkBody(operation: Operation, req: IncomingMessage, maxUploadBytes: number): void {
  const isJson = operation.body === JSON_TYPE;
  if (isJson && !hasBody(req)) throw new Failure("malformed_body", "This operation requires a JSON body.");
  // The operation decides about a request that has neither a body nor a Content-Type.
  if (hasBody(req) || req.headers["content-type"] !== undefined) checkMediaType(operation, req.headers);
  const maxBytes = isJson ? JSON_LIMIT_BYTES : maxUploadBytes;
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw contentTooLarge(isJson ? "The body" : "A video", maxBytes);
}

function checkMediaType({ bodies }: Operation, headers: IncomingHttpHeaders): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    throw new Failure("unsupported_media_type", "Send the body without Content-Encoding.");
  if (headers["content-type"] === bodies[0]) return;
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

/** The requests with an expectation whose body was asked for. */
const asked = new WeakSet<IncomingMessage>();

/** Sends `100 Continue` to a client that waits for it before it sends the body (RFC 9110, 10.1.1). Returns the body. */
export function askForBody(req: IncomingMessage, res: ServerResponse): Readable {
  const { expect } = req.headers;
  if (expect === undefined) return req;
  asked.add(req);
  if (/\b100-continue\b/i.test(expect)) res.writeContinue();
  return req;
}

/** Whether the client sends the body of its request without being asked again. */
export const willSendBody = (req: IncomingMessage): boolean => req.headers.expect === undefined || asked.has(req);

/**
 * Refuses the body of a request for an operation that takes none, because its sender expects an effect. An empty body and an
 * empty JSON object are no body: some clients send them with every PUT and DELETE. An operation that ignores unknown query
 * parameters ignores a body, too.
 */
async function refuseBody({ ignoresUnknownQuery }: Operation, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (ignoresUnknownQuery) return closeAfterUnreadBody(req, res);
  const refusal = () => inputFailure("body", "", "unexpected_body", "must be left out: this operation takes none");
  if (Number(req.headers["content-length"] ?? 0) > EMPTY_LIMIT_BYTES) throw refusal();
  askForBody(req, res);
  const bytes = await readBytes(req, EMPTY_LIMIT_BYTES, refusal);
  if (!EMPTY.test(bytes.toString())) throw refusal();
}

/** Enough for an empty object with some white space. */
const EMPTY_LIMIT_BYTES = 64;
const EMPTY = /^\ufeff?\s*(\{\s*\}\s*)?$/;

/** Reads a JSON body. Refuses one that is too large, too slow, or not valid JSON in UTF-8. */
async function readJson(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  askForBody(req, res);
  const body = parsed(await readBytes(req, JSON_LIMIT_BYTES, () => contentTooLarge("The body", JSON_LIMIT_BYTES)));
  const unusable = unusableValue("body", body);
  if (unusable !== null) throw unusable;
  return body;
}

function readBytes(req: IncomingMessage, maxBytes: number, tooLarge: () => Failure): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => fail(new Failure("request_timeout", "The body did not arrive in time.")), JSON_TIMEOUT_MS);
  const stop = () => {
    clearTimeout(timer);
    req.off("data", collect).off("end", end).off("error", breakOff);
  };
  const fail = (failure: Failure) => {
    stop();
    req.pause();
    reject(failure);
  };
  const collect = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) fail(tooLarge());
    else chunks.push(chunk);
  };
  const end = () => {
    stop();
    resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
  };
  const breakOff = (cause: Error) =>
    fail(new Failure("malformed_body", "The body is shorter than its Content-Length says.", { cause }));
  // The client may have disconnected before anything listened.
  if (req.destroyed) breakOff(new Error("The client has disconnected."));
  else req.on("data", collect).on("end", end).on("error", breakOff);
  return promise;
}

function parsed(bytes: Buffer): unknown {
  // The conversion to text would replace invalid UTF-8 with U+FFFD, which the client did not send.
  if (!isUtf8(bytes)) throw new Failure("malformed_body", "The body is not valid UTF-8.");
  // A chunked body can be empty, and some clients send a byte order mark.
  const text = bytes.toString().replace(/^\ufeff/, "");
  try {
    if (text === "") return {};
    return TOO_SMALL.test(text) ? JSON.parse(text, withoutRounding) : JSON.parse(text);
  } catch (cause) {
    throw new Failure("malformed_body", "The body is not valid JSON.", { cause });
  }
}

/** What can be a number so near 0 that JavaScript reads it as 0. */
const TOO_SMALL = /\de-\d{3}/i;

/** Reads such a number as null, which no field for a number accepts. */
function withoutRounding(_name: string, value: unknown, { source = "" }: { source?: string } = {}): unknown {
  return value === 0 && /[1-9]/.test(source.replace(/e.*/i, "")) ? null : value;
}
