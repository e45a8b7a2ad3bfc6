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

/** The location of a change in words: "`GET /posts`" and "response 200, field `title`". */
export type Location = { readonly subject: string; readonly part: string };

const OMITTED_KEYS = new Set([
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
export function locationOf(contract: Contract, pointer: string): Location {
  const [section, ...keys] = keysOf(pointer);
  if (section === "paths") {
    const [path = "", method = "", ...rest] = keys;
    if (METHODS.includes(method))
      return {
        subject: `\`${nameOfOperation(path, method)}\``,
        part: describePath(contract, `#/paths/${escaped(path)}/${method}`, rest),
      };
    return { subject: `path \`${path}\``, part: describePath(contract, `#/paths/${escaped(path)}`, keys.slice(1)) };
  }
  if (section === "components") {
    const [kind = "", name = "", ...rest] = keys;
    return { subject: componentName(contract, kind, name), part: describePath(contract, `#/components/${kind}/${name}`, rest) };
  }
  return { subject: "the document", part: [section, ...keys].filter(Boolean).join(" ") };
}

function componentName(contract: Contract, kind: string, name: string): string {
  const component = contract.components[kind]?.[name] as { readonly name?: string } | undefined;
  if (kind === "schemas") return `schema \`${name}\``;
  if (kind === "parameters") return `parameter \`${component?.name ?? name}\``;
  if (kind === "headers") return `header \`${name}\``;
  if (kind === "responses") return `response \`${name}\``;
  return `\`${name}\``;
}

function describePath(contract: Contract, start: string, keys: readonly string[]): string {
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
    else if (before === "content" && !OMITTED_KEYS.has(key)) words.push(key);
    else if (key === "requestBody") words.push("request body");
    else if (key === "items") words.push("each item");
    else if (!OMITTED_KEYS.has(key) && !/^\d+$/.test(key) && !words.includes(key)) words.push(key);
  }
  return words.join(", ");
}

function parameterName(contract: Contract, pointer: string): string {
  const node = nodeAt(contract, pointer) as Json | undefined;
  return node === undefined ? "?" : String(resolve(contract, node)["name"]);
}

/** Describes a change in words. */
export function describeChange({ kind, property, base, revision, typeName }: RawChange): string {
  const [before, after] = [base?.value, revision?.value];
  if (typeName === "LinksMap" || typeName === "ExamplesMap")
    return `${typeName === "LinksMap" ? "links" : "examples"} ${kind === "added" ? "are new" : "are removed"}`;
  if (kind === "added")
    return typeName === "Operation" ? `is new: ${(after as RawOperation).summary ?? ""}` : `is new${summaryOf(after)}`;
  if (kind === "removed") return "is removed";
  if (property === "description" || property === "summary") return `${property} is reworded`;
  if (property === "key") return `becomes \`${String(after)}\``;
  if (property === "required") return describeRequired(before, after, typeName);
  if (Array.isArray(before) && Array.isArray(after)) return describeList(`the values of \`${property}\``, before, after);
  return `\`${property}\`: ${short(before)} → ${short(after)}`;
}

function describeRequired(before: unknown, after: unknown, typeName: string): string {
  if (typeName !== "Schema")
    return after === true ? "is now required" : typeName === "Header" ? "can now be missing" : "can now be left out";
  return describeList("the required fields", (before ?? []) as readonly unknown[], (after ?? []) as readonly unknown[]);
}

function describeList(what: string, before: readonly unknown[], after: readonly unknown[]): string {
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
