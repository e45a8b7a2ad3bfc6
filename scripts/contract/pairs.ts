import { escaped, follow, keysOf, nodeAt, operationsOf, type Contract, type Json } from "./document.ts";

/** Where a part is used: in what clients send, in what they get, or in neither. */
export type Side = "request" | "response" | "neither";

/** One place of the contract, before and after; `pointer` is where it is written in the old one. */
export type Pair = { readonly was: Json; readonly now: Json; readonly pointer: string; readonly side: Side };

/** Keys below which everything is named by the contract itself, so that no key is a keyword. */
const MAPS = new Set(["properties", "headers", "content", "responses", "links"]);
/** Keywords that hold values, in which a `$ref` would be somebody's text. */
const VALUES = new Set(["example", "examples", "default", "enum", "const"]);

/**
 * Every object that both contracts have in the same place, as clients come across it: operations by their id, parameters
 * by their name, and references followed. So it does not matter in which order things are written, nor what those
 * components are called that are no schemas.
 */
export function pairsOf(base: Contract, revision: Contract): readonly Pair[] {
  const pairs: Pair[] = [];
  const seen = new Set<string>();

  const visit = (was: unknown, now: unknown, pointer: string, side: Side, isMap = false): void => {
    if (!isObject(was) || !isObject(now)) return;
    const [before, after] = [written(base, was, pointer), written(revision, now, pointer)];
    if (before.node !== was || after.node !== now) pairs.push({ was, now, pointer, side });
    const place = `${side} ${before.pointer}`;
    if (seen.has(place)) return;
    seen.add(place);
    pairs.push({ was: before.node, now: after.node, pointer: before.pointer, side });
    for (const [key, child] of Object.entries(before.node)) {
      const at = `${before.pointer}/${escaped(key)}`;
      if (isMap) visit(child, after.node[key], at, side);
      else if (key === "parameters" && Array.isArray(child))
        visitParameters(child as Json[], after.node[key] as Json[] | undefined, at);
      else if (!VALUES.has(key) && !key.startsWith("x-")) visit(child, after.node[key], at, sideOf(key) ?? side, MAPS.has(key));
    }
  };

  const visitParameters = (was: readonly Json[], now: readonly Json[] = [], pointer: string): void => {
    const keyOf = (contract: Contract, it: Json) =>
      `${String(follow(contract, it)["in"])} ${String(follow(contract, it)["name"])}`;
    const after = new Map(now.map((it) => [keyOf(revision, it), it]));
    for (const [index, it] of was.entries()) visit(it, after.get(keyOf(base, it)), `${pointer}/${index}`, "request");
  };

  const later = new Map(operationsOf(revision).map((it) => [it.operation.operationId, it]));
  for (const { path, method, operation } of operationsOf(base)) {
    const then = later.get(operation.operationId);
    if (then === undefined) continue;
    const at = `#/paths/${escaped(path)}`;
    visit(operation, then.operation, `${at}/${method}`, "neither");
    visitParameters(
      (base.paths[path]!["parameters"] ?? []) as Json[],
      revision.paths[then.path]!["parameters"] as Json[] | undefined,
      `${at}/parameters`,
    );
  }
  for (const name of Object.keys(base.components["schemas"] ?? {})) {
    const pointer = `#/components/schemas/${escaped(name)}`;
    visit(nodeAt(base, pointer), nodeAt(revision, pointer), pointer, "neither");
  }
  return pairs;
}

/** The name of the schema that a schema is, or is beside null; undefined when it is written out where it is used. */
export function schemaName(schema: Json): string | undefined {
  const reference = (choiceBesideNull(schema)?.node ?? schema)["$ref"];
  const [section, kind, name] = typeof reference === "string" ? keysOf(reference) : [];
  return section === "components" && kind === "schemas" ? name : undefined;
}

const isObject = (it: unknown): it is Json => typeof it === "object" && it !== null;

const sideOf = (key: string): Side | undefined =>
  key === "requestBody" ? "request" : key === "responses" ? "response" : undefined;

/** What a reference leads to, or a schema allows beside null, and where that is written. */
function written(contract: Contract, node: Json, pointer: string): { node: Json; pointer: string } {
  const choice = choiceBesideNull(node);
  if (choice !== undefined) return written(contract, choice.node, `${pointer}/oneOf/${choice.index}`);
  const reference = node["$ref"];
  return typeof reference === "string" ? written(contract, follow(contract, { $ref: reference }), reference) : { node, pointer };
}

function choiceBesideNull({ oneOf }: Json): { node: Json; index: number } | undefined {
  if (!Array.isArray(oneOf) || !oneOf.some((it) => (it as Json)["type"] === "null")) return undefined;
  const index = oneOf.findIndex((it) => (it as Json)["type"] !== "null");
  return index === -1 ? undefined : { node: oneOf[index] as Json, index };
}
