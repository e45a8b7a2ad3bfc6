import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../generate/run-tool.ts";
import { run } from "./gates.ts";
import { STEPS } from "./missing.ts";
import { findSubject, type Subject } from "./subject.ts";

/**
 * Prints what is still missing for one operation, in order, each with the file to edit. If nothing is missing, runs its
 * own tests and those of all operations, and names the outcomes that they have not seen. Returns whether all of it passed.
 */
export async function checkOperation(id: string): Promise<boolean> {
  const subject = await findSubject(id).catch((error: Error) => {
    console.error(error instanceof ToolError ? `The contract in openapi/ is not valid yet:\n${error.message}` : error.message);
    return null;
  });
  if (subject === null) return false;
  console.log(`${id}: ${subject.name}, described in ${subject.contractFile}\n`);
  if (!(await lookForMissing(subject))) return false;
  const isSeen = await runTests(subject);
  if (isSeen)
    console.log(
      `\nNothing is missing for ${id}. \`npm run check\` runs every gate, as CI does, except the slow tests: test/README.md says what only they cover.`,
    );
  return isSeen;
}

/** Runs all steps at once, except those that would only repeat an earlier finding, and prints the results in order. */
async function lookForMissing(subject: Subject): Promise<boolean> {
  const found = new Map<string, Promise<readonly string[] | null>>();
  for (const { name, look, after = [] } of STEPS) {
    const before = Promise.all(after.map((it) => found.get(it)!));
    found.set(
      name,
      before.then((them) => (them.every((it) => it?.length === 0) ? look(subject) : null)),
    );
  }
  let isDone = true;
  for (const { name, after = [] } of STEPS) {
    const missing = await found.get(name)!;
    if (missing === null) console.log(`${name.padEnd(13)} after ${after.join(" and ")}`);
    else report(name, missing);
    isDone &&= missing?.length === 0;
  }
  if (!isDone) console.log("\nAdd what is missing, from the top, and run this again.");
  return isDone;
}

async function runTests({ id, testFile }: Subject): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-check-"));
  const witnessed = join(folder, "witnessed.txt");
  try {
    const environment = { WITNESS_FILE: witnessed };
    const own = await run(["test", "--", testFile], false, environment);
    report("own tests", own.isGood ? [] : [own.output]);
    const shared = await run(["test", "--", "test/contract", "-t", `\\b${id}\\b`], false, environment);
    report("shared tests", shared.isGood ? [] : [shared.output]);
    const { unseenOutcomes } = await import("../../test/support/witness.ts");
    const unseen = unseenOutcomes(witnessed)
      .filter((it) => it.startsWith(`${id} `))
      .map((it) => `${testFile}: no test gets ${it.slice(id.length + 1)}, which the contract declares for ${id}.`);
    if (own.isGood && shared.isGood) report("outcomes", unseen);
    return own.isGood && shared.isGood && unseen.length === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(name: string, found: readonly string[]): void {
  console.log(`${name.padEnd(13)} ${found.length === 0 ? "ok" : "MISSING"}`);
  for (const sentence of found) console.log(`    ${sentence}`);
}
