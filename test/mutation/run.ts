import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { installPackage } from "../../scripts/install-package.ts";
import { runCommand, UsageError } from "../../src/util/command.ts";

const USAGE = `Changes single things in the code, one at a time, and runs the tests of its folder, which must fail.

Usage: npm run test:mutants -- --since COMMIT | FILE...

  --since COMMIT   the lines that have changed since this commit
  FILE...          whole files below src/; FILE:10-20 takes some lines`;

const ROOT = join(import.meta.dirname, "../..");
/** The share of mutants that the tests must notice. It may be raised, never lowered. */
const NOTICED_MIN = 0.9;

/** The tests of folders of src/ that have none of the same name. */
const TESTS_OF: Readonly<Record<string, readonly string[]>> = {
  auth: ["users", "contract", "http"],
  "audit-trail": ["operations"],
  consistency: ["operations"],
  contract: ["contract"],
  database: ["operations", "conversations"],
  idempotency: ["contract", "posts", "conversations"],
  jobs: ["operations", "video-uploads"],
  limits: ["http", "operations", "contract"],
  media: ["video-uploads"],
  observability: ["operations"],
  pagination: ["contract", "posts", "operations"],
  settings: ["operations"],
  telemetry: ["operations"],
  util: ["operations", "contract"],
};

type Mutant = {
  readonly status: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly replacement?: string;
} & {
  readonly location: { readonly start: { readonly line: number } };
};
type Stryker = new (options: object) => { runMutationTest(): Promise<readonly Mutant[]> };

await runCommand({ usage: USAGE, options: { since: { type: "string" } }, arguments: 100 }, async ({ values, positionals }) => {
  const ranges = values.since === undefined ? positionals : changedLines(values.since);
  if (ranges.length === 0 && values.since === undefined) throw new UsageError();
  installPackage("test/mutation");
  const { Stryker } = (await import(join(import.meta.dirname, "node_modules/@stryker-mutator/core/dist/src/index.js"))) as {
    Stryker: Stryker;
  };
  const results: Mutant[] = [];
  for (const [folder, mutate] of Map.groupBy(ranges, (it) => it.split("/")[1]!))
    results.push(...(await new Stryker(optionsFor(folder, mutate)).runMutationTest()));
  const valid = results.filter((it) => !["Ignored", "CompileError", "RuntimeError"].includes(it.status));
  const missed = valid.filter((it) => it.status === "Survived");
  for (const { fileName, location, mutatorName, replacement } of missed)
    console.log(`not noticed: ${fileName}:${location.start.line} ${mutatorName}: ${replacement}`);
  console.log(`${valid.length - missed.length} of ${valid.length} mutants were noticed`);
  return valid.length - missed.length >= NOTICED_MIN * valid.length ? 0 : 1;
});

/** The changed lines of each file below src/, as `src/file.ts:10-20`. */
function changedLines(commit: string): string[] {
  const diff = execFileSync("git", ["diff", "--unified=0", commit, "--", "src"], { cwd: ROOT, encoding: "utf8" });
  let file = "";
  return diff.split("\n").flatMap((line) => {
    file = /^\+\+\+ b\/(.*)$/.exec(line)?.[1] ?? file;
    const [, first, count = "1"] = /^@@ \S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined || count === "0" || !file.endsWith(".ts")) return [];
    return [`${file}:${first}-${Number(first) + Number(count) - 1}`];
  });
}

function optionsFor(folder: string, mutate: readonly string[]): object {
  const tests = existsSync(join(ROOT, "test", folder)) ? [folder] : (TESTS_OF[folder] ?? []);
  // Without a folder, all tests. A part of the path that is no folder leaves out the slow ones.
  const words = tests.map((it) => `'test/${it}/[^/]*\\.test'`).join(" ");
  return {
    mutate,
    testRunner: "command",
    commandRunner: { command: `npm test -- ${words} --testPathIgnorePatterns slow --bail` },
    concurrency: 1,
    // Stryker copies the checkout, because the tests run the service from its files.
    tempDirName: join(ROOT, "test/mutation/.stryker-tmp"),
    ignorePatterns: [".data", ".git", "test/mutation"],
    reporters: ["clear-text", "json"],
    jsonReporter: { fileName: join(ROOT, `test/mutation/report/${folder}.json`) },
    clearTextReporter: { logTests: false, reportTests: false },
    // Messages for people, and what the compiler refuses.
    mutator: { excludedMutations: ["StringLiteral", "ObjectLiteral"] },
    timeoutMS: 120_000,
    allowConsoleColors: false,
  };
}
