import type { InputErrorCode } from "#generated/operations.ts";
import type { ProblemCode, Schemas } from "./contract/contract.ts";

/** One input that is wrong. The contract lets clients bear any code; we send those that it lists. */
export type InputError = Schemas["ProblemError"] & { readonly code: InputErrorCode };

type Extra = {
  /** The inputs that were wrong, when it was the input. */
  readonly errors?: readonly InputError[];
  /** Headers that the answer needs, such as `Retry-After` or `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What really happened; for the log, never for the client. */
  readonly cause?: unknown;
};

/**
 * The one way for code of this service to say no. `code` is an entry of the contract's catalogue, which decides the
 * status; `detail` is a sentence for the client. Knows nothing of HTTP: `http/problem.ts` turns it into an answer.
 */
export class Failure extends Error {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly InputError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, extra: Extra = {}) {
    super(`${code}: ${detail}`, { cause: extra.cause });
    this.code = code;
    this.detail = detail;
    this.errors = extra.errors ?? [];
    this.headers = extra.headers ?? {};
  }
}

/** The answer for a body that is too large, or would become so. */
export function contentTooLarge(noun: "The body" | "A video", maxBytes: number, cause?: unknown): Failure {
  return new Failure("content_too_large", `${noun} may have at most ${maxBytes} bytes.`, { cause });
}

/** The answer for what is not there and for what is somebody else's: the two must not be told apart. */
export function notFound(noun: string): Failure {
  return new Failure("not_found", `There is no such ${noun}.`);
}
