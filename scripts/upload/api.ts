import createClient, { type Client } from "openapi-fetch";
import { StartupError } from "../../src/util/startup-error.ts";
import type { components, paths } from "#generated/openapi.d.ts";

/** openapi-fetch treats a readonly array as an object and loses its methods, so it gets the types without `readonly`. */
type Writable<T> = T extends readonly (infer E)[]
  ? Writable<E>[]
  : T extends object
    ? { -readonly [K in keyof T]: Writable<T[K]> }
    : T;
type Paths = Writable<paths>;

/** A client of the service, typed by the contract. */
export type Api = Client<Paths>;
export type VideoUpload = Writable<components["schemas"]["VideoUpload"]>;

/** Explains to the user why the upload can't continue. */
export class UploadError extends StartupError {}

/** Creates a client of the service at `url` that sends `key`. */
export function createApi(url: string, key: string): Api {
  return createClient<Paths>({ baseUrl: url, headers: { Authorization: `Bearer ${key}` } });
}

/** An error response of the service as a sentence. `problem` is its body. */
export function refusal(response: Response, problem: unknown): UploadError {
  const { code, detail } = (problem ?? {}) as Partial<components["schemas"]["Problem"]>;
  if (code === undefined)
    return new UploadError(
      `${new URL(response.url).origin} returned ${response.status} ${response.statusText}. Is this the right service?`,
    );
  if (response.status === 401) return new UploadError(`The API key is not accepted: ${detail} (${code})`);
  return new UploadError(`The service refused: ${detail} (${code})`);
}

/** How long to wait before a retry, or null if a retry doesn't help. */
export function retryAfterMs(response: Response, problem: unknown): number | null {
  const isTemporary =
    [408, 429, 502, 503, 504].includes(response.status) ||
    (problem as { code?: string } | undefined)?.code === "idempotency_in_progress";
  return isTemporary ? secondsOf(response) * 1_000 : null;
}

/** The `Retry-After` of a response in seconds, or 1. */
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

/** The code of a connection that failed or broke, or null for any other error. */
export function brokenConnection(error: unknown): string | null {
  const cause = error instanceof TypeError ? (error.cause as { code?: unknown } | undefined) : undefined;
  return typeof cause?.code === "string" && BROKEN.has(cause.code) ? cause.code : null;
}

/** The error for a service that can't be reached. */
export function unreachable(url: string, error: unknown): UploadError {
  const { code, message } = ((error as Error).cause ?? error) as { code?: string; message?: string };
  return new UploadError(`${url} doesn't respond (${code ?? message}). Is the service running? Start it with: npm start`);
}
