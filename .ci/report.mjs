// Prints the failures of all steps and tests, and "N passed, N failed" as the last line. Failures come last, because a long log is
// often cut at its beginning. It runs on the Node of the machine, because `npm ci` may have failed.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const SKIPPED = 77;
const LINES_MAX = 12;
const LINE_LENGTH_MAX = 400;

const folder = process.argv[2];
const skipped = [];
const unstable = [];
const failures = [];
let passed = 0;
let failed = 0;
const fail = (title, message = "") => {
  failed++;
  const details = stripVTControlCharacters(message).split("\n").filter((it) => it.trim() !== "");
  failures.push(`FAILED: ${title}`, ...details.slice(0, LINES_MAX).map((it) => `  ${it.slice(0, LINE_LENGTH_MAX)}`));
};

/** The files of a report of jest. If jest was killed while it wrote, that is a failure. */
function resultsIn(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).testResults;
  } catch (error) {
    fail(`${file} can't be read`, error.message);
    return [];
  }
}

const pathOf = (name) => name.replace(/^.*?(?=test\/)/, "");

/** The tests that passed when their failed file ran again alone, as path and name; of a file that passed, also its path. */
function passedAgain(suite) {
  const file = join(folder, `${suite}-again.json`);
  const results = existsSync(file) ? resultsIn(file) : [];
  return new Set(
    results.flatMap(({ name, status, assertionResults }) => [
      ...(status === "passed" ? [pathOf(name)] : []),
      ...assertionResults.filter((it) => it.status === "passed").map((it) => `${pathOf(name)}: ${it.fullName}`),
    ]),
  );
}

for (const suite of ["tests", "slow", "root", "faults"]) {
  const file = join(folder, `${suite}.json`);
  if (!existsSync(file)) continue;
  const again = passedAgain(suite);
  const failUnlessPassed = (title, message) => {
    if (!again.has(title)) return fail(title, message);
    passed++;
    unstable.push(`UNSTABLE: ${title} failed, and passed when it ran again alone`);
  };
  for (const { name, status, message, assertionResults } of resultsIn(file)) {
    const path = pathOf(name);
    const of = (state) => assertionResults.filter((it) => it.status === state);
    passed += of("passed").length;
    for (const test of of("failed")) failUnlessPassed(`${path}: ${test.fullName}`, test.failureMessages.join("\n"));
    if (status === "failed" && of("failed").length === 0) failUnlessPassed(path, message);
    // Of the tests as root, the others have run before.
    if (suite !== "root") for (const test of of("pending")) skipped.push(`SKIPPED: ${path}: ${test.fullName}`);
  }
}
const steps = join(folder, "steps.tsv");
for (const step of existsSync(steps) ? readFileSync(steps, "utf8").trim().split("\n") : []) {
  const [code, name] = step.split("\t");
  if (code === "0") passed++;
  else if (code === String(SKIPPED)) skipped.push(`SKIPPED: ${name}`);
  else fail(`${name}: exit code ${code}`);
}
if (passed + failed === 0) fail("no step has run");
console.log([...skipped, ...unstable, ...failures, `${passed} passed, ${failed} failed`].join("\n"));
process.exitCode = failed === 0 ? 0 : 1;
