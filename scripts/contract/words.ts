import {
  escaped,
  keysOf,
  METHODS,
  nameOfOperation,
  nodeAt,
  resolve,
  type Contract,
  type Json,
  type RawOperation,
} from "./document.ts";
import type { RawChange } from "./redocly-diff.ts";

/** What has changed, in the words of the contract: "`GET /posts`", "response 200, field `title`". */
export type Place = { readonly subject: string; readonly place: string };

const UNSAID = new Set([
  "$ref",
  "properties",
  "content",
  "schema",
  "headers",
  "responses",
  "parameters",
  "links",
  "examples",
  "application/json",
  "application/problem+json",
  "oneOf",
  "x-extensible-enum",
]);

/** Describes a JSON Pointer in words. Looks up the names of parameters in the contract. */
export function placeOf(contract: Contract, pointer: string): Place {
  const [section, ...keys] = keysOf(pointer);
  if (section === "paths") {
    const [path = "", method = "", ...rest] = keys;
    if (METHODS.includes(method))
      return {
        subject: `\`${nameOfOperation(path, method)}\``,
        place: wordsFor(contract, `#/paths/${escaped(path)}/${method}`, rest),
      };
    return { subject: `path \`${path}\``, place: wordsFor(contract, `#/paths/${escaped(path)}`, keys.slice(1)) };
  }
  if (section === "components") {
    const [kind = "", name = "", ...rest] = keys;
    return { subject: componentName(contract, kind, name), place: wordsFor(contract, `#/components/${kind}/${name}`, rest) };
  }
  return { subject: "the document", place: [section, ...keys].filter(Boolean).join(" ") };
}

function componentName(contract: Contract, kind: string, name: string): string {
  const component = contract.components[kind]?.[name] as { readonly name?: string } | undefined;
  if (kind === "schemas") return `schema \`${name}\``;
  if (kind === "parameters") return `parameter \`${component?.name ?? name}\``;
  if (kind === "headers") return `header \`${name}\``;
  if (kind === "responses") return `response \`${name}\``;
  return `\`${name}\``;
}

function wordsFor(contract: Contract, start: string, keys: readonly string[]): string {
  let pointer = start;
  const words: string[] = [];
  for (const [at, key] of keys.entries()) {
    pointer += `/${escaped(key)}`;
    const before = keys[at - 1];
    if (before === "parameters") words.push(`parameter \`${parameterName(contract, pointer)}\``);
    else if (before === "responses") words.push(key === "default" ? "any other response" : `response ${key}`);
    else if (before === "headers") words.push(`header \`${key}\``);
    else if (before === "properties") words.push(`field \`${key}\``);
    else if (before === "links") words.push(`link \`${key}\``);
    else if (before === "examples") words.push(`example \`${key}\``);
    else if (before === "content" && !UNSAID.has(key)) words.push(key);
    else if (key === "requestBody") words.push("request body");
    else if (key === "items") words.push("each item");
    else if (!UNSAID.has(key) && !/^\d+$/.test(key) && !words.includes(key)) words.push(key);
  }
  return words.join(", ");
}

function parameterName(contract: Contract, pointer: string): string {
  const node = nodeAt(contract, pointer) as Json | undefined;
  return node === undefined ? "?" : String(resolve(contract, node)["name"]);
}

/** Describes a change in words. */
export function eventOf({ kind, property, base, revision, typeName }: RawChange): string {
  const [before, after] = [base?.value, revision?.value];
  if (typeName === "LinksMap" || typeName === "ExamplesMap")
    return `${typeName === "LinksMap" ? "links" : "examples"} ${kind === "added" ? "are new" : "are removed"}`;
  if (kind === "added")
    return typeName === "Operation" ? `is new: ${(after as RawOperation).summary ?? ""}` : `is new${summaryOf(after)}`;
  if (kind === "removed") return "is removed";
  if (property === "description" || property === "summary") return `${property} is reworded`;
  if (property === "key") return `becomes \`${String(after)}\``;
  if (property === "required") return requiredEvent(before, after, typeName);
  if (Array.isArray(before) && Array.isArray(after)) return listEvent(`the values of \`${property}\``, before, after);
  return `\`${property}\`: ${short(before)} → ${short(after)}`;
}

function requiredEvent(before: unknown, after: unknown, typeName: string): string {
  if (typeName !== "Schema")
    return after === true ? "is now required" : typeName === "Header" ? "can now be missing" : "can now be left out";
  return listEvent("the required fields", (before ?? []) as readonly unknown[], (after ?? []) as readonly unknown[]);
}

function listEvent(what: string, before: readonly unknown[], after: readonly unknown[]): string {
  const gained = after.filter((it) => !before.includes(it)).map(short);
  const lost = before.filter((it) => !after.includes(it)).map(short);
  const moves = [gained.length > 0 ? `gain ${gained.join(", ")}` : "", lost.length > 0 ? `lose ${lost.join(", ")}` : ""].filter(
    Boolean,
  );
  return `${what} ${moves.join(" and ") || "in another order"}`;
}

function summaryOf(value: unknown): string {
  const { type, required } = (value ?? {}) as { type?: string | readonly string[]; required?: boolean };
  const words = [type === undefined ? "" : [type].flat().join(" or "), required === true ? "required" : ""].filter(Boolean);
  return words.length === 0 ? "" : ` (${words.join(", ")})`;
}

const SHORT_MAX = 120;

/** A value on one line. */
export function short(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > SHORT_MAX ? `${text.slice(0, SHORT_MAX)}…` : text;
}
