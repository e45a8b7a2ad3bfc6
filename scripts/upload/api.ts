import createClient, { type Client } from "openapi-fetch";
import { StartupError } from "../../src/startup-error.ts";
import type { components, paths } from "#generated/openapi.d.ts";

/** openapi-fetch takes a readonly array for an object and maps its methods away, so it is given the types without `readonly`. */
type Writable<T> = T extends readonly (infer E)[]
  ? Writable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;
type Paths = Writable<paths>;

/** A client of the service, with the paths, parameters and answers of the contract as types. */
export type Api = Client<Paths>;
export type VideoUpload = Writable<components["schemas"]["VideoUpload"]>;

/** Why it cannot go on, as one sentence for the person who waits. */
export class UploadError extends StartupError {}

/** Speaks to the service at `url` as the owner of `key`. */
export function createApi(url: string, key: string): Api {
  return createClient<Paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
}

/** A refusal of the service as a sentence; `problem` is the body of the answer, if it was one of ours. */
export function refusal(response: Response, problem: unknown): UploadError {
  const { code, detail } = (problem ?? {}) as Partial<components["schemas"]["Problem"]>;
  if (code === undefined)
    return new UploadError(
      `${new URL(response.url).origin} answered ${response.status} ${response.statusText}; is it this service?`,
    );
  if (response.status === 401) return new UploadError(`The API key is not accepted: ${detail} (${code})`);
  return new UploadError(`The service refused: ${detail} (${code})`);
}

/** How long to wait before asking again, when the answer is that it is only for now. */
export function retryAfterMs(response: Response, problem: unknown): number | null {
  const isForNow =
    [408, 429, 502, 503, 504].includes(response.status) ||
    (problem as { code?: string } | undefined)?.code === "idempotency_in_progress";
  return isForNow ? secondsOf(response) * 1_000 : null;
}

/** The `Retry-After` of an answer in seconds, 1 when it has none. */
export function secondsOf(response: Response): number {
  const seconds = Number(response.headers.get("retry-after") ?? 1);
  return Number.isFinite(seconds) ? seconds : 1;
}

const BROKEN = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EAI_AGAIN",
  "UND_ERR_SOCKET",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** The code of a connection that broke or did not come about, or null when it was something else. */
export function brokenConnection(error: unknown): string | null {
  const cause = error instanceof TypeError ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" && BROKEN.has(cause.code) ? cause.code : null;
}

/** What to tell when nobody is there. */
export function unreachable(url: string, error: unknown): UploadError {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message?: string };
  return new UploadError(`${url} does not answer (${code ?? message}). Is the service running? npm start`);
}
