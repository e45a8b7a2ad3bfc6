import { join } from "node:path";
import { bundleContract } from "./contract/bundle.ts";
import { judge, readExceptions, reportOf } from "./contract/judgement.ts";
import { newestRelease } from "./contract/released.ts";
import { ToolError } from "./generate/run-tool.ts";

// npm run contract:compat: has the version risen by what the changes since the last release ask for?
const OPENAPI = join(import.meta.dirname, "../openapi");

try {
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
  if (!(error instanceof ToolError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
