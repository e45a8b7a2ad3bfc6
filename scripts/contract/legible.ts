import {
  everyNode,
  keysOf,
  operationsOf,
  parametersOf,
  responsesOf,
  type Contract,
  type Json,
  type PlacedOperation,
} from "./document.ts";

type Mutable = Record<string, unknown>;
type Texts = Readonly<Record<string, string>>;

/** The value of what is either there or not. */
const PRESENT = "present";

/**
 * A copy of a contract in which everything that COMPATIBILITY.md promises stands where `redocly diff` looks. It compares
 * keywords, and the fields of extensions that are maps of texts; it does not look into lists, nor into what is nested deeper,
 * and does not know names, rights and codes. So each of these becomes an extension of its own, which rating.ts judges.
 */
export function legible(contract: Contract): Contract {
  const copy = structuredClone(contract);
  for (const placed of operationsOf(copy)) Object.assign(placed.operation, promisesOf(copy, placed));
  for (const { operation } of operationsOf(copy)) delete (operation as Mutable)["security"];
  everyNode(copy, (node, pointer) => {
    // What an example shows is somebody's text, whatever it looks like.
    if (/\/examples\/[^/]+\/value(\/|$)/.test(pointer)) return;
    nameSchema(flattenNull(node), pointer);
    mapSets(node);
    if (keysOf(pointer).at(-2) === "links" && "operationId" in node) Object.assign(node, { "x-asks": node["parameters"] ?? {} });
    if (keysOf(pointer).at(-2) === "examples" && "value" in node)
      Object.assign(node, { "x-shows": JSON.stringify(node["value"]) });
  });
  const tags = (copy["tags"] ?? []) as readonly Json[];
  return { ...copy, "x-tags": Object.fromEntries(tags.map((it) => [String(it["name"]), PRESENT])) };
}

/** What an operation needs and answers, and which of its parts are experimental. */
function promisesOf(contract: Contract, placed: PlacedOperation): Readonly<Record<string, Texts>> {
  const schemes = (placed.operation.security ?? []).flatMap((it) => Object.entries(it));
  const needs = schemes.flatMap(([name, scopes]) => [["a token", name], ...scopes.map((it) => [`the scope \`${it}\``, PRESENT])]);
  const responses = [...responsesOf(contract, placed.operation)];
  const codes = responses.flatMap(([status, it]) =>
    ((it["x-problem-codes"] ?? []) as readonly string[]).map((code) => `${status} \`${code}\``),
  );
  const stability = (it: Json) => (it["x-stability"] === "experimental" ? "experimental" : "stable");
  const parts = [
    ...parametersOf(contract, placed).map((it) => [`parameter \`${String(it["name"])}\``, stability(it)]),
    ...responses.map(([status, it]) => [`response ${status}`, stability(it)]),
  ];
  return {
    "x-needs": textsOf(needs),
    "x-answers": textsOf(codes.map((it) => [it, PRESENT])),
    "x-parts": textsOf(parts),
  };
}

const textsOf = (entries: readonly (readonly string[])[]): Texts => Object.fromEntries(entries) as Texts;

/** `oneOf` with `null` becomes what is beside null, and a mark: to the tool it would be another schema altogether. */
function flattenNull(node: Mutable): Mutable {
  const { oneOf: choices, ...own } = node;
  if (!Array.isArray(choices) || !choices.some(isNull)) return node;
  delete node["oneOf"];
  return Object.assign(
    node,
    (choices as Json[]).find((it) => !isNull(it)),
    own,
    { "x-nullable": true },
  );
}

const isNull = (schema: Json): boolean => schema["type"] === "null";

/** The name of a schema stands in it and at each place that uses it, as generated clients have it there. */
function nameSchema(node: Mutable, pointer: string): void {
  const [section, kind, name, ...rest] = keysOf(typeof node["$ref"] === "string" ? node["$ref"] : pointer);
  if (section === "components" && kind === "schemas" && name !== undefined && rest.length === 0) node["x-schema"] = name;
}

/** Lists as maps: sets of values, the names of their constants, and the catalogue of problems. */
function mapSets(node: Mutable): void {
  const values = (node["enum"] ?? node["x-extensible-enum"]) as readonly unknown[] | undefined;
  const names = (node["x-enum-varnames"] ?? values) as readonly unknown[] | undefined;
  if (Array.isArray(values) && Array.isArray(names))
    node["x-constants"] = Object.fromEntries(values.map((it, index) => [String(it), String(names[index])]));
  if (Array.isArray(node["x-extensible-enum"]))
    node["x-extensible-enum"] = Object.fromEntries(node["x-extensible-enum"].map((it) => [String(it), PRESENT]));
  for (const [code, problem] of Object.entries((node["x-problems"] ?? {}) as Json)) node[`x-problem-${code}`] = problem;
  for (const it of ["x-enum-varnames", "x-problems", "x-problem-codes"]) delete node[it];
}
