import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { runCommand } from "../src/util/command.ts";
import { StartupError } from "../src/util/startup-error.ts";
import { bundleContract, withOwnSecurity } from "./contract/bundle.ts";
import type { Contract } from "./contract/document.ts";
import { assess } from "./contract/assessment.ts";
import { changesAsMarkdown } from "./contract/markdown.ts";
import { newestRelease } from "./contract/released.ts";

const USAGE = `Prints the changes to the contract as Markdown.

Usage:
  npm run -s contract:changes            since the last release
  npm run -s contract:changes -- main    since a git revision`;

const ROOT = join(import.meta.dirname, "..");
const OPENAPI = join(ROOT, "openapi");

/** Reads the committed bundle of a revision. */
function bundleOfRevision(name: string): Contract | null {
  try {
    const text = execFileSync("git", ["show", `${name}:generated/openapi.json`], {
      cwd: ROOT,
      encoding: "utf8",
      maxBuffer: 64 * 2 ** 20,
      stdio: ["ignore", "pipe", "ignore"],
    });
    return withOwnSecurity(JSON.parse(text) as Contract);
  } catch {
    return null;
  }
}

await runCommand({ usage: USAGE, arguments: 1 }, async ({ positionals: [revisionName] }) => {
  const base = revisionName === undefined ? newestRelease(OPENAPI) : bundleOfRevision(revisionName);
  if (base === null)
    throw new StartupError(
      revisionName === undefined
        ? "Nothing is released yet. Give a git revision to compare with."
        : `git has no generated/openapi.json in "${revisionName}".`,
    );
  const revision = await bundleContract(OPENAPI);
  console.log(changesAsMarkdown(revisionName ?? base.info.version, revision, await assess(base, revision)));
});
