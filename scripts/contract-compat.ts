import { join } from "node:path";
import { bundleContract } from "./contract/bundle.ts";
import { Complaint } from "./contract/complaint.ts";
import { readExceptions } from "./contract/exceptions.ts";
import { requireFrozen } from "./contract/frozen.ts";
import { judge, reportOf } from "./contract/judgement.ts";
import { newestRelease } from "./contract/released.ts";
import { ToolError } from "./generate/run-tool.ts";

// npm run contract:compat [-- origin/main]: has the version risen by what the changes since the last release ask for? With
// a git revision also: are the releases that it has still what they were?
const ROOT = join(import.meta.dirname, "..");
const OPENAPI = join(ROOT, "openapi");
const revisionName = process.argv[2];

try {
  if (revisionName !== undefined) requireFrozen(ROOT, revisionName);
  const base = newestRelease(OPENAPI);
  if (base === null) {
    console.log("Nothing is released yet, so everything may change.");
  } else {
    const revision = await bundleContract(OPENAPI);
    const judgement = await judge(base, revision, readExceptions(OPENAPI));
    console.log(reportOf(base, revision, judgement));
    if (!judgement.isVersionEnough || judgement.unused.length > 0) process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof ToolError) && !(error instanceof Complaint)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
