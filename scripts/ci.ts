import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runCommand } from "../src/util/command.ts";
import { StartupError } from "../src/util/startup-error.ts";
import { reportOf } from "./ci/count.ts";
import { openMachine } from "./ci/machine.ts";
import { runSteps } from "./ci/run-steps.ts";
import { JOBS, STEPS } from "./ci/steps.ts";

const USAGE = `Runs the steps of CI in this checkout, after npm ci. \`bash .ci/run\` also runs npm ci, and prints the report last.

Usage:
  npm run ci:steps                  runs every step but those of the job night, and installs the programs that tests need
  npm run ci:steps -- JOB|STEP...   runs the steps of a job (${JOBS.join(", ")}), or those of these names
  npm run ci:steps -- --list        lists the steps of each job
  npm run ci:steps -- --report F    writes the report to a file

RESULTS is the folder for the reports of jest. Without it, they are in a new folder in ${tmpdir()}.`;

const ROOT = resolve(import.meta.dirname, "..");
const options = { report: { type: "string" }, list: { type: "boolean" } } as const;

await runCommand({ usage: USAGE, options, arguments: STEPS.length }, async ({ values, positionals }) => {
  if (values.list) return console.log(STEPS.map(({ job, name }) => `${job.padEnd(6)} ${name}`).join("\n"));
  const unknown = positionals.filter((it) => !STEPS.some(({ name, job }) => it === name || it === job));
  if (unknown.length > 0) throw new StartupError(`There is no job or step named ${unknown.join(" or ")}.\n\n${USAGE}`);
  const steps = STEPS.filter(({ name, job }) =>
    positionals.length === 0 ? job !== "night" : positionals.includes(name) || positionals.includes(job),
  );

  // Without a registry, the audit is skipped and reported as such. Hosted CI doesn't allow that.
  process.env["ALLOW_SKIPPED_AUDIT"] ??= "true";
  const results = resolve(process.env["RESULTS"] ?? mkdtempSync(join(tmpdir(), "plumbline-ci-results-")));
  mkdirSync(results, { recursive: true });
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort());
  using stack = new DisposableStack();
  const total = await runSteps(steps, openMachine(ROOT, results, stop.signal, stack), results);
  const report = reportOf(total);
  if (values.report === undefined) console.log(report);
  else writeFileSync(values.report, `${report}\n`);
  return total.failed === 0 ? 0 : 1;
});
