import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { runCommand } from "../../src/util/command.ts";
import { mutants, type Edit, type Mutant } from "./read-mutants.ts";

const USAGE = `Applies each mutant in a copy of this checkout and runs its tests, which must fail.

Usage: npm run test:mutants [-- WORD...] [--find] [--unchanged]

  WORD         choose mutants by their description, their source text or their test files
  --find       only check that the source text of each mutant occurs once in its file, or in src/ if it names none
  --unchanged  only run the tests on the unchanged source, where they must pass`;

const ROOT = join(import.meta.dirname, "../..");
const COPIED = ["src", "test", "scripts", "generated", "prisma", "openapi", "package.json", "tsconfig.json", "README.md"];
const TEST_TIMEOUT_MS = 60_000;

type Results = {
  readonly numFailedTests: number;
  readonly numPassedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly { readonly assertionResults: readonly { readonly failureMessages?: readonly string[] }[] }[];
};
type Verdict = "caught" | "SURVIVED" | "ERROR";

/** The files that run and contain the text of an edit, one entry for each: those of src/, and those made from its other `.sql` files. */
function occurrencesOf({ from: text, file }: Edit, folder: string): string[] {
  return ["src", "generated/sql"]
    .flatMap((root) => readdirSync(join(folder, root), { recursive: true, encoding: "utf8" }).map((it) => join(root, it)))
    .filter((it) => /\.(ts|function\.sql)$/.test(it) && (file === undefined || it === file))
    .flatMap((it) => Array<string>(readFileSync(join(folder, it), "utf8").split(text).length - 1).fill(it));
}

/** Runs some tests in a folder. Returns null if Jest could not start. */
function runTests(
  folder: string,
  files: readonly string[],
  only: string | undefined,
  databaseUrl: string,
): Promise<Results | null> {
  const report = join(folder, "results.json");
  rmSync(report, { force: true });
  const args = [
    "--experimental-vm-modules",
    "--disable-warning=ExperimentalWarning",
    join(folder, "node_modules/jest/bin/jest.js"),
  ];
  const options = [
    "--config",
    "test/jest.config.mjs",
    "--json",
    `--outputFile=${report}`,
    `--testTimeout=${TEST_TIMEOUT_MS}`,
    "--forceExit",
    "--runInBand",
  ];
  const environment = { ...process.env, TEST_DATABASE_URL: databaseUrl };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...args, ...options, ...(only === undefined ? [] : ["-t", only]), "--runTestsByPath", ...files],
      { cwd: folder, env: environment, maxBuffer: 64 * 2 ** 20 },
      () => {
        try {
          resolve(JSON.parse(readFileSync(report, "utf8")) as Results);
        } catch {
          resolve(null);
        }
      },
    );
  });
}

/** Why a test failed, in a line, so that the reader sees whether the mutant is caught for what it does or for not starting. */
function firstFailure({ testResults }: Results): string {
  const [message = ""] = testResults.flatMap((it) => it.assertionResults.flatMap((test) => test.failureMessages ?? []));
  const plain = stripVTControlCharacters(message.replace(/\n\s+at [^]*/, ""));
  return plain.replace(/\s+/g, " ").slice(0, 200);
}

async function judge(mutant: Mutant, folder: string, databaseUrl: string): Promise<readonly [Verdict, string]> {
  const { edits } = mutant;
  const lost = edits.filter((it) => occurrencesOf(it, folder).length !== 1);
  if (lost.length > 0) return ["ERROR", `does not occur exactly once, so correct test/mutants/: ${lost[0]!.from}`];
  const originals = new Map<string, string>();
  for (const edit of edits) {
    const { from, to } = edit;
    const file = join(folder, occurrencesOf(edit, folder)[0]!);
    const text = readFileSync(file, "utf8");
    if (!originals.has(file)) originals.set(file, text);
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
  }
  const restore = () => {
    for (const [file, text] of originals) writeFileSync(file, text);
  };
  try {
    const results = await runTests(folder, mutant.tests, mutant.only, databaseUrl);
    if (results === null) return ["ERROR", "Jest returned no result."];
    if (results.numFailedTests > 0) {
      const failure = firstFailure(results);
      // On a busy machine, a test can exceed its time without the mutant too.
      if (/Exceeded timeout|Waited \d+ ms/.test(failure)) {
        restore();
        const unchanged = await runTests(folder, mutant.tests, mutant.only, databaseUrl);
        if (unchanged?.numFailedTests !== 0) return ["ERROR", `its tests fail without it too: ${failure}`];
      }
      return ["caught", `by ${results.numFailedTests} tests: ${failure}`];
    }
    if (results.numRuntimeErrorTestSuites > 0) return ["ERROR", "its tests can't be loaded."];
    return results.numPassedTests === 0 ? ["ERROR", "no test ran."] : ["SURVIVED", mutant.tests.join(", ")];
  } finally {
    restore();
  }
}

const options = { unchanged: { type: "boolean", default: false }, find: { type: "boolean", default: false } } as const;

async function run(values: { readonly unchanged: boolean; readonly find: boolean }, words: readonly string[]): Promise<boolean> {
  const chosen = mutants.filter((it) => words.length === 0 || words.some((word) => JSON.stringify(it).includes(word)));
  if (values.find) {
    const edits = chosen.flatMap(({ what, edits: of }) => of.map((edit) => ({ what, edit, files: occurrencesOf(edit, ROOT) })));
    const lost = edits.filter(({ files }) => files.length !== 1);
    for (const { what, edit, files } of lost)
      console.error(
        `${what}: its text occurs ${files.length} times in ${edit.file ?? "src/"}${files.length > 1 ? `, in ${files.join(" and ")}: name the one that it is about in a line "@ FILE" above it in test/mutants/` : ""}: ${edit.from}`,
      );
    const files = [...new Set(chosen.flatMap((it) => it.tests))].filter((it) => !existsSync(join(ROOT, it)));
    for (const it of files) console.error(`${it} doesn't exist.`);
    console.log(`${edits.length - lost.length} of ${edits.length} texts of mutants occur once.`);
    return lost.length + files.length === 0;
  }
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "plumbline-mutants-"));
  const postgres = await startScratchPostgres();
  try {
    const filter = (path: string) => basename(path) !== "node_modules";
    for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
    if (values.unchanged) {
      const results = await runTests(folder, [...new Set(chosen.flatMap((it) => it.tests))], undefined, postgres.url);
      console.log(`${results?.numPassedTests} tests passed and ${results?.numFailedTests} failed on the unchanged source.`);
      return results !== null && results.numFailedTests + results.numRuntimeErrorTestSuites === 0;
    }
    const count: Record<Verdict, number> = { caught: 0, SURVIVED: 0, ERROR: 0 };
    for (const mutant of chosen) {
      const startedMs = performance.now();
      const [verdict, why] = await judge(mutant, folder, postgres.url);
      count[verdict]++;
      console.log(
        `${verdict.padEnd(8)} ${((performance.now() - startedMs) / 1_000).toFixed(0).padStart(3)} s  ${mutant.what} (${why})`,
      );
    }
    console.log(`${count.caught} caught, ${count.SURVIVED} survived, ${count.ERROR} errors, of ${chosen.length} mutants.`);
    return count.caught === chosen.length;
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

await runCommand({ usage: USAGE, options, arguments: Infinity }, async ({ values, positionals }) =>
  (await run(values, positionals)) ? 0 : 1,
);
