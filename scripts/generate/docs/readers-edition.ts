import type { Contract } from "../../../src/contract/bundle.ts";
import { describeOperations } from "../describe-operations.ts";
import { codeSamples } from "../samples/code-samples.ts";
import { clientsSection } from "./clients-section.ts";
import { workflowsSection } from "./workflows-section.ts";

type Example = { readonly summary?: string; readonly value: unknown; description?: string };
type Media = { readonly schema?: { readonly $ref?: string }; readonly examples?: Readonly<Record<string, Example>> };
type Content = Readonly<Record<string, Media>>;
type Response = {
  description: string;
  readonly "x-stability"?: "experimental";
  readonly content?: Content;
  readonly "x-problem-codes"?: readonly string[];
};
type Parameter = { description: string; readonly "x-stability"?: "experimental" };
type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  description: string;
  "x-codeSamples"?: unknown;
  readonly "x-rate-limit"?: string;
  readonly "x-stability"?: "experimental";
  readonly requestBody?: { readonly content?: Content };
  readonly responses: Readonly<Record<string, Response>>;
};
type Schema = {
  description?: string;
  examples?: readonly unknown[];
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-extensible-enum"?: readonly string[];
};
type Edition = {
  readonly info: { description: string };
  readonly components: {
    schemas: Record<string, Schema>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
};

/**
 * A copy of the contract for the reference page, with code samples, rate limits, links to problem pages, clients, and workflows.
 */
export function readersEdition<T extends object>(bundle: T): T {
  const copy = structuredClone(bundle) as T & Contract & Edition;
  const schemas = copy.components.schemas;
  const anchors = new Map<string, string>();
  for (const operation of describeOperations(copy)) {
    const raw = copy.paths[operation.path]![operation.method] as Operation;
    raw["x-codeSamples"] = codeSamples(copy, operation);
    anchors.set(operation.id, `#/${raw.tags[0]!.toLowerCase().replaceAll(" ", "-")}/${operation.id.toLowerCase()}`);
    raw.description = `${headline(raw)}\n\n${raw.description}`;
    showExamples(raw.requestBody?.content, schemas);
    for (const response of Object.values(raw.responses)) explain(response, schemas);
  }
  for (const response of Object.values(copy.components.responses)) explain(response, schemas);
  for (const parameter of Object.values(copy.components.parameters)) markExperimental(parameter);
  for (const [name, schema] of Object.entries(schemas)) showKnownValues(name, schema, schemas);
  copy.info.description = `${copy.info.description.replace("\n# ", `\n${ABOUT_SAMPLES}\n\n# `)}\n\n${clientsSection()}\n\n${workflowsSection((it) => anchors.get(it) ?? "#/")}`;
  copy.components.schemas = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return copy;
}

const ABOUT_SAMPLES =
  "The tests run the code samples exactly as they are shown. They read the URL of the service from the environment variable `API` and a token from `KEY`.";

/** COMPATIBILITY.md, section 9. */
const EXPERIMENTAL = "**Experimental**: this can change or be removed in a minor version. The changelog announces each change.";

function headline(operation: Operation): string {
  const rateLimit = operation["x-rate-limit"] ?? "default";
  const stability = operation["x-stability"] === undefined ? "" : `\n\n${EXPERIMENTAL}`;
  return `Operation \`${operation.operationId}\`${rateLimit === "none" ? "" : `, [rate limit](#/section/rate-limits) \`${rateLimit}\``}.${stability}`;
}

function markExperimental(part: Response | Parameter): void {
  if (part["x-stability"] !== undefined) part.description = `**Experimental.** ${part.description}`;
}

function explain(response: Response, schemas: Edition["components"]["schemas"]): void {
  markExperimental(response);
  const codes = response["x-problem-codes"];
  if (codes !== undefined) response.description += `\n\nProblem codes: ${codes.map(problemLink).join(", ")}.`;
  showExamples(response.content, schemas);
}

/** Redoc shows the summary of an example only if there are several, and invents an example for a schema without one. */
function showExamples(content: Content | undefined, schemas: Edition["components"]["schemas"]): void {
  for (const { schema, examples } of Object.values(content ?? {})) {
    const [example, ...others] = Object.values(examples ?? {});
    if (example === undefined) continue;
    if (example.summary !== undefined && others.length === 0) example.description ??= example.summary;
    const described = schemas[nameIn(schema?.$ref)];
    if (described !== undefined) described.examples ??= [example.value];
  }
}

/** Redoc doesn't support `x-extensible-enum`. */
function showKnownValues(name: string, schema: Schema, schemas: Edition["components"]["schemas"]): void {
  const values = schema["x-extensible-enum"];
  if (values !== undefined) schema.examples ??= values.slice(0, 1);
  if (values !== undefined)
    schema.description = `${schema.description ?? ""}\n\nKnown values: ${values.map(name === "ProblemCode" ? problemLink : code).join(", ")}.`;
  for (const property of Object.values(schema.properties ?? {})) {
    const known = schemas[nameIn(property.$ref)]?.["x-extensible-enum"];
    if (known !== undefined && property.description !== undefined && nameIn(property.$ref) !== "ProblemCode")
      property.description += ` Known values: ${known.map(code).join(", ")}.`;
  }
}

const nameIn = (reference: string | undefined) => reference?.split("/").at(-1) ?? "";
const code = (text: string) => `\`${text}\``;
const problemLink = (problem: string) => `[\`${problem}\`](/problems/${problem})`;
