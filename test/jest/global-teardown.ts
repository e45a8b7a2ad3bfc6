import { existsSync, readFileSync } from "node:fs";
import { unseenOutcomes } from "../support/witness.ts";

const WAITS_SHOWN = 10;

function printLongestWaits(file: string): void {
  if (!existsSync(file)) return;
  const waits = readFileSync(file, "utf8").trim().split("\n");
  const longest = waits.sort((one, other) => parseInt(other) - parseInt(one)).slice(0, WAITS_SHOWN);
  console.error(`\nThe longest of ${waits.length} waits of a second or more:\n${longest.join("\n")}`);
}

/** What these files read of the configuration of a run. */
export type RunConfig = {
  readonly testPathPatterns: { readonly patterns: readonly string[] };
  readonly testNamePattern?: string;
  readonly onlyFailures?: boolean;
  readonly onlyChanged?: boolean;
};

/** Stops PostgreSQL. After a run of all tests, prints the declared outcomes that no test has seen. */
export default async function globalTeardown(run: RunConfig): Promise<void> {
  const isWhole =
    process.env["TESTS"] !== "slow" &&
    run.testPathPatterns.patterns.length === 0 &&
    !run.testNamePattern &&
    !run.onlyFailures &&
    !run.onlyChanged;
  printLongestWaits(process.env["WAITS_FILE"]!);
  if (isWhole) {
    const unseen = unseenOutcomes(process.env["WITNESS_FILE"]!);
    for (const outcome of unseen) console.error(`Contract coverage: no test has seen "${outcome}", which the contract declares.`);
    if (unseen.length > 0) process.exitCode = 1;
  }
  await (globalThis as unknown as { stopTestPostgres: () => Promise<void> }).stopTestPostgres();
}
