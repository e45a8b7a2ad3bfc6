import { fileURLToPath } from "node:url";
import { compareWitnesses } from "./witness.ts";

type RunConfig = {
  readonly testPathPatterns: { readonly patterns: readonly string[] };
  readonly testNamePattern?: string;
  readonly onlyFailures?: boolean;
  readonly onlyChanged?: boolean;
};

/** Stops PostgreSQL, and after a whole run tells which declared outcomes no test has seen. */
export default async function globalTeardown(run: RunConfig): Promise<void> {
  const isWhole = run.testPathPatterns.patterns.length === 0 && !run.testNamePattern && !run.onlyFailures && !run.onlyChanged;
  if (isWhole) {
    const gaps = compareWitnesses(
      process.env["WITNESS_FILE"]!,
      fileURLToPath(new URL("../contract/unwitnessed.txt", import.meta.url)),
    );
    for (const gap of gaps) console.error(`Contract coverage: ${gap}`);
    if (gaps.length > 0) process.exitCode = 1;
  }
  await (globalThis as unknown as { stopTestPostgres: () => Promise<void> }).stopTestPostgres();
}
