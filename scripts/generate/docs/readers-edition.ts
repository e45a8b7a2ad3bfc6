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
  headers?: Record<string, unknown>;
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
  readonly tags: readonly { readonly name: string }[];
  readonly info: { description: string };
  readonly components: {
    schemas: Record<string, Schema>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
};

/**
 * A copy of the contract for the reference page, with code samples, rate limits, clients, workflows, and links to problem pages and
 * sections. Headers that almost every response has are described once, so that its body comes first.
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
  copy.info.description = `${copy.info.description.replace("\n# ", `\n${ABOUT_SAMPLES}\n\n${ABOUT_HEADERS}\n\n# `)}\n\n${clientsSection()}\n\n${workflowsSection((it) => anchors.get(it) ?? "#/")}`;
  copy.components.schemas = Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return linked(copy, sectionAnchors(copy));
}

const COMMON_HEADERS = ["X-Request-Id", "API-Version", "Cache-Control", "RateLimit", "RateLimit-Policy", "Consistency-Token"];
const ABOUT_HEADERS =
  "Below, a response lists its own headers. Almost every response also has `X-Request-Id`, `API-Version` and `Cache-Control`, and those to accepted tokens `RateLimit`, `RateLimit-Policy` and, if the operator has replicas, `Consistency-Token`.";

/** The anchors of the sections of the description, and of the tags, by the name in lower case. */
function sectionAnchors({ info, tags }: Edition): ReadonlyMap<string, string> {
  const anchors = new Map(tags.map(({ name }) => [name.toLowerCase(), `#/${slug(name)}`]));
  let section = "";
  for (const [, marks, name] of info.description.matchAll(/^(##?) (.+)$/gm)) {
    if (marks === "#") section = slug(name!);
    anchors.set(name!.toLowerCase(), `#/section/${section}${marks === "#" ? "" : `/${slug(name!)}`}`);
  }
  return anchors;
}

const slug = (name: string) => name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");

/** A copy in which each name of a section in italics, such as *Waiting*, is a link to it. */
function linked<T>(node: T, anchors: ReadonlyMap<string, string>): T {
  if (Array.isArray(node)) return node.map((it: unknown) => linked(it, anchors)) as T;
  if (typeof node !== "object" || node === null) return node;
  const link = (text: string) =>
    text.replaceAll(/(?<!\*)\*([A-Z][^*]*)\*(?!\*)/g, (all, name: string) => {
      const anchor = anchors.get(name.toLowerCase().replaceAll(/\s+/g, " "));
      return anchor === undefined ? all : `[${name}](${anchor})`;
    });
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === "description" && typeof value === "string" ? link(value) : (linked(value, anchors) as unknown),
    ]),
  ) as T;
}

const ABOUT_SAMPLES =
  "The tests run the code samples exactly as they are shown. They read the URL of the service from the environment variable `API` and a token from `KEY`. A sample has the same `Idempotency-Key` each time, so repeating it returns the first response: write another UUID for another request. Replace ids, cursors and the value of `seen` by those that you got.";

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
  for (const name of COMMON_HEADERS) delete response.headers?.[name];
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
