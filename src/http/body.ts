import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { JSON_TYPE, type Operation } from "../contract/operations.ts";
import { contentTooLarge, Failure } from "../failure.ts";
import { inputFailure } from "./input-failure.ts";
import { unusableValue } from "./plain-values.ts";

/** Enough for 10,000 emoji, each escaped as two \uXXXX. */
const JSON_LIMIT_BYTES = 128 * 1024;
const JSON_TIMEOUT_MS = 10_000;

/** Whether the request has a body (RFC 9112, 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** Closes the connection after a response if the request body is not read: otherwise Node waits for the end of the body. */
export function closeAfterUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (hasBody(req)) res.setHeader("Connection", "close");
}

/** Reads a JSON body. Undefined for a stream, whose headers are checked, and for an operation without a body. */
export async function readBody(
  operation: Operation,
  req: IncomingMessage,
  res: ServerResponse,
  maxUploadBytes: number,
): Promise<unknown> {
  if (operation.body !== null) checkBody(operation, req, maxUploadBytes);
  else if (hasBody(req)) await refuseBody(operation, req, res);
  if (operation.body !== JSON_TYPE) return undefined;
  return hasBody(req) ? readJson(req, res) : {};
}

/** Checks Content-Type and Content-Length before the body is read. */
function checkBody(operation: Operation, req: IncomingMessage, maxUploadBytes: number): void {
  const isJson = operation.body === JSON_TYPE;
  if (isJson && operation.requiresBody && !hasBody(req))
    throw new Failure("malformed_body", "This operation requires a JSON body.");
  // The handler decides about a request without a body and Content-Type. Without JSON, its type means nothing.
  if (hasBody(req) || (!isJson && req.headers["content-type"] !== undefined)) checkMediaType(operation, req.headers);
  const maxBytes = isJson ? JSON_LIMIT_BYTES : maxUploadBytes;
  if (Number(req.headers["content-length"] ?? 0) > maxBytes) throw contentTooLarge(isJson ? "The body" : "A video", maxBytes);
}

function checkMediaType({ bodies }: Operation, headers: IncomingHttpHeaders): void {
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    throw new Failure("unsupported_media_type", "Send the body without Content-Encoding.", { contentCodings: ["identity"] });
  if (headers["content-type"] === bodies[0]) return;
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  if (!bodies.some((it) => isWithin(type, it)))
    throw new Failure("unsupported_media_type", `Send the body as Content-Type: ${bodies.join(" or ")}.`, { mediaTypes: bodies });
  if (type === JSON_TYPE && parameters.some((it) => it.startsWith("charset=") && !/^charset="?utf-?8"?$/.test(it)))
    throw new Failure("unsupported_media_type", "Send the JSON as UTF-8.", { mediaTypes: bodies });
}

/** Whether a media type equals `range`, or is in a range such as `video/*`. */
const isWithin = (type: string, range: string) => (range.endsWith("/*") ? type.startsWith(range.slice(0, -1)) : type === range);

/** Requests with `Expect` whose client may send the body. */
const continued = new WeakSet<IncomingMessage>();

/** Sends `100 Continue` if the client expects it (RFC 9110, 10.1.1). Returns the body. */
export function sendContinue(req: IncomingMessage, res: ServerResponse): Readable {
  const { expect } = req.headers;
  if (expect === undefined) return req;
  continued.add(req);
  if (/\b100-continue\b/i.test(expect)) res.writeContinue();
  return req;
}

/** Whether the client sends its body without a further `100 Continue`. */
export const willSendBody = (req: IncomingMessage): boolean => req.headers.expect === undefined || continued.has(req);

/**
 * Refuses a body of an operation without one, because the client expects an effect. Some clients send an empty body or object with every
 * PUT and DELETE, so these are allowed. An operation that ignores unknown query parameters also ignores a body.
 */
async function refuseBody({ ignoresUnknownQuery }: Operation, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (ignoresUnknownQuery) return closeAfterUnreadBody(req, res);
  const refusal = () => inputFailure("body", "", "unexpected_body", "must be left out: this operation takes none");
  if (Number(req.headers["content-length"] ?? 0) > EMPTY_LIMIT_BYTES) throw refusal();
  sendContinue(req, res);
  const bytes = await readBytes(req, EMPTY_LIMIT_BYTES, refusal);
  if (!EMPTY.test(bytes.toString())) throw refusal();
}

/** Enough for an empty object with some white space. */
const EMPTY_LIMIT_BYTES = 64;
const EMPTY = /^\ufeff?\s*(\{\s*\}\s*)?$/;

/** Reads a JSON body. Refuses one that is too large, too slow, or not valid JSON in UTF-8. */
async function readJson(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
  sendContinue(req, res);
  const body = parsed(await readBytes(req, JSON_LIMIT_BYTES, () => contentTooLarge("The body", JSON_LIMIT_BYTES)));
  const unusable = unusableValue("body", body);
  if (unusable !== null) throw unusable;
  return body;
}

async function readBytes(req: IncomingMessage, maxBytes: number, tooLarge: () => Failure): Promise<Buffer> {
  // A small body has usually arrived by now. Without a length, Node returns the first chunk.
  const arrived = req.complete ? (req.read(req.readableLength) as Buffer | null) : null;
  if (arrived !== null && arrived.length <= maxBytes) return arrived;
  if (arrived !== null) throw tooLarge();
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
  // The client may have disconnected before the listeners were added.
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
    return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, withoutRounding) : JSON.parse(text);
  } catch (cause) {
    throw new Failure("malformed_body", "The body is not valid JSON.", { cause });
  }
}

/** Numbers that JavaScript may round to an integer: of more than 15 digits, or near 0. The lookbehind reads no digit twice. */
const MAY_BE_ROUNDED = /(?<![\d.])[\d.]{17}|\de-\d{3}/i;

/** Reads a number that was rounded to an integer as null, which is no integer. */
function withoutRounding(_name: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (source === undefined || source === String(value) || !Number.isSafeInteger(value)) return value;
  return decimalOf(source) === decimalOf(String(value)) ? value : null;
}

/** The digits of a number in JSON without outer zeros, and their power of ten: equal for `1`, `1.0` and `10e-1`. */
function decimalOf(source: string): string {
  const [mantissa = "", power = "0"] = source.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = digits.replace(/(?<!0)0+$/, "");
  return significant === "" ? "0" : `${significant}e${Number(power) - fraction.length + digits.length - significant.length}`;
}
