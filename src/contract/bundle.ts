import { readFileSync } from "node:fs";

/** The contract in one piece, as far as code reads it. */
export type Contract = {
  readonly info: { readonly version: string; readonly title: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Json>>;
};
type Json = { readonly [key: string]: unknown };

/** The published document, byte for byte. Only this function knows where it is. */
export function readBundle(format: "json" | "yaml"): Buffer {
  return readFileSync(new URL(`../../generated/openapi.${format}`, import.meta.url));
}

/** The published document, parsed. */
export const readContract = (): Contract => JSON.parse(readBundle("json").toString()) as Contract;

/**
 * The contract with every object closed. The published document leaves answers open, so that they may grow; what we send
 * today must be exactly what is declared, or a storage column leaks.
 */
export function sealed(contract: Contract): Contract {
  const copy = structuredClone(contract);
  for (const schema of Object.values(copy.components["schemas"] as Record<string, Record<string, unknown>>)) {
    if (schema["properties"] !== undefined) schema["additionalProperties"] = false;
  }
  return copy;
}

/** The object itself, or what its `$ref` into the same document points at. */
export function resolve<T = Json>(contract: Contract, node: Json): T {
  const reference = node["$ref"];
  if (typeof reference !== "string") return node as T;
  const target = nodeAt(contract, reference);
  if (target === undefined) throw new Error(`${reference} leads nowhere.`);
  return resolve<T>(contract, target as Json);
}

/** What is at a JSON Pointer of the document, or undefined. */
export function nodeAt(contract: Json, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>((it, key) => (it as Json | undefined)?.[key], contract);
}

/** The keys of a JSON Pointer in a fragment, `#/paths/~1posts`. */
export function keysOf(pointer: string): string[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((it) => decodeURIComponent(it).replaceAll("~1", "/").replaceAll("~0", "~"));
}
