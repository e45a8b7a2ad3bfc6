import { readFileSync } from "node:fs";

type CodeSample = { readonly lang: string; readonly source: string };
type Example = { readonly summary?: string };
type Media = { readonly examples?: Readonly<Record<string, Example>> };
type Body = { readonly content?: Readonly<Record<string, Media>> };
export type PublishedOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly "x-codeSamples": readonly CodeSample[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body & { readonly $ref?: string }>>;
};
type Definition = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly responses: Readonly<Record<string, Body>> };
};

/**
 * The definition from which Redoc draws the reference page, read from the page itself, so that the tests check what readers
 * get.
 */
export function publishedDefinition(): Definition {
  const page = readFileSync(new URL("../../../generated/docs/index.html", import.meta.url), "utf8");
  const json = /const __redoc_definition = (\{.*\});\n/.exec(page)?.[1];
  if (json === undefined) throw new Error("The reference page no longer contains its definition in the expected form.");
  return JSON.parse(json) as Definition;
}

/** Every operation on the page. */
export function publishedOperations(definition = publishedDefinition()): PublishedOperation[] {
  return Object.values(definition.paths).flatMap((item) =>
    Object.entries(item)
      .filter(([key]) => key !== "parameters")
      .map(([, operation]) => operation),
  );
}

/** The bodies of an operation: of its request and of its responses. */
export function publishedBodies(definition: Definition, operation: PublishedOperation): Body[] {
  const answers = Object.values(operation.responses).map((it) =>
    it.$ref === undefined ? it : definition.components.responses[it.$ref.split("/").at(-1)!]!,
  );
  return [...(operation.requestBody === undefined ? [] : [operation.requestBody]), ...answers];
}

/** The anchor of an operation. Redoc derives it from the names of the tag and the operation. */
export const anchorOf = ({ tags, operationId }: PublishedOperation) => `#/${slug(tags[0]!)}/${operationId.toLowerCase()}`;
const slug = (tag: string) => tag.toLowerCase().replaceAll(" ", "-");
