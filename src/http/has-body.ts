import type { IncomingMessage } from "node:http";

/** Whether the request comes with a body at all (RFC 9112, 6). */
export function hasBody(req: IncomingMessage): boolean {
  return req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;
}
