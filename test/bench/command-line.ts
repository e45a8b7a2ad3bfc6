import { execFileSync } from "node:child_process";
import { UsageError } from "../../src/util/command.ts";

/** What the commands of the benchmark share. */

export const log = (line: string) => void process.stderr.write(`${line}\n`);

export function currentCommit(): string {
  try {
    return execFileSync("git", ["describe", "--always", "--dirty"], { cwd: import.meta.dirname, encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

export function positive(text: string): number {
  const number = Number(text);
  if (!(number > 0)) throw new UsageError();
  return number;
}
