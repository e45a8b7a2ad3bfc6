import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import type { Count } from "./count.ts";

/** The used fields of the output of jest with `--json`. */
type JestResults = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  /** Files that could not be loaded, or whose set-up failed. */
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
};

const MESSAGE_LINES_MAX = 12;

/**
 * Reads the results of jest: passed, failed and skipped tests, with the first lines of each failure. A missing file counts as a
 * failure.
 */
export function countTests(file: string): Count & { readonly pending: readonly string[] } {
  try {
    return countOf(JSON.parse(readFileSync(file, "utf8")) as JestResults);
  } catch (error) {
    return { passed: 0, failed: 1, failures: [`jest wrote no results: ${(error as Error).message}`], pending: [] };
  }
}

function countOf({ numPassedTests, numFailedTests, numRuntimeErrorTestSuites, testResults }: JestResults) {
  const tests = testResults.flatMap((it) => it.assertionResults);
  return {
    passed: numPassedTests,
    failed: numFailedTests + numRuntimeErrorTestSuites,
    failures: testResults.flatMap(failuresOf),
    pending: tests.filter((it) => it.status === "pending").map((it) => it.fullName),
  };
}

function failuresOf({ name, status, message, assertionResults }: JestResults["testResults"][number]): string[] {
  if (status !== "failed") return [];
  const file = name.replace(/^.*?(?=test\/)/, "");
  const failed = assertionResults.filter((it) => it.status === "failed");
  if (failed.length === 0) return [[`${file} does not run`, ...firstLines(message)].join("\n  ")];
  return failed.map((it) => [`${file}: ${it.fullName}`, ...firstLines(it.failureMessages.join("\n"))].join("\n  "));
}

function firstLines(message: string): string[] {
  const lines = stripVTControlCharacters(message).split("\n");
  return lines.filter((it) => it.trim() !== "").slice(0, MESSAGE_LINES_MAX);
}
