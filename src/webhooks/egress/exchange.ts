import { StringDecoder } from "node:string_decoder";
import type { Dispatcher } from "undici";
import { EgressFailure } from "./outcome.ts";

export type EgressRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8, by POST. */
  readonly body: string;
  readonly signal: AbortSignal;
};

const EXCERPT_BYTES = 1_024;
/** How much of a body is read, so that a receiver with a short response doesn't see its connection break. */
const READ_BYTES_MAX = 65_536;
/** Each response with 1xx has headers of its own, so their limit doesn't limit how many there are. */
const INTERIM_MAX = 16;

/**
 * Sends one request and reads its response. What is left out is left out on purpose: redirects, which would lead to addresses that
 * nobody has checked, and decompression, which makes many bytes of few.
 */
export function exchange(
  dispatcher: Dispatcher,
  url: URL,
  { headers, body }: EgressRequest,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly excerpt: string }> {
  return new Promise((resolve, reject) => {
    let status: number | null = null;
    let interim = 0;
    let readBytes = 0;
    const kept = Buffer.alloc(EXCERPT_BYTES);
    let keptBytes = 0;
    const end = (error: Error) => {
      signal.removeEventListener("abort", onAbort);
      if (status === null) reject(error);
      else resolve({ status, excerpt: excerptOf(kept.subarray(0, keptBytes)) });
    };
    const onAbort = () => end(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    dispatcher.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: "POST",
        headers: { ...headers },
        body: Buffer.from(body),
      },
      {
        // undici needs this, and an abort before it closes the client.
        onRequestStart: () => undefined,
        onResponseStart(controller, received) {
          if (received >= 200) status = received;
          else if (++interim > INTERIM_MAX) controller.abort(new EgressFailure("not_http"));
        },
        onResponseData(controller, chunk) {
          keptBytes += chunk.copy(kept, keptBytes);
          readBytes += chunk.length;
          if (readBytes > READ_BYTES_MAX) controller.abort(new EgressFailure("response_too_large"));
        },
        onResponseEnd: () => end(new EgressFailure("not_http")),
        onResponseError: (_controller, error) => end(failureOf(error)),
      },
    );
  });
}

/** The beginning of a body as text. A character that is cut off is left out, and PostgreSQL can't store NUL. */
function excerptOf(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes).replaceAll("\0", "\uFFFD");
}

/** The codes by which Node says that TLS failed, for connections through a proxy, which undici opens. */
const TLS_CODE = /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)/;

function failureOf(error: Error & { code?: string }): Error {
  if (error instanceof EgressFailure) return error;
  const { code = "", message } = error;
  if (code === "UND_ERR_HEADERS_OVERFLOW") return new EgressFailure("response_too_large");
  // undici has one code for each way in which a connection ends, and says only in the message that the response was to blame.
  if (/^bad (response|upgrade)$/.test(message)) return new EgressFailure("not_http");
  if (error.name === "HTTPParserError" && !message.includes("EOF")) return new EgressFailure("not_http");
  if (code.startsWith("UND_ERR_RES_")) return new EgressFailure("not_http");
  if (TLS_CODE.test(code)) return new EgressFailure("tls_failed");
  // A header that can't be sent is a mistake of ours, so it must not look like one of the receiver.
  if (code === "UND_ERR_INVALID_ARG" && !message.includes("(407)")) return error;
  return new EgressFailure("connection_failed");
}
