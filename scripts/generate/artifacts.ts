import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { stringify } from "yaml";
import { inlineHeaders } from "./inline-headers.ts";
import { runTool } from "./run-tool.ts";

const ROOT = join(import.meta.dirname, "../..");
const REDOCLY_CONFIG = join(ROOT, "openapi/redocly.yaml");
const PRISMA_CONFIG = join(ROOT, "prisma/prisma.config.ts");
const MARKER = "Generated: do not edit, run `npm run generate`.";

/** Where the page finds Redoc; the service takes the file out of the installed package. */
const REDOC_SCRIPT = "/docs/redoc.standalone.js";

type Problem = { readonly status: number; readonly title: string; readonly meaning: string; readonly remedy: string };
type Bundle = OpenAPI3 & {
  readonly components: { readonly schemas: {
    readonly ProblemCode: { readonly "x-problems": Readonly<Record<string, Problem>> };
    readonly Scope: { readonly "x-extensible-enum": readonly string[] };
  } };
};

/** Writes everything that is made out of openapi/ and prisma/ into the folder `generated` of `dir`: the same bytes for the same sources. */
export async function generateInto(dir: string): Promise<void> {
  const generated = join(dir, "generated");
  mkdirSync(join(generated, "docs"), { recursive: true });
  const outcomes = await Promise.allSettled([writePrismaClient(dir), writeDocs(generated), writeContract(generated)]);
  // Only when all have come to an end: nobody must write any more when the caller removes the folder.
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  writeFileSync(join(generated, "README.md"), README);
}

async function writeContract(generated: string): Promise<void> {
  const file = join(generated, "openapi.json");
  await runTool("@redocly/cli", "redocly", ["bundle", "main", "--config", REDOCLY_CONFIG, "--component-renaming-conflicts-severity", "error", "--output", file]);
  const bundle = JSON.parse(readFileSync(file, "utf8")) as Bundle;
  // Made from the JSON rather than bundled again, so that the two cannot differ.
  writeFileSync(join(generated, "openapi.yaml"), `# ${MARKER}\n${stringify(bundle, { blockQuote: "literal", lineWidth: 120, aliasDuplicateObjects: false })}`);
  writeFileSync(join(generated, "problems.ts"), problemsModule(bundle.components.schemas.ProblemCode["x-problems"]));
  writeFileSync(join(generated, "scopes.ts"), scopesModule(bundle.components.schemas.Scope["x-extensible-enum"]));
  const types = await openapiTS(inlineHeaders(bundle), { alphabetize: true, immutable: true, defaultNonNullable: false, silent: true });
  writeFileSync(join(generated, "openapi.d.ts"), `// ${MARKER}\n\n${astToString(types)}`);
}

function problemsModule(problems: Readonly<Record<string, Problem>>): string {
  return `// ${MARKER}

/** What can go wrong, as the contract has it: what it means, and what a client does about it. */
export const problems = ${JSON.stringify(problems, null, 2)} as const;

export type ProblemCode = keyof typeof problems;
`;
}

function scopesModule(scopes: readonly string[]): string {
  return `// ${MARKER}

/** What a credential can permit. */
export const scopes = ${JSON.stringify(scopes, null, 2)} as const;

export type Scope = (typeof scopes)[number];
`;
}

/** Redoc's page, with its script from ourselves instead of from a CDN: reading the documentation tells nobody. */
async function writeDocs(generated: string): Promise<void> {
  const file = join(generated, "docs/index.html");
  await runTool("@redocly/cli", "redocly", ["build-docs", "main", "--config", REDOCLY_CONFIG, "--output", file]);
  const page = readFileSync(file, "utf8")
    .replaceAll(/https:\/\/cdn\.redocly\.com\/redoc\/v[\d.]+\/bundles\/redoc\.standalone\.js/g, REDOC_SCRIPT)
    // The digest is of the CDN's file; ours lacks a remote logo, and comes from the same origin as the page.
    .replaceAll(/ integrity="[^"]*" crossorigin="anonymous"/g, "")
    .replace("<!DOCTYPE html>", `<!DOCTYPE html>\n<!-- ${MARKER} -->`);
  const remote = /<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*"/i.exec(page);
  if (remote !== null) throw new Error(`The documentation page loads something from elsewhere: ${remote[0]}`);
  writeFileSync(file, page);
}

/** Prisma writes where the schema says, which is beside the schema: so the schema is copied to where the client shall be. */
async function writePrismaClient(dir: string): Promise<void> {
  const schema = join(dir, "prisma/schema.prisma");
  cpSync(join(ROOT, "prisma/schema.prisma"), schema);
  await runTool("prisma", "prisma", ["generate", "--config", PRISMA_CONFIG, "--schema", schema]);
}

const README = `# Generated files

Written by \`npm run generate\` out of \`openapi/\` and \`prisma/schema.prisma\`, and checked in, so that a change of either shows
what it changes. Do not edit: \`npm run check\` compares every byte.

| File | What it is | Who reads it |
|---|---|---|
| \`openapi.json\`, \`openapi.yaml\` | the contract in one piece | the service: routes and validation; clients, at the same paths |
| \`openapi.d.ts\` | the contract as types | \`src/contract.ts\` |
| \`problems.ts\` | the problem codes with their status and meaning | \`src/http\` |
| \`scopes.ts\` | the scopes of credentials | \`src/users\` |
| \`prisma/\` | the database client | \`src/db/client.ts\` |
| \`docs/index.html\` | the reference documentation | the service, at \`/docs\` |
`;
