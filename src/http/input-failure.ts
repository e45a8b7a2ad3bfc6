import type { InputErrorCode } from "#generated/operations.ts";
import { Failure, type InputError } from "../failure.ts";

/** One input that is wrong: where it is, the rule it breaks, and what is demanded of it or found in it. */
export function inputError(place: InputError["in"], wholePointer: string, code: InputErrorCode, flaw: string): InputError {
  const pointer = shortened(wholePointer);
  return { in: place, pointer, code, detail: `${nameOf(place, pointer)} ${flaw}.` };
}

/** The failure of a request with one wrong input. */
export function inputFailure(...input: Parameters<typeof inputError>): Failure {
  const error = inputError(...input);
  return new Failure("validation_failed", error.detail, { errors: [error] });
}

/** A place as a sentence names it: headers as they are usually written, the rest as the pointer has it. */
function nameOf(place: InputError["in"], pointer: string): string {
  if (pointer === "") return place === "body" ? "The body" : `The ${place}`;
  const name = pointer.slice(1) || '""';
  return place === "header" ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name;
}

/** At most 300 characters of a JSON Pointer, and still one: half an escape or half a character would not be. */
const shortened = (pointer: string) => pointer.slice(0, 300).replace(/[~\ud800-\udbff]$/, "");
