import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { bundleContract, withOwnSecurity } from "./contract/bundle.ts";
import type { Contract } from "./contract/document.ts";
import { judge } from "./contract/judgement.ts";
import { changesAsMarkdown } from "./contract/markdown.ts";
import { newestRelease } from "./contract/released.ts";
import { ToolError } from "./generate/run-tool.ts";

// npm run -s contract:changes [-- main]: what changed in the contract since a git revision, or else since the last release.
const ROOT = join(import.meta.dirname, "..");
const OPENAPI = join(ROOT, "openapi");
const revisionName = process.argv[2];

/** The bundle is checked in, so a revision has it ready. */
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

try {
  const base = revisionName === undefined ? newestRelease(OPENAPI) : bundleOfRevision(revisionName);
  if (base === null) {
    console.error(
      revisionName === undefined
        ? "Nothing is released yet: name a git revision to compare with."
        : `git has no generated/openapi.json in "${revisionName}".`,
    );
    process.exitCode = 1;
  } else {
    const revision = await bundleContract(OPENAPI);
    console.log(changesAsMarkdown(revisionName ?? base.info.version, revision, await judge(base, revision)));
  }
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
