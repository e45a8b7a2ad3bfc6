import { STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { ResponseHeaders } from "./common-headers.ts";

/** Sends a complete response with a text, without the text for HEAD. Adds the length to `headers`. */
export function sendText(
  { method }: IncomingMessage,
  res: ServerResponse,
  status: number,
  headers: ResponseHeaders,
  text: string,
): void {
  const length = Buffer.byteLength(text);
  headers["Content-Length"] = length;
  // With a reason phrase, because Node otherwise uses that of a response whose headers it has refused.
  res.writeHead(status, STATUS_CODES[status], headers);
  // Node writes latin1 faster than UTF-8, and ASCII is the same in both.
  res.end(method === "HEAD" ? undefined : text, length === text.length ? "latin1" : "utf8");
}
