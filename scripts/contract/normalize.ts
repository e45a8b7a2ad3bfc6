import {
  everyNode,
  keysOf,
  operationsOf,
  parametersOf,
  responsesOf,
  type Contract,
  type Json,
  type OperationEntry,
} from "./document.ts";

type Mutable = Record<string, unknown>;
type Texts = Readonly<Record<string, string>>;

/** Replaces the version of the document in examples, which differs in every release. */
const VERSION = "the version";

/** The value of an entry for which only its presence matters. */
const PRESENT = "present";

/**
 * Turns everything that `redocly diff` doesn't compare (lists, schema names, security, problem codes) into extensions, which
 * extensions.ts describes.
 */
export function normalize(contract: Contract): Contract {
  const copy = structuredClone(contract);
  for (const entry of operationsOf(copy)) Object.assign(entry.operation, promisesOf(copy, entry));
  for (const { operation } of operationsOf(copy)) delete (operation as Mutable)["security"];
  everyNode(copy, (node, pointer) => {
    // The value of an example is data, even if it looks like a schema.
    if (/\/examples\/[^/]+\/value(\/|$)/.test(pointer)) return;
    nameSchema(flattenNull(node), pointer);
    mapSets(node);
    if (keysOf(pointer).at(-2) === "links" && "operationId" in node)
      Object.assign(node, { "x-link-parameters": node["parameters"] ?? {} });
    if (keysOf(pointer).at(-2) === "examples" && "value" in node)
      Object.assign(node, {
        "x-example-value": JSON.stringify(node["value"]).replaceAll(`"${contract.info.version}"`, `"${VERSION}"`),
      });
    if (node["example"] === contract.info.version) Object.assign(node, { example: VERSION });
  });
  const tags = (copy["tags"] ?? []) as readonly Json[];
  return { ...copy, "x-tags": Object.fromEntries(tags.map((it) => [String(it["name"]), PRESENT])) };
}

/** The security requirements of an operation, its problem codes, and the stability of its parts. */
function promisesOf(contract: Contract, entry: OperationEntry): Readonly<Record<string, Texts>> {
  const schemes = (entry.operation.security ?? []).flatMap((it) => Object.entries(it));
  const needs = schemes.flatMap(([name, scopes]) => [["a token", name], ...scopes.map((it) => [`the scope \`${it}\``, PRESENT])]);
  const responses = [...responsesOf(contract, entry.operation)];
  const codes = responses.flatMap(([status, it]) =>
    ((it["x-problem-codes"] ?? []) as readonly string[]).map((code) => `${status} \`${code}\``),
  );
  const stability = (it: Json) => (it["x-stability"] === "experimental" ? "experimental" : "stable");
  const parts = [
    ...parametersOf(contract, entry).map((it) => [`parameter \`${String(it["name"])}\``, stability(it)]),
    ...responses.map(([status, it]) => [`response ${status}`, stability(it)]),
  ];
  return {
    "x-security-requirements": textsOf(needs),
    "x-returned-problems": textsOf(codes.map((it) => [it, PRESENT])),
    "x-part-stability": textsOf(parts),
  };
}

const textsOf = (entries: readonly (readonly string[])[]): Texts => Object.fromEntries(entries) as Texts;

/** Replaces a `oneOf` with `null` by the other schema and a mark, because the tool would report a different schema. */
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

/** Adds the name of a schema to the schema and to its references, because generated clients use these names. */
function nameSchema(node: Mutable, pointer: string): void {
  const [section, kind, name, ...rest] = keysOf(typeof node["$ref"] === "string" ? node["$ref"] : pointer);
  if (section === "components" && kind === "schemas" && name !== undefined && rest.length === 0) node["x-schema"] = name;
}

/** Turns lists into maps: enums, the names of their constants, and the catalogue of problems. */
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
