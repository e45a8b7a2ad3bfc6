import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";
import { stringify } from "yaml";
import type { Contract } from "../../src/contract/bundle.ts";
import { describeOperations } from "./describe-operations.ts";
import { referencePage } from "./docs/reference-page.ts";
import { inlineHeaders } from "./inline-headers.ts";
import { writeEdition30 } from "./openapi-3.0.ts";
import { pythonReceiver } from "./receivers/python.ts";
import { typescriptReceiver } from "./receivers/typescript.ts";
import { runTool } from "./run-tool.ts";
import { writeStatementModules } from "./sql/statement-modules.ts";
import { withoutWebhooks } from "./without-webhooks.ts";

const ROOT = join(import.meta.dirname, "../..");
const REDOCLY_CONFIG = join(ROOT, "openapi/redocly.yaml");
const PRISMA_CONFIG = join(ROOT, "prisma/prisma.config.ts");
const MARKER = "Generated: do not edit, run `npm run generate`.";

type Problem = { readonly status: number; readonly title: string; readonly meaning: string; readonly remedy: string };
type OpenSet = { readonly "x-extensible-enum": readonly string[] };
type Bundle = OpenAPI3 &
  Contract & {
    readonly components: {
      readonly schemas: {
        readonly ProblemCode: { readonly "x-problems": Readonly<Record<string, Problem>> };
        readonly InputErrorCode: OpenSet;
        readonly NotificationKind: OpenSet;
        readonly Scope: OpenSet;
      };
    };
  };

/**
 * Generates the folder `generated` in `dir` from openapi/, prisma/ and the `.sql` files in src/, with a migrated database. The output is
 * reproducible.
 */
export async function generateInto(dir: string, databaseUrl: string): Promise<void> {
  const generated = join(dir, "generated");
  for (const folder of ["docs", "receivers"]) mkdirSync(join(generated, folder), { recursive: true });
  await toTheEnd(
    writePrismaClient(dir),
    writeContract(generated, join(dir, "docs")),
    writeStatementModules(databaseUrl, join(generated, "sql"), MARKER),
  );
  writeFileSync(join(generated, "tables.ts"), tablesModule());
  writeFileSync(join(generated, "README.md"), README);
}

/** Waits for all promises, even if one rejects: the folder is removed then, and nothing may write to it any more. */
async function toTheEnd(...works: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === "rejected") throw outcome.reason;
}

async function writeContract(generated: string, scratch: string): Promise<void> {
  const file = join(generated, "openapi.json");
  await runTool("@redocly/cli", "redocly", [
    "bundle",
    "main",
    "--config",
    REDOCLY_CONFIG,
    "--component-renaming-conflicts-severity",
    "error",
    "--output",
    file,
  ]);
  const bundle = JSON.parse(readFileSync(file, "utf8")) as Bundle;
  const forClients = withoutWebhooks(bundle);
  // Converted from the JSON instead of bundled again, so that the two can't differ.
  writeFileSync(join(generated, "openapi.yaml"), asYaml(bundle));
  writeFileSync(join(generated, "openapi.clients.json"), JSON.stringify(forClients, null, 2));
  writeFileSync(join(generated, "openapi.clients.yaml"), asYaml(forClients));
  writeFileSync(join(generated, "problems.ts"), problemsModule(bundle.components.schemas.ProblemCode["x-problems"]));
  writeFileSync(join(generated, "operations.ts"), operationsModule(bundle));
  await toTheEnd(
    writeTypes(generated, bundle),
    writeReceivers(generated, bundle),
    writeDocs(generated, bundle, scratch),
    writeEdition30(forClients, join(generated, "openapi.3.0.json")),
  );
}

const asYaml = (document: object) =>
  `# ${MARKER}\n${stringify(document, { blockQuote: "literal", lineWidth: 120, aliasDuplicateObjects: false })}`;

async function writeTypes(generated: string, bundle: Bundle): Promise<void> {
  const types = await openapiTS(inlineHeaders(bundle), {
    alphabetize: true,
    immutable: true,
    defaultNonNullable: false,
    silent: true,
  });
  writeFileSync(join(generated, "openapi.d.ts"), `// ${MARKER}\n\n${astToString(types)}`);
}

async function writeReceivers(generated: string, bundle: Bundle): Promise<void> {
  writeFileSync(join(generated, "receivers/webhooks.ts"), await typescriptReceiver(bundle, MARKER));
  writeFileSync(join(generated, "receivers/webhooks.py"), pythonReceiver(bundle, MARKER));
}

async function writeDocs(generated: string, bundle: Bundle, scratch: string): Promise<void> {
  writeFileSync(join(generated, "docs/index.html"), await referencePage(bundle, MARKER, scratch));
}

function problemsModule(problems: Readonly<Record<string, Problem>>): string {
  return `// ${MARKER}

/** The problem codes of the contract, with their meanings and remedies. */
export const problems = ${JSON.stringify(problems, null, 2)} as const;

export type ProblemCode = keyof typeof problems;
`;
}

/** One line for each property of an operation and each list, so that a change to the contract changes few lines. */
function operationsModule(bundle: Bundle): string {
  const { Scope, InputErrorCode, NotificationKind } = bundle.components.schemas;
  const operations = describeOperations(bundle);
  const tags = bundle.tags as readonly { readonly name: string; readonly "x-displayName"?: string }[];
  const policies = new Set(operations.map((it) => it.ratePolicy).filter((it) => it !== "none"));
  const lists: readonly (readonly [name: string, type: string, comment: string, values: readonly string[]])[] = [
    ["scopes", "Scope", "What a credential can allow.", Scope["x-extensible-enum"]],
    ["ratePolicies", "RatePolicy", "The rate limits that operations count towards.", [...policies]],
    ["inputErrorCodes", "InputErrorCode", "The rules that a part of a request can break.", InputErrorCode["x-extensible-enum"]],
    ["notificationKinds", "NotificationKind", "The events that users are notified of.", NotificationKind["x-extensible-enum"]],
  ];
  return `// ${MARKER}

/** The operations as data. */
export const operations = {
${operations
  .map(
    (operation) => `  ${operation.id}: {
${Object.entries<unknown>(operation)
  .map(([name, value]) => `    ${name}: ${JSON.stringify(value)},`)
  .join("\n")}
  },`,
  )
  .join("\n")}
} as const;

/** The tags of the contract, with their display names. */
export const tags = ${JSON.stringify(tags.map((it) => ({ name: it.name, title: it["x-displayName"] ?? it.name })))} as const;
${lists
  .map(
    ([name, type, comment, values]) => `
/** ${comment} */
export const ${name} = ${JSON.stringify(values)} as const;
export type ${type} = (typeof ${name})[number];
`,
  )
  .join("")}`;
}

/** The tables that each folder of src/ declares in its `tables.ts`. */
function tablesModule(): string {
  const folders = globSync("*/tables.ts", { cwd: join(ROOT, "src") })
    .map(dirname)
    .sort();
  const nameOf = (folder: string) => folder.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
  return `// ${MARKER} From src/*/tables.ts.

${folders.map((it) => `import { tables as ${nameOf(it)} } from "../src/${it}/tables.ts";\n`).join("")}
/** What the areas declare about their tables. */
export const tables = {
${folders.map((it) => `  ...${nameOf(it)},\n`).join("")}};
`;
}

/** Prisma writes the client to a folder relative to the schema, so the schema is copied to the target folder first. */
async function writePrismaClient(dir: string): Promise<void> {
  const schema = join(dir, "prisma/schema.prisma");
  cpSync(join(ROOT, "prisma/schema.prisma"), schema);
  await runTool("prisma", "prisma", ["generate", "--config", PRISMA_CONFIG, "--schema", schema]);
}

const README = `# Generated files

\`npm run generate\` writes these files from \`openapi/\`, \`prisma/schema.prisma\`, and the \`.sql\` files in \`src/\`. They are checked in, so that you see the
effect of a change. Don't edit them: \`npm run check\` fails if a single byte differs.

| File | Content | Used by |
|---|---|---|
| \`openapi.json\`, \`openapi.yaml\` | the contract as one document | the service, for routes and validation |
| \`openapi.clients.json\`, \`openapi.clients.yaml\` | the same without webhooks, but with the schemas of their events | generators of clients, at \`/openapi.json\` and \`/openapi.yaml\` |
| \`openapi.3.0.json\` | the same in OpenAPI 3.0 | tools that read no 3.1, at \`/openapi-3.0.json\` |
| \`openapi.d.ts\` | the contract as types | \`src/contract/contract.ts\` |
| \`receivers/\` | what receivers of webhooks need, for TypeScript and Python | the service, at \`/docs/webhooks.ts\` and \`/docs/webhooks.py\` |
| \`problems.ts\` | the problem codes with their status and meaning | \`src/http/\`, \`src/contract/contract.ts\` |
| \`operations.ts\` | the operations of the contract, and its sets: scopes, rate limit policies, notification kinds, input errors | all of \`src/\` |
| \`prisma/\` | the database client | \`src/database/\`, \`store.ts\` files |
| \`sql/\` | the statements of the \`.sql\` files, with the types that PostgreSQL finds | \`store.ts\` files |
| \`tables.ts\` | what the \`tables.ts\` files in \`src/\` declare | \`src/personal-data/\`, \`src/api.ts\`, \`src/worker.ts\` |
| \`docs/index.html\` | the reference documentation | the service, at \`/docs\` |
`;
