import type { Socket } from "node:net";
import { Client } from "undici";
import { EgressFailure } from "./outcome.ts";

/** The time of an attempt is limited as a whole, by its signal, so undici's limits for each part of it are off. */
const LIMITS = { maxHeaderSize: 16_384, headersTimeout: 0, bodyTimeout: 0, pipelining: 1, allowH2: false } as const;

/** An HTTP client for one request on an open socket. */
export const clientOn = (socket: Socket, origin: string): Client =>
  new Client(origin, {
    ...LIMITS,
    // undici sends nothing if this calls back at once. It connects again if the socket closes before the request is on it.
    connect: (_options, done) =>
      queueMicrotask(() =>
        socket.destroyed ? done(failureOf(socket.errored ?? new Error("It is closed.")), null) : done(null, socket),
      ),
  });

/** The failure that an error of undici or of a socket means, or the error itself if it is a defect of the service. */
export function failureOf(error: Error & { code?: string }): Error {
  if (error instanceof EgressFailure) return error;
  const { code = "", message } = error;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return new EgressFailure("response_too_large");
  // undici has one code for each way in which a connection ends, and says only in the message that the response was to blame.
  if (/^bad (response|upgrade)$/.test(message)) return new EgressFailure("not_http");
  if (error.name === "HTTPParserError" && !message.includes("EOF")) return new EgressFailure("not_http");
  if (code.startsWith("UND_ERR_RES_")) return new EgressFailure("not_http");
  // In TLS 1.3, a receiver refuses a client without a certificate after the handshake.
  if (code.startsWith("ERR_SSL_")) return new EgressFailure("tls_failed");
  // A header that can't be sent is a mistake of ours, so it must not look like one of the receiver.
  return code === "UND_ERR_INVALID_ARG" ? error : new EgressFailure("connection_failed");
}
