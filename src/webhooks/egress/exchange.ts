import { StringDecoder } from "node:string_decoder";
import { clientOn, failureOf } from "./client.ts";
import type { OpenSocket } from "./connect.ts";
import { EgressFailure, type Response } from "./outcome.ts";

export type EgressRequest = {
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8, by POST. */
  readonly body: string;
};

const EXCERPT_BYTES = 1_024;
/**
 * 64 kB of body, and as much of everything else: undici doesn't limit empty lines, 1xx responses, chunk extensions and trailers.
 */
const READ_BYTES_MAX = 131_072;
/** The most 1xx responses. Real servers send one or two. */
const INTERIM_MAX = 16;

/**
 * Sends one request and reads its response. Doesn't follow redirects, because their addresses are not checked, and doesn't
 * decompress, because few bytes can become many.
 */
export function exchange(
  { origin, socket, path, headers: added }: OpenSocket & { readonly origin: string },
  { headers, body }: EgressRequest,
  signal: AbortSignal,
): Promise<Omit<Response, "kind" | "durationMs">> {
  return new Promise((resolve, reject) => {
    let status: number | null = null;
    let retryAfter: string | null = null;
    let interim = 0;
    let readBytes = 0;
    const excerpt = Buffer.alloc(EXCERPT_BYTES);
    let excerptBytes = 0;
    const client = clientOn(socket, origin);
    const end = (error: Error) => {
      signal.removeEventListener("abort", onAbort);
      void client.destroy().catch(() => undefined);
      socket.destroy();
      if (status === null) reject(error);
      else resolve({ status, retryAfter, excerpt: excerptOf(excerpt.subarray(0, excerptBytes)) });
    };
    const onAbort = () => end(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    client.dispatch(
      { path, method: "POST", headers: { ...added, ...headers }, body: Buffer.from(body) },
      {
        onRequestStart() {
          // undici reads with `readable`, so this listener doesn't start the flow.
          socket.on("data", (chunk: Buffer) => {
            readBytes += chunk.length;
            if (readBytes > READ_BYTES_MAX) end(new EgressFailure("response_too_large"));
          });
        },
        onResponseStart(_controller, received, fields) {
          // Only a request to a proxy has the whole URL as its target. Then, 407 comes from the proxy.
          if (received === 407 && !path.startsWith("/")) end(new EgressFailure("connection_failed"));
          // The parser accepts any three digits.
          else if (received < 100 || received > 599) end(new EgressFailure("not_http"));
          else if (received >= 200) [status, retryAfter] = [received, [fields["retry-after"]].flat()[0] ?? null];
          else if (++interim > INTERIM_MAX) end(new EgressFailure("not_http"));
        },
        onResponseData(_controller, chunk) {
          excerptBytes += chunk.copy(excerpt, excerptBytes);
        },
        onResponseEnd: () => end(new EgressFailure("not_http")),
        onResponseError: (_controller, error) => end(signal.aborted ? (signal.reason as Error) : failureOf(error)),
      },
    );
  });
}

/** The beginning of a body as text, without a truncated character, and without NUL, which PostgreSQL can't store. */
function excerptOf(bytes: Buffer): string {
  return new StringDecoder("utf8").write(bytes).replaceAll("\0", "\uFFFD");
}
