import { parse } from "node:querystring";
import type { InputErrorCode } from "#generated/operations.ts";
import type { Operation } from "../contract/operations.ts";
import type { Failure, InputError } from "../failure.ts";
import { inputFailure } from "./input-failure.ts";

const DEPTH_MAX = 32;
/**
 * The maximum number of fields and items together, more than twice the longest list of the contract. The validation of 14,000 would block
 * the process for 200 ms.
 */
const MEMBERS_MAX = 256;

type Flaw = readonly [pointer: string, code: InputErrorCode, flaw: string];

/**
 * Refuses values that schemas permit, but PostgreSQL or JavaScript can't store exactly: U+0000, unpaired surrogates, and integers beyond
 * 2^53. Also refuses deep nesting and too many members. Returns null for a usable value.
 */
export function unusableValue(location: InputError["in"], whole: unknown): Failure | null {
  let members = 0;
  const flaw = flawIn(whole, "", 0);
  return flaw && inputFailure(location, ...flaw);

  function flawIn(value: unknown, pointer: string, depth: number): Flaw | null {
    if (depth > DEPTH_MAX) return [pointer, "depth", "is nested too deeply"];
    if (typeof value === "string") return textFlaw(value, pointer);
    if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
      return [pointer, "maximum", "is too large for an exact JSON integer"];
    if (typeof value !== "object" || value === null) return null;
    if (Array.isArray(value) && value.length > MEMBERS_MAX) return [pointer, "maxItems", "has too many items"];
    const entries = Object.entries(value);
    members += entries.length;
    if (members > MEMBERS_MAX) return ["", "maxProperties", `has more than ${MEMBERS_MAX} fields and items in all`];
    for (const [key, member] of entries) {
      const name = `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const flaw = textFlaw(key, pointer) ?? nameFlaw(key, name) ?? flawIn(member, name, depth + 1);
      if (flaw) return flaw;
    }
    return null;
  }
}

/** No name in the contract has these characters. The validator would not escape them in its pointers (RFC 6901). */
const nameFlaw = (key: string, pointer: string): Flaw | null =>
  /[~/]/.test(key) ? [pointer, "additionalProperties", "is unknown"] : null;

function textFlaw(text: string, pointer: string): Flaw | null {
  if (text.includes("\0")) return [pointer, "pattern", "must not contain U+0000"];
  return text.isWellFormed() ? null : [pointer, "pattern", "must not contain unpaired surrogates"];
}

type Query = NodeJS.Dict<string | string[]>;

/** Parses a query. Refuses text that is not UTF-8, unusable values, and integers that are not in plain digits, such as `1e1`. */
export function parseQuery(operation: Operation, search: string): Query {
  const query: Query = parse(search);
  if (search === "") return query;
  if (search.includes("%")) requireUtf8(operation, search);
  const known = () => Object.fromEntries(Object.entries(query).filter(([name]) => operation.queryParameters.includes(name)));
  const unusable = unusableValue("query", operation.ignoresUnknownQuery ? known() : query);
  if (unusable) throw unusable;
  for (const name of operation.integerParameters) {
    const value = query[name];
    if (value !== undefined && !(typeof value === "string" && INTEGER.test(value)))
      throw inputFailure("query", `/${name}`, "type", "must be an integer in plain digits");
  }
  return query;
}

const INTEGER = /^(0|-?[1-9]\d{0,15})$/;

/** Refuses a declared parameter whose percent-encoding is not UTF-8: `parse` returns U+FFFD for it, which the client did not send. */
function requireUtf8({ queryParameters }: Operation, search: string): void {
  for (const pair of search.split("&")) {
    const wrong = pair.match(ENCODED)?.find((it) => !isDecodable(it));
    const [name] = wrong === undefined ? [] : Object.keys(parse(pair));
    if (name === undefined || !queryParameters.includes(name)) continue;
    const flaw =
      wrong === "%" ? "has a % without two hexadecimal digits: send %25 for the sign itself" : `has ${wrong}, which is not UTF-8`;
    throw inputFailure("query", `/${name}`, "form", flaw);
  }
}

/** One encoded character, or what can't be one. */
const ENCODED = /%(?:[cd][\da-f]%[89ab][\da-f]|e[\da-f](?:%[89ab][\da-f]){2}|f[\da-f](?:%[89ab][\da-f]){3}|[\da-f]{2})|%/gi;

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
