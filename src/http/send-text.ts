import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { CommonHeaders, ResponseHeaders } from "./common-headers.ts";
import { beginWithLines } from "./node-internals.ts";

/** A request with its response. `common` is null if `headers` has the common headers. */
type Exchange = { readonly req: IncomingMessage; readonly res: ServerResponse; readonly common: CommonHeaders | null };

/** Writes the head of a response: the common headers, and those in `headers`, which can replace them. */
export function writeHead({ res, common }: Pick<Exchange, "res" | "common">, status: number, headers: ResponseHeaders): void {
  // Headers that were set before can be common ones.
  const isWhole = common === null || res.getHeaderNames().length > 0 || hasAny(headers, common.headers);
  beginWithLines(res, isWhole ? "" : common.lines);
  // With a reason phrase, because Node otherwise uses that of a response whose headers it has refused.
  res.writeHead(status, STATUS_CODES[status], isWhole ? { ...common?.headers, ...headers } : headers);
}

function hasAny(headers: object, names: object): boolean {
  for (const name in headers) if (name in names) return true;
  return false;
}

/** Sends a complete response with a text, without the text for HEAD. Adds the length to `headers`. */
export function sendText(exchange: Exchange, status: number, headers: ResponseHeaders, text: string): void {
  const { req, res } = exchange;
  const length = Buffer.byteLength(text);
  headers["Content-Length"] = length;
  writeHead(exchange, status, headers);
  // Node writes latin1 faster than UTF-8, and ASCII is the same in both.
  res.end(req.method === "HEAD" ? undefined : text, length === text.length ? "latin1" : "utf8");
}
