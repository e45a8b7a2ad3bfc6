import type { InputErrorCode } from "#generated/operations.ts";
import { Failure, type InputError } from "../failure.ts";

/** An input that is not valid: its place, the rule that it breaks, and the end of a sentence such as "must not be empty". */
export function inputError(place: InputError["in"], wholePointer: string, code: InputErrorCode, flaw: string): InputError {
  const pointer = shortened(wholePointer);
  return { in: place, pointer, code, detail: `${nameOf(place, pointer)} ${flaw}.` };
}

/** The failure of a request with one input that is not valid. */
export function inputFailure(...input: Parameters<typeof inputError>): Failure {
  const error = inputError(...input);
  return new Failure("validation_failed", error.detail, { errors: [error] });
}

/** The name of an input in a sentence: a header in its usual case, any other input as in the pointer. */
function nameOf(place: InputError["in"], pointer: string): string {
  if (pointer === "") return place === "body" ? "The body" : `The ${place}`;
  const name = pointer.slice(1) || '""';
  return place === "header" ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name;
}

/** Cuts a JSON Pointer to 300 characters. Removes half an escape or half a surrogate pair, so that the rest is still valid. */
const shortened = (pointer: string) => pointer.slice(0, 300).replace(/[~\ud800-\udbff]$/, "");
