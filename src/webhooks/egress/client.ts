import type { Socket } from "node:net";
import { Client } from "undici";
import { EgressFailure } from "./outcome.ts";

/** undici's timeouts for parts of a request are off, because the signal limits the whole attempt. */
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false } as const;

/** An HTTP client for one request on an open socket. */
export const clientOn = (socket: Socket, origin: string): Client =>
  new Client(origin, {
    ...LIMITS,
    // undici sends nothing if this calls back synchronously. If the socket closes before the request, undici connects again.
    connect: (_options, done) =>
      queueMicrotask(() =>
        socket.destroyed ? done(failureOf(socket.errored ?? new Error("It is closed.")), null) : done(null, socket),
      ),
  });

/** Maps an error of undici or of a socket to a failure. Returns the error itself if it is a defect of the service. */
export function failureOf(error: Error & { code?: string }): Error {
  if (error instanceof EgressFailure) return error;
  const { code = "", message } = error;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return new EgressFailure("response_too_large");
  // undici has no code for an invalid response, only this message.
  if (/^bad (response|upgrade)$/.test(message)) return new EgressFailure("not_http");
  if (error.name === "HTTPParserError" && !message.includes("EOF")) return new EgressFailure("not_http");
  if (code.startsWith("UND_ERR_RES_")) return new EgressFailure("not_http");
  // In TLS 1.3, a receiver refuses a client without a certificate after the handshake.
  if (code.startsWith("ERR_SSL_")) return new EgressFailure("tls_failed");
  // An invalid header is a defect of the service, not a failure of the receiver.
  return code === "UND_ERR_INVALID_ARG" ? error : new EgressFailure("connection_failed");
}
