import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { nextVersion } from "./contract/versions.ts";

// Adds an operation and raises the minor version in a copy of the checkout, as the next contributor would. The gates must
// accept it, and the tests of the tools must pass: a failing test that is unrelated to your change teaches you to ignore it.
const ROOT = join(import.meta.dirname, "..");
const OPERATION = "listPostRevisions";
const PATH = "/posts/{post_id}/revisions";
const FILE = "posts/posts_{post_id}_revisions.yaml";
const TESTS = "compat lint exceptions frozen release metrics deprecation experimental".split(" ");

const copy = mkdtempSync(join(tmpdir(), "plumbline-next-minor-"));
try {
  copyCheckout();
  edit("openapi/openapi.yaml", (it) => raised(it).replace(/^ {2}\/posts\/\{post_id\}:$/m, `  ${PATH}:\n    $ref: ${FILE}\n$&`));
  writeFileSync(join(copy, "openapi", FILE), stringify(listOfRevisions()));
  edit("src/posts/handlers.ts", withHandler);
  npm("run", "-s", "generate");
  npm("run", "-s", "check", "--", "--contract");
  npm("run", "-s", "typecheck");
  npm("test", "--", ...TESTS.map(testFile));
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** The files as they are, committed or not, without what git ignores. */
function copyCheckout(): void {
  const options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const names = execFileSync("git", options, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 2 ** 20 }).split("\0");
  for (const name of names.filter((it) => it !== "" && existsSync(join(ROOT, it)))) cpSync(join(ROOT, name), join(copy, name));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"), "junction");
}

/** Changes a file in the copy. If nothing changes, the edit is outdated and would prove nothing, so this throws. */
function edit(name: string, change: (text: string) => string): void {
  const file = join(copy, name);
  const before = readFileSync(file, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`${name} has not changed: correct scripts/next-minor.ts.`);
  writeFileSync(file, after);
}

function raised(contract: string): string {
  return contract.replace(/^( {2}version: )(.*)$/m, (_all, key: string, version: string) => key + nextVersion(version, "minor"));
}

function testFile(name: string): string {
  const file = readdirSync(join(copy, "test/contract")).find((it) => it === `${name}.test.ts` || it === `${name}.slow.test.ts`);
  if (file === undefined) throw new Error(`There is no test "${name}": correct scripts/next-minor.ts.`);
  return `test/contract/${file}`;
}

type Operation = { parameters: unknown[]; responses: Record<string, unknown> };

/** A copy of the list of posts, below a post. */
function listOfRevisions(): unknown {
  const read = (name: string) => parse(readFileSync(join(copy, "openapi/posts", name), "utf8")) as { get: Operation };
  const { get } = read("posts.yaml");
  return {
    get: {
      ...get,
      operationId: OPERATION,
      "x-access": { stranger: "allowed", owner: "allowed" },
      parameters: [{ $ref: "parameters.yaml#/PostId" }, ...get.parameters],
      responses: { ...get.responses, 404: read("posts_{post_id}.yaml").get.responses["404"] },
    },
  };
}

/** A handler that compiles. No request reaches it, because only the tools are tested. */
function withHandler(handlers: string): string {
  return handlers.replace(/^ +(async )?listPosts\b/m, `async ${OPERATION}() { throw new Error("Not written yet."); },\n$&`);
}

function npm(...options: string[]): void {
  execFileSync("npm", options, { cwd: copy, stdio: "inherit" });
}
