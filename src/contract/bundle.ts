import { readFileSync } from "node:fs";

/** The bundled contract, with only the fields that code reads. */
export type Contract = {
  readonly info: { readonly version: string; readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: { readonly requestBody: { readonly content: Json } } }>>;
  readonly components: Readonly<Record<string, Json>>;
};
type Json = { readonly [key: string]: unknown };

/** The bytes of a published document: the whole contract, the edition for client generators, or the one in OpenAPI 3.0 (only JSON). */
export function readBundle(format: "json" | "yaml", edition: "whole" | "clients" | "3.0" = "whole"): Buffer {
  const name = edition === "whole" ? "openapi" : `openapi.${edition}`;
  return readFileSync(new URL(`../../generated/${name}.${format}`, import.meta.url));
}

let published: Contract | undefined;

/** The published document, parsed once. */
export const readContract = (): Contract => (published ??= JSON.parse(readBundle("json").toString()) as Contract);

/**
 * The contract with closed schemas, so that no undeclared field, such as a database column, can leak. The published document allows
 * additional properties in responses, because versions can add fields.
 */
export function withClosedSchemas(contract: Contract): Contract {
  const copy = structuredClone(contract);
  for (const schema of Object.values(copy.components["schemas"] as Record<string, Record<string, unknown>>)) {
    if (schema["properties"] !== undefined) schema["additionalProperties"] = false;
  }
  return copy;
}

/** The limits that a minor version can raise in a response with `x-may-grow`. */
const GROWING = ["maxLength", "maxItems", "maximum"];

/**
 * The contract with open schemas, for a stored response of another minor version. It can have more or fewer fields, and higher limits with
 * `x-may-grow`.
 */
export function withOpenSchemas(contract: Contract): Contract {
  const copy = structuredClone(contract);
  const open = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const schema = node as Record<string, unknown>;
    if (schema["properties"] !== undefined) for (const name of ["required", "additionalProperties"]) delete schema[name];
    if (schema["x-may-grow"] === true) for (const name of GROWING) delete schema[name];
    Object.values(schema).forEach(open);
  };
  open(copy.components["schemas"]);
  return copy;
}

/** The object itself, or the target of its `$ref` within the document. */
export function resolve<T = Json>(contract: Contract, node: Json): T {
  const reference = node["$ref"];
  if (typeof reference !== "string") return node as T;
  const target = nodeAt(contract, reference);
  if (target === undefined) throw new Error(`${reference} does not exist in the contract.`);
  return resolve<T>(contract, target as Json);
}

/** The value at a JSON Pointer in the document, or undefined. */
export function nodeAt(contract: Json, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>((it, key) => (it as Json | undefined)?.[key], contract);
}

/** The keys of a JSON Pointer in a URI fragment, such as `#/paths/~1posts`. */
export function keysOf(pointer: string): string[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((it) => decodeURIComponent(it).replaceAll("~1", "/").replaceAll("~0", "~"));
}
