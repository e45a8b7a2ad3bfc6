import { setTimeout as delay } from "node:timers/promises";
import { brokenConnection, refusal, retryAfterMs, unreachable } from "./api.ts";

type ApiResult<T> = { readonly data?: T; readonly error?: unknown; readonly response: Response };
type Options = {
  readonly url: string;
  readonly signal: AbortSignal;
  /** Whether the service has responded before. If not, a refused connection is not retried. */
  readonly isKnown: boolean;
  onRetry(reason: string): void;
};

const ATTEMPTS_MAX = 6;
const BACKOFF_MS = 1_000;
const BACKOFF_MAX_MS = 16_000;

/** Sends a request, and retries it if the connection breaks or the service asks to wait. Returns a success or a 304. */
export async function withRetries<T>(
  { url, signal, isKnown, onRetry }: Options,
  request: () => Promise<ApiResult<T>>,
): Promise<ApiResult<T>> {
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === ATTEMPTS_MAX;
    let waitMs = Math.min(BACKOFF_MAX_MS, BACKOFF_MS * 2 ** (attempt - 1));
    try {
      const result = await request();
      if (result.response.ok || result.response.status === 304) return result;
      const retryDelayMs = retryAfterMs(result.response, result.error);
      if (retryDelayMs === null || isLast) throw refusal(result.response, result.error);
      waitMs = Math.max(waitMs, retryDelayMs);
      onRetry(`The service asks to wait (${result.response.status})`);
    } catch (error) {
      signal.throwIfAborted();
      const code = brokenConnection(error);
      if (code === null) throw error instanceof TypeError && error.cause !== undefined ? unreachable(url, error) : error;
      if (isLast || (code === "ECONNREFUSED" && attempt === 1 && !isKnown)) throw unreachable(url, error);
      onRetry(`The connection broke (${code})`);
    }
    await delay(waitMs, undefined, { signal });
  }
}
