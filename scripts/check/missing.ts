import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blanksIn, entryOf } from "../contract/changelog.ts";
import { readExceptions } from "../contract/exceptions.ts";
import { assess } from "../contract/assessment.ts";
import { newestRelease } from "../contract/released.ts";
import { generateInto } from "../generate/artifacts.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { compareFolders } from "../generate/compare-folders.ts";
import { schemaDrift } from "../schema-drift.ts";
import { withScratchSchema } from "../scratch-schema.ts";
import { run } from "./gates.ts";
import { OPENAPI, ROOT, type Subject } from "./subject.ts";

/** Finds out what is missing. Each sentence names the file to edit or the command to run. */
type Check = (subject: Subject) => Promise<readonly string[]>;
export type Step = {
  readonly name: string;
  readonly check: Check;
  /** `each`: checked for each operation. `area`: checked once, only for an area. Otherwise, checked once. */
  readonly only?: "each" | "area";
  /** Steps that must be complete first. */
  readonly after?: readonly string[];
};

const lint: Check = async () => {
  const { isGood, output } = await run(["contract:lint", "--", "--format=stylish"]);
  return isGood ? [] : output.split("\n").filter((line) => /^\S+:$|^\s+\d+:\d+/.test(line));
};

const version: Check = async ({ contract }) => {
  const base = newestRelease(OPENAPI);
  if (base === null) return [];
  const { isVersionEnough, lowestVersion, needed } = await assess(base, contract, readExceptions(OPENAPI));
  if (isVersionEnough) return [];
  return [
    `openapi/openapi.yaml: raise info.version from ${contract.info.version} to ${lowestVersion}, as these are ${needed} changes.`,
  ];
};

const changelog: Check = async ({ contract, name, id }) => {
  const { version: current } = contract.info;
  if (current === newestRelease(OPENAPI)?.info.version) return [];
  const entry = entryOf(readFileSync(join(OPENAPI, "CHANGELOG.md"), "utf8"), current);
  const point = `- **\`${name}\` is new.** Affects … Action: …`;
  if (entry === null) return [`openapi/CHANGELOG.md: add "## ${current}" above the other versions, and under it: ${point}`];
  if (!entry.includes(name) && !entry.includes(id)) return [`openapi/CHANGELOG.md: add to ${current}: ${point}`];
  return blanksIn(entry).map((it) => `openapi/CHANGELOG.md: use the form "- **What is new.** Affects … Action: …": ${it}`);
};

const migration: Check = async () =>
  (await withScratchSchema(schemaDrift)) === ""
    ? []
    : [
        "prisma/schema.prisma has changed: run `npm run -s plumbline -- database create-migration <name>`, which writes the migration.",
      ];

const generated: Check = async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-check-"));
  try {
    await withScratchSchema((url) => generateInto(folder, url));
    const stale = compareFolders(join(folder, "generated"), join(ROOT, "generated"));
    return stale.length === 0 ? [] : [`Run \`npm run generate\`: ${stale.length} files in generated/ are not up to date.`];
  } catch (error) {
    if (error instanceof StartupError) return [error.message];
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const handler: Check = async ({ id, area }) => {
  const folder = join(ROOT, "src", area);
  // A new area has no folder yet.
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  const isThere = names
    .filter((it) => it.endsWith(".ts"))
    .some((it) => new RegExp(`^\\s*(async )?${id}\\b`, "m").test(readFileSync(join(folder, it), "utf8")));
  return isThere ? [] : [`src/${area}/handlers.ts: write the handler \`${id}\`. Its types come from the contract.`];
};

const types: Check = async () => {
  const { isGood, output } = await run(["typecheck"]);
  return isGood ? [] : output.split("\n");
};

/** The gates `format` and `lint`. Both have a cache, so only the first run takes long. */
const style: Check = async () => {
  const [format, code] = await Promise.all([run(["lint:format"]), run(["lint:code"])]);
  return [...(format.isGood ? [] : ["Run `npm run format`."]), ...(code.isGood ? [] : code.output.split("\n"))];
};

/** Fixtures that the tests of all operations need for this one. They read generated/, which must be up to date. */
const fixtures: Check = async ({ id }) => {
  const { operations } = await import("../../test/support/contract.ts");
  const { exampleRequest } = await import("../../test/support/example-requests.ts");
  const { missingIds, unmakeable } = await import("../../test/support/resources.ts");
  const operation = operations.find((it) => it.id === id)!;
  const found = unmakeable(operation).map((it) => it.message);
  try {
    exampleRequest(operation, missingIds(operation));
  } catch (error) {
    found.push((error as Error).message);
  }
  return found;
};

const successes: Check = async ({ id, area }) => {
  const { successExamples } = await import("../../test/support/success-examples.ts");
  const { isPlainRequest } = await import("../../test/contract/story/plain-requests.ts");
  const folder = join(ROOT, "test/contract/story");
  const story = readdirSync(folder)
    .map((it) => readFileSync(join(folder, it), "utf8"))
    .join("\n");
  return successExamples
    .filter((it) => it.operation.id === id && !story.includes(`"${it.key}"`) && !isPlainRequest(it))
    .map(
      (it) =>
        `test/contract/story/: send a request for ${area} whose response is the example "${it.key}", and return the response under that name. None is needed if the example of the request has the same name.`,
    );
};

const problems: Check = async ({ id }) => {
  const { unprovoked } = await import("../../test/contract/provocations/all.ts");
  return unprovoked()
    .filter((it) => it.operation.id === id)
    .map(
      (it) =>
        `test/contract/provocations/resources.ts: add a request to ${id} that returns the problem "${it.name}" (${it.status}) with the detail in the contract.`,
    );
};

const tests: Check = async ({ tests: path, id }) =>
  globSync([path, `${path}/*`], { cwd: ROOT }).some((it) => it.endsWith(".test.ts"))
    ? []
    : [`${path}: write tests of what is specific to ${path.endsWith(".ts") ? id : "this area"}.`];

/** The files of an area, in addition to the files of its operations. */
const files: Check = async ({ area }) => {
  const needed: readonly (readonly [path: string, what: string])[] = [
    [`openapi/${area}/about.md`, "describe the area, for the tag in openapi/openapi.yaml"],
    [`openapi/workflows/${area}.arazzo.yaml`, "describe how the operations are used together; copy from another workflow"],
    ...(area === "health"
      ? []
      : [[`src/${area}/tables.ts`, "declare the columns of the tables; copy from src/posts/tables.ts"] as const]),
  ];
  const about = `${area}/about.md`;
  const hasTag = readFileSync(join(OPENAPI, "openapi.yaml"), "utf8").includes(`description: {$ref: ${about}}`);
  return [
    ...needed.filter(([path]) => !existsSync(join(ROOT, path))).map(([path, what]) => `${path}: ${what}.`),
    ...(hasTag ? [] : [`openapi/openapi.yaml: add a tag with the description {$ref: ${about}}.`]),
  ];
};

/** All steps for an operation or an area, in a convenient order. */
export const STEPS: readonly Step[] = [
  { name: "contract", check: lint },
  { name: "files", check: files, only: "area" },
  { name: "version", check: version },
  { name: "changelog", check: changelog, only: "each", after: ["version"] },
  { name: "migration", check: migration },
  { name: "generated", check: generated, after: ["contract"] },
  { name: "handler", check: handler, only: "each" },
  { name: "types", check: types, after: ["generated", "handler"] },
  { name: "style", check: style, after: ["types"] },
  { name: "fixtures", check: fixtures, only: "each", after: ["generated"] },
  { name: "successes", check: successes, only: "each", after: ["generated"] },
  { name: "problems", check: problems, only: "each", after: ["generated"] },
  { name: "test file", check: tests, only: "each" },
];
