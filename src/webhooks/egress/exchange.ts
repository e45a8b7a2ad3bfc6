import { StringDecoder } from "node:string_decoder";
import { clientOn, failureOf } from "./client.ts";
import type { Opened } from "./connect.ts";
import { EgressFailure, type Response } from "./outcome.ts";

export type EgressRequest = {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8, by POST. */
  readonly body: string;
};

const EXCERPT_BYTES = 1_024;
/**
 * How much is read, so that a receiver with a short response doesn't see its connection break: 64 kB of body, and as much of what is
 * around it. Empty lines, headers, 1xx responses, chunk extensions and trailers have no limit of their own in undici.
 */
const READ_BYTES_MAX = 131_072;
/** What an honest server sends is one or two. */
const INTERIM_MAX = 16;

/**
 * Sends one request and reads its response. What is left out is left out on purpose: redirects, which would lead to addresses that
 * nothing has checked, and decompression, which makes many bytes of few.
 */
export function exchange(
  { origin, socket, path, headers: added }: Opened & { readonly origin: string },
  { headers, body }: EgressRequest,
  signal: AbortSignal,
): Promise<Omit<Response, "kind" | "durationMs">> {
  return new Promise((resolve, reject) => {
    let status: number | null = null;
    let retryAfter: string | null = null;
    let interim = 0;
    let readBytes = 0;
    const kept = Buffer.alloc(EXCERPT_BYTES);
    let keptBytes = 0;
    const client = clientOn(socket, origin);
    const end = (error: Error) => {
      signal.removeEventListener("abort", onAbort);
      void client.destroy().catch(() => undefined);
      socket.destroy();
      if (status === null) reject(error);
      else resolve({ status, retryAfter, excerpt: excerptOf(kept.subarray(0, keptBytes)) });
    };
    const onAbort = () => end(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    client.dispatch(
      { path, method: "POST", headers: { ...added, ...headers }, body: Buffer.from(body) },
      {
        onRequestStart() {
          // Beside the listener of undici for `readable`, this one only sees what undici reads.
          socket.on("data", (chunk: Buffer) => {
            readBytes += chunk.length;
            if (readBytes > READ_BYTES_MAX) end(new EgressFailure("response_too_large"));
          });
        },
        onResponseStart(_controller, received, fields) {
          // The only request that names the whole URL is one to a proxy, and 407 then is the answer of the proxy.
          if (received === 407 && !path.startsWith("/")) end(new EgressFailure("connection_failed"));
          // The parser accepts any number with three digits.
          else if (received < 100 || received > 599) end(new EgressFailure("not_http"));
          else if (received >= 200) [status, retryAfter] = [received, [fields["retry-after"]].flat()[0] ?? null];
          else if (++interim > INTERIM_MAX) end(new EgressFailure("not_http"));
        },
        onResponseData(_controller, chunk) {
          keptBytes += chunk.copy(kept, keptBytes);
        },
        onResponseEnd: () => end(new EgressFailure("not_http")),
        onResponseError: (_controller, error) => end(signal.aborted ? (signal.reason as Error) : failureOf(error)),
      },
    );
  });
}

/** The beginning of a body as text. A character that is cut off is left out, and PostgreSQL can't store NUL. */
function excerptOf(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes).replaceAll("\0", "\uFFFD");
}
