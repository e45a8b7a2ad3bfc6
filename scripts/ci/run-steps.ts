import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Total } from "./count.ts";
import { countTests } from "./jest-results.ts";
import type { Machine } from "./machine.ts";
import type { Step } from "./steps.ts";

/** The exit code of a skipped test in automake. */
const SKIPPED = 77;

/** Runs all steps, even after a failure, and counts steps and tests. `results` is the folder for the reports of jest. */
export async function runSteps(steps: readonly Step[], machine: Machine, results: string): Promise<Total> {
  const total = { passed: 0, failed: 0, failures: [] as string[], skipped: [] as string[], warnings: machine.warnings };
  const fail = (failure: string) => {
    total.failed++;
    total.failures.push(failure);
  };
  for (const step of steps) {
    if (machine.isStopped()) {
      fail(`${step.name}: CI was stopped before it`);
      continue;
    }
    console.log(`::: ${step.name}`);
    if (step.user === "root" && !machine.isRoot) {
      total.skipped.push(`${step.name}: it needs root`);
      continue;
    }
    const started = performance.now();
    const file = step.results === undefined ? null : join(results, `${step.results}.json`);
    // The results of an earlier run would count.
    if (file !== null) rmSync(file, { force: true });
    const exit = await exitOf(step, machine, file);
    const ending = typeof exit === "number" ? `exit code ${exit}` : exit;
    console.log(`::: ${step.name}: ${ending} after ${secondsSince(started)} s`);
    if (exit === 0) total.passed++;
    else if (exit === SKIPPED) total.skipped.push(step.name);
    else fail(`${step.name}: ${ending}`);
    if (file === null || exit === SKIPPED) continue;
    const { passed, failed, failures, pending } = countTests(file);
    for (const name of pending) console.log(`SKIPPED: ${name}`);
    console.log(`${pending.length} tests skipped`);
    total.passed += passed;
    total.failed += failed;
    total.failures.push(...failures);
  }
  if (total.passed + total.failed === 0) fail("no step has run");
  return total;
}

/** The exit code of a step, or the error if it could not run. */
async function exitOf({ command, user }: Step, machine: Machine, file: string | null): Promise<number | string> {
  try {
    if (typeof command === "function") return command(machine);
    const options = file === null ? [] : ["--json", `--outputFile=${file}`];
    const run = user === "ordinary" ? await machine.asOrdinaryUser() : machine.run;
    return await run([...command, ...options]);
  } catch (error) {
    return (error as Error).message;
  }
}

const secondsSince = (startedMs: number) => ((performance.now() - startedMs) / 1_000).toFixed(1);
