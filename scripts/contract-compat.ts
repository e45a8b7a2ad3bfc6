import { join } from "node:path";
import { runCommand } from "../src/util/command.ts";
import { bundleContract } from "./contract/bundle.ts";
import { readExceptions } from "./contract/exceptions.ts";
import { requireFrozen } from "./contract/frozen.ts";
import { assess, reportOf } from "./contract/assessment.ts";
import { newestRelease } from "./contract/released.ts";

const USAGE = `Checks that info.version is high enough for the changes since the last release.

Usage:
  npm run contract:compat
  npm run contract:compat -- origin/main    also check that the releases of a git revision have not changed`;

const ROOT = join(import.meta.dirname, "..");
const OPENAPI = join(ROOT, "openapi");

await runCommand({ usage: USAGE, arguments: 1 }, async ({ positionals: [revisionName] }) => {
  if (revisionName !== undefined) requireFrozen(ROOT, revisionName);
  const base = newestRelease(OPENAPI);
  if (base === null) return console.log("Nothing is released yet, so everything can change.");
  const revision = await bundleContract(OPENAPI);
  const assessment = await assess(base, revision, readExceptions(OPENAPI));
  console.log(reportOf(base, revision, assessment));
  return assessment.isVersionEnough && assessment.unused.length === 0 ? 0 : 1;
});
