import type { InputErrorCode } from "#generated/operations.ts";
import { Failure, type InputError } from "../failure.ts";

/** An invalid input: its location, the violated rule, and the end of a sentence such as "must not be empty". */
export function inputError(location: InputError["in"], wholePointer: string, code: InputErrorCode, flaw: string): InputError {
  const pointer = shortened(wholePointer);
  return { in: location, pointer, code, detail: `${nameOf(location, pointer)} ${flaw}.` };
}

/** The failure of a request with one invalid input. */
export function inputFailure(...input: Parameters<typeof inputError>): Failure {
  const error = inputError(...input);
  return new Failure("validation_failed", error.detail, { errors: [error] });
}

/** The name of an input in a sentence: a header in its usual case, any other input as in the pointer. */
function nameOf(location: InputError["in"], pointer: string): string {
  if (pointer === "") return location === "body" ? "The body" : `The ${location}`;
  const name = pointer.slice(1) || '""';
  return location === "header" ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name;
}

/** Cuts a JSON Pointer to 300 characters, without half an escape or surrogate pair at the end. */
const shortened = (pointer: string) => pointer.slice(0, 300).replace(/[~\ud800-\udbff]$/, "");
