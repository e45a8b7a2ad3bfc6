import type { InputErrorCode } from "#generated/operations.ts";
import type { ProblemCode, Schemas } from "./contract/contract.ts";

/** An invalid input. The schema allows unknown codes, so that codes can be added; the service sends only known ones. */
export type InputError = Schemas["ProblemError"] & { readonly code: InputErrorCode };

/** Data for the client, in addition to the sentence. */
export type FailureData = {
  /** The invalid inputs. */
  readonly errors?: readonly InputError[];
  readonly retryAfterSeconds?: number;
  /** The methods that the resource supports. */
  readonly methods?: readonly string[];
  /** The media types that the operation accepts. */
  readonly mediaTypes?: readonly string[];
  /** The values of Content-Encoding that the operation accepts. */
  readonly contentCodings?: readonly string[];
  /** The scopes that the operation requires. */
  readonly scopes?: readonly string[];
  /** The size of the file of which the client requested a range. */
  readonly sizeBytes?: number;
  /** The limit that refuses the request, for metrics only. */
  readonly limit?: { readonly on: "requests in flight" | "rate"; readonly name: string };
  /** The state of a resumable upload. */
  readonly upload?: { readonly offset: number; readonly isComplete: boolean };
  /** The state of the data in which the request was refused. */
  readonly consistencyToken?: string;
};
/** The underlying error. It is logged and never sent to the client. */
type Cause = { readonly cause?: unknown };

/**
 * The error that refuses a request. `code` is a problem code of the contract, which defines the status. `detail` is a sentence for the
 * client. `http/problem.ts` converts it into a response.
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

  /** The same failure with more data for the client. */
  with(data: FailureData): Failure {
    return new Failure(this.code, this.detail, { ...this.data, ...data, cause: this.cause });
  }
}

/** The failure for one refused input. The problem and its only error have the same code and sentence. */
export function refusedInput(
  code: ProblemCode & InputErrorCode,
  { in: location, pointer, detail, cause }: Omit<InputError, "code"> & Cause,
): Failure {
  return new Failure(code, detail, { errors: [{ in: location, pointer, code, detail }], cause });
}

/** The failure for a body that is, or would become, too large. */
export function contentTooLarge(noun: "The body" | "A video", maxBytes: number, cause?: unknown): Failure {
  return new Failure("content_too_large", `${noun} can have at most ${maxBytes} bytes.`, { cause });
}

/** The failure for a temporary condition of the service: a retry can succeed. */
export function unavailable(cause?: unknown): Failure {
  const detail = "The service is temporarily unavailable. Try again in a moment.";
  return new Failure("unavailable", detail, { retryAfterSeconds: 1, cause });
}

/** The same failure for a missing resource and for one of another user, so that clients can't distinguish them. */
export function notFound(noun: string): Failure {
  return new Failure("not_found", `There is no such ${noun}.`);
}

/** Returns the row, or throws `not_found` if there is none. */
export function orNotFound<Row>(row: Row | null, noun: string): Row {
  if (row === null) throw notFound(noun);
  return row;
}

/** The result of a read, or null if the user has no access. */
export async function nullIfUnreadable<Row>(read: Promise<Row>): Promise<Row | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Failure && ["not_found", "not_a_member"].includes(error.code)) return null;
    throw error;
  }
}
