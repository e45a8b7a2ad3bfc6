import type { InputErrorCode } from "#generated/operations.ts";
import type { ProblemCode, Schemas } from "./contract/contract.ts";

/** One input that is wrong. Clients accept any code; the service sends those that the contract lists. */
export type InputError = Schemas["ProblemError"] & { readonly code: InputErrorCode };

/** What a client is told beside the sentence. */
export type FailureData = {
  /** The inputs that were wrong, when it was the input. */
  readonly errors?: readonly InputError[];
  readonly retryAfterSeconds?: number;
  /** What the resource, the operation or the credential would have to be asked with instead. */
  readonly methods?: readonly string[];
  readonly mediaTypes?: readonly string[];
  readonly scopes?: readonly string[];
  /** The size of the file that a range was asked of. */
  readonly sizeBytes?: number;
  /** How far an upload has come, and where it is resumed when it is not where the client asked. */
  readonly upload?: { readonly offset: number; readonly isComplete: boolean; readonly location?: string | undefined };
};
/** What really happened; for the log, never for the client. */
type Cause = { readonly cause?: unknown };

/**
 * The one way for code of this service to say no. `code` is an entry of the contract's catalogue, which decides the
 * status; `detail` is a sentence for the client. Knows nothing of HTTP: `http/problem.ts` turns it into an answer.
 */
export class Failure extends Error {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly data: FailureData;

  constructor(code: ProblemCode, detail: string, { cause, ...data }: FailureData & Cause = {}) {
    super(`${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
    this.data = data;
  }
}

/** The answer for one input whose value is refused: a problem and an error of the same code and sentence. */
export function refusedInput(
  code: ProblemCode & InputErrorCode,
  { in: place, pointer, detail, cause }: Omit<InputError, "code"> & Cause,
): Failure {
  return new Failure(code, detail, { errors: [{ in: place, pointer, code, detail }], cause });
}

/** The answer for a body that is too large, or would become so. */
export function contentTooLarge(noun: "The body" | "A video", maxBytes: number, cause?: unknown): Failure {
  return new Failure("content_too_large", `${noun} can have at most ${maxBytes} bytes.`, { cause });
}

/** The answer when the service cannot do it just now, and will be able to when it is asked again. */
export function unavailable(cause?: unknown): Failure {
  const detail = "The service is temporarily unavailable. Try again in a moment.";
  return new Failure("unavailable", detail, { retryAfterSeconds: 1, cause });
}

/** The answer for what does not exist and for what belongs to another user: a client must not see the difference. */
export function notFound(noun: string): Failure {
  return new Failure("not_found", `There is no such ${noun}.`);
}

/** The row that was looked for, or the failure for what does not exist. */
export function found<Row>(row: Row | null, noun: string): Row {
  if (row === null) throw notFound(noun);
  return row;
}
