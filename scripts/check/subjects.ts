import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../generate/run-tool.ts";
import { run } from "./gates.ts";
import { STEPS } from "./missing.ts";
import { findSubjects, ROOT, type Subject, type Selection } from "./subject.ts";

type Subjects = readonly [Subject, ...Subject[]];

/**
 * Prints what is missing, with the file to edit. If nothing is, runs the tests, and prints outcomes that none covers. Returns
 * whether all passed.
 */
export async function checkSubjects(selection: Selection): Promise<boolean> {
  const subjects = await findSubjects(selection).catch((error: Error) => {
    console.error(error instanceof ToolError ? `The contract in openapi/ is not valid yet:\n${error.message}` : error.message);
    return null;
  });
  if (subjects === null) return false;
  for (const { id, name, contractFile } of subjects) console.log(`${id}: ${name}, described in ${contractFile}`);
  console.log("");
  const isArea = "area" in selection;
  if (!(await reportMissing(subjects, isArea))) return false;
  const isSeen = await runTests(subjects, isArea);
  if (isSeen)
    console.log(
      `\nNothing is missing for ${isArea ? selection.area : selection.operation}. \`npm run check\` runs every gate, as CI does, except the slow tests: test/README.md says what only they cover.`,
    );
  return isSeen;
}

/** Runs all steps concurrently, except steps that would only repeat an earlier finding, and prints the results in order. */
async function reportMissing(subjects: Subjects, isArea: boolean): Promise<boolean> {
  const steps = STEPS.filter(({ only }) => isArea || only !== "area");
  const found = new Map<string, Promise<readonly string[] | null>>();
  for (const { name, check, only, after = [] } of steps) {
    const before = Promise.all(after.map((it) => found.get(it)!));
    const runCheck = async () => {
      const all = await Promise.all((only === "each" ? subjects : [subjects[0]]).map(check));
      return [...new Set(all.flat())];
    };
    found.set(
      name,
      before.then((them) => (them.every((it) => it?.length === 0) ? runCheck() : null)),
    );
  }
  let isDone = true;
  for (const { name, after = [] } of steps) {
    const missing = await found.get(name)!;
    if (missing === null) console.log(`${name.padEnd(13)} after ${after.join(" and ")}`);
    else report(name, missing);
    isDone &&= missing?.length === 0;
  }
  if (!isDone) console.log("\nAdd what is missing, from the top, and run this again.");
  return isDone;
}

/** The tests that need a declaration of each table. Their messages explain what to add. */
const OF_SCHEMA = [
  "test/personal-data/references.test.ts",
  "test/operations/tables.test.ts",
  "test/operations/migration-rules.test.ts",
];

/** The files that differ from the newest commit, in these places. */
const changed = (...places: readonly string[]) =>
  execFileSync("git", ["status", "--porcelain", "--no-renames", "--", ...places], { cwd: ROOT, encoding: "utf8" })
    .split("\n")
    .filter((it) => it !== "" && !it.startsWith(" D"))
    .map((it) => it.slice(3));

/** Of the tests of all operations, those that run each statement: as in test/jest.config.mjs. */
const OF_ALL_OPERATIONS = "test/contract/(authorization|examples|keys|lists|quotas)\\.test";

async function runTests(subjects: Subjects, isArea: boolean): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-check-"));
  const witnessed = join(folder, "witnessed.txt");
  const { area, tests } = subjects[0];
  const ids = subjects.map((it) => it.id);
  const ofThese = ["-t", `\\b(${ids.join("|")})\\b`];
  const otherTests = changed("test").filter((it) => it.endsWith(".test.ts") && !it.startsWith(`test/${area}/`));
  const noCitus = isArea ? (await import("../../test/support/citus.ts")).missingCitus() : null;
  const onCitus = isArea && noCitus === null;
  const groups: readonly (readonly [name: string, when: boolean, test: readonly string[], environment?: object])[] = [
    ["structure", isArea, ["test/contract/tidy.test.ts"]],
    ["schema", isArea || changed("prisma", "src/*/tables.ts").length > 0, OF_SCHEMA],
    ["own tests", true, [tests]],
    ["texts", isArea, ["test/contract/tools.test.ts", "-t", "plain-words"]],
    ["replicas", isArea, ["test/operations/consistency-tokens.test.ts"]],
    ["shared tests", true, ["test/contract/.*(?<!slow)\\.test", ...ofThese]],
    ["changed tests", otherTests.length > 0, otherTests],
    ["workflows", isArea, ["test/contract/workflows.slow.test.ts", "-t", `service: ${area}$`]],
    ["export", isArea, ["test/personal-data/export.slow.test.ts", "-t", "every row"]],
    ["plans", isArea, ["test/operations/plans.slow.test.ts", ...ofThese]],
    ["nodes asked", onCitus, ["test/operations/distribute.slow.test.ts", "-t", "ask one shard"]],
    ["own on Citus", onCitus, [tests], { TEST_CITUS: "on" }],
    ["all on Citus", onCitus, [OF_ALL_OPERATIONS, ...ofThese], { TEST_CITUS: "on" }],
  ];
  try {
    let isGood = true;
    for (const [name, when, test, environment] of groups) {
      if (!when) continue;
      const done = await run(["test", "--", ...test], false, { WITNESS_FILE: witnessed, ...environment });
      report(name, done.isGood ? [] : [done.output]);
      isGood &&= done.isGood;
    }
    const { unseenOutcomes } = await import("../../test/support/witness.ts");
    const unseen = unseenOutcomes(witnessed)
      .filter((it) => ids.includes(it.split(" ")[0]!))
      .map(
        (it) => `${tests}: no test gets ${it.slice(it.indexOf(" ") + 1)}, which the contract declares for ${it.split(" ")[0]}.`,
      );
    if (isGood) report("outcomes", unseen);
    if (noCitus !== null)
      console.log(
        `\nNOT CHECKED ON CITUS: this machine ${noCitus}. CI runs the statements of the area there: test/README.md says how you can, too.`,
      );
    return isGood && unseen.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(name: string, found: readonly string[]): void {
  console.log(`${name.padEnd(13)} ${found.length === 0 ? "ok" : "MISSING"}`);
  for (const sentence of found) console.log(`    ${sentence}`);
}
