import { execFileSync } from "node:child_process";
import { ContractError } from "./contract-error.ts";

/**
 * Throws a ContractError if a released contract differs from a git revision, because a changed baseline would hide breaking
 * changes.
 */
export function requireFrozen(root: string, revision: string): void {
  const commit = commitOf(root, revision);
  // Without renames, so that a moved file counts as removed.
  const fields = git(
    root,
    "diff",
    "-z",
    "--name-status",
    "--no-renames",
    "--no-ext-diff",
    commit,
    "--",
    "openapi/released",
  ).split("\0");
  const broken = fields.flatMap((status, at) =>
    at % 2 === 0 && status !== "" && status !== "A" ? [`${fields[at + 1]} is ${status === "D" ? "removed" : "changed"}.`] : [],
  );
  if (broken.length > 0) throw new ContractError(`A released contract must not change. Since ${revision}:\n${broken.join("\n")}`);
}

function commitOf(root: string, revision: string): string {
  try {
    return git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`).trim();
  } catch (error) {
    throw new ContractError(`git has no revision "${revision}".`, { cause: error });
  }
}

const git = (root: string, ...options: string[]): string =>
  execFileSync("git", options, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * 2 ** 20 });
