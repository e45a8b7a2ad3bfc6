import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { StartupError } from "../../src/util/startup-error.ts";
import { assess, reportOf } from "./assessment.ts";
import { bundleContract, withOwnSecurity } from "./bundle.ts";
import type { Contract } from "./document.ts";
import { readExceptions } from "./exceptions.ts";
import { requireFrozen } from "./frozen.ts";
import { changesAsMarkdown } from "./markdown.ts";
import { release } from "./release.ts";
import { newestRelease } from "./released.ts";

const ROOT = join(import.meta.dirname, "../..");
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

/** Checks that `info.version` is high enough for the changes since the last release. Returns the exit code. */
export async function compare(revisionName: string | undefined): Promise<number> {
  if (revisionName !== undefined) requireFrozen(ROOT, revisionName);
  const base = newestRelease(OPENAPI);
  if (base === null) {
    console.log("Nothing is released yet, so everything can change.");
    return 0;
  }
  const revision = await bundleContract(OPENAPI);
  const assessment = await assess(base, revision, readExceptions(OPENAPI));
  console.log(reportOf(base, revision, assessment));
  return assessment.isVersionEnough && assessment.unused.length === 0 ? 0 : 1;
}

/** Prints the changes since the last release, or since a git revision, as Markdown. */
export async function printChanges(revisionName: string | undefined): Promise<void> {
  const base = revisionName === undefined ? newestRelease(OPENAPI) : bundleOfRevision(revisionName);
  if (base === null)
    throw new StartupError(
      revisionName === undefined
        ? "Nothing is released yet. Give a git revision to compare with."
        : `git has no generated/openapi.json in "${revisionName}".`,
    );
  const revision = await bundleContract(OPENAPI);
  console.log(changesAsMarkdown(revisionName ?? base.info.version, revision, await assess(base, revision)));
}

/** Freezes the contract under a version. */
export async function freeze(version: string): Promise<void> {
  await release(ROOT, version);
  console.log(`${version} is frozen in openapi/released/. Now run npm run generate, and commit openapi/ and generated/.`);
}
