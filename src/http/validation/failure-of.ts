import { inputErrorCodes, type InputErrorCode } from "#generated/operations.ts";
import { contentTooLarge, Failure, type InputError } from "../../failure.ts";

type Place = InputError["in"];
/** An error of express-openapi-validator, of Express's body parser or of Express itself. */
type HttpError = {
  readonly status?: number;
  readonly type?: string;
  readonly limit?: number;
  readonly headers?: Record<string, string>;
  readonly path?: string;
  readonly message?: string;
  readonly errors?: readonly ValidatorError[];
  readonly code?: string;
};
type ValidatorError = { readonly path: string; readonly message: string; readonly errorCode?: string };

const PLACES: Readonly<Record<string, Place>> = { body: "body", query: "query", params: "path", headers: "header" };

/** What an error that reached the seam means to the client; null when it is a defect of ours. */
export function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error;
  const it = error as HttpError;
  switch (it.type) {
    case "entity.parse.failed":
      return new Failure("malformed_body", "The body is not valid JSON.", { cause: error });
    case "entity.too.large":
      return contentTooLarge("The body", it.limit ?? 0);
    case "encoding.unsupported":
      return new Failure("unsupported_media_type", "Send the body without Content-Encoding.", { cause: error });
    case "charset.unsupported":
      return new Failure("unsupported_media_type", "Send the JSON as UTF-8.", { cause: error });
    case "request.size.invalid":
    case "request.aborted":
      return new Failure("malformed_body", "The body is shorter than its Content-Length says.", { cause: error });
    default:
  }
  if (error instanceof URIError)
    return new Failure("validation_failed", "The path has a percent-encoding that is not UTF-8.", { cause: error });
  // The validator lists what was wrong. Other libraries have errors with a status too, and theirs is none of the client's business.
  if (it.status === 400 && Array.isArray(it.errors)) return validationFailed(it, error);
  return null;
}

/** One input that is wrong, said in our words: what is demanded of it, or found in it. */
export function inputFailure(place: Place, pointer: string, code: InputErrorCode, flaw: string): Failure {
  const error = placeError(place, pointer, code, flaw);
  return new Failure("validation_failed", error.detail, { errors: [error] });
}

function placeError(place: Place, wholePointer: string, code: InputErrorCode, flaw: string): InputError {
  const pointer = shortened(wholePointer);
  return { in: place, pointer, code, detail: `${nameOf(place, pointer)} ${flaw}.` };
}

/** A place as a sentence names it: headers as they are usually written, the rest as the pointer has it. */
function nameOf(place: Place, pointer: string): string {
  if (pointer === "") return place === "body" ? "The body" : `The ${place}`;
  const name = pointer.slice(1);
  return place === "header" ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name;
}

/** At most 300 characters of a JSON Pointer, and still one: half an escape or half a character would not be. */
const shortened = (pointer: string) => pointer.slice(0, 300).replace(/[~\ud800-\udbff]$/, "");

function validationFailed(it: HttpError, cause: unknown): Failure {
  const errors = unique(
    (it.errors?.length ? it.errors : [{ path: it.path ?? "", message: it.message ?? "" }]).map(problemError),
  ).slice(0, 50);
  const key = errors.find((error) => error.in === "header" && error.pointer === "/idempotency-key" && error.code === "required");
  if (key)
    return new Failure("idempotency_key_required", "Send an Idempotency-Key header, so that a retry doesn't do this twice.", {
      errors: [key],
      cause,
    });
  const sentences = errors.slice(0, 3).map((error) => error.detail);
  return new Failure("validation_failed", `${sentences.join(" ")}${errors.length > 3 ? " …" : ""}`, { errors, cause });
}

function problemError({ path, message, errorCode }: ValidatorError): InputError {
  const [, place = "", rest = ""] = /^\/?(body|query|params|headers)(.*)$/.exec(path) ?? [];
  // The validator checks the type of a date-time by a keyword of its own.
  const keyword =
    errorCode?.split(".")[0]?.replace(/^x-eov-.*$/, "type") ??
    (message.startsWith("Unknown query") ? "additionalProperties" : message.startsWith("Empty value") ? "minLength" : "form");
  const code = inputErrorCodes.find((it) => it === keyword) ?? "form";
  return placeError(PLACES[place] ?? "query", rest, code, explain(keyword, message));
}

/** What a JSON Schema keyword demands, in our own words; the validator's text is not part of our promise. */
function explain(keyword: string, message: string): string {
  const number = /-?\d+(\.\d+)?/.exec(message)?.[0] ?? "";
  switch (keyword) {
    case "required":
      return "is required";
    case "additionalProperties":
      return "is unknown";
    case "type":
      return `must be ${/must be (.+)$/.exec(message)?.[1]?.replaceAll(",", " or ") ?? "of another type"}`;
    case "minLength":
      return number === "" || number === "1" ? "must not be empty" : `must have at least ${number} characters`;
    case "maxLength":
      return `must have at most ${number} characters`;
    case "minItems":
      return `must have at least ${number} items`;
    case "maxItems":
      return `must have at most ${number} items`;
    case "uniqueItems":
      return "must not have equal items";
    case "minimum":
      return `must be at least ${number}`;
    case "maximum":
      return `must be at most ${number}`;
    case "minProperties":
      return `must have at least ${number} field${number === "1" ? "" : "s"}`;
    case "enum":
      return `must be one of ${/values?: (.+)$/.exec(message)?.[1] ?? "the declared values"}`;
    case "pattern":
      return "does not have the required format";
    case "format":
      return `must be a valid ${/format "?([a-z0-9-]+)"?/.exec(message)?.[1] ?? "value"}`;
    default:
      return "is not what the contract asks for";
  }
}

const unique = (errors: readonly InputError[]) => [
  ...new Map(errors.map((it) => [`${it.in}${it.pointer}${it.code}`, it])).values(),
];
