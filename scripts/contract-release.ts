import { join } from "node:path";
import { Complaint } from "./contract/complaint.ts";
import { Refusal, release } from "./contract/release.ts";
import { ToolError } from "./generate/run-tool.ts";

// npm run contract:release -- 1.1.0: freezes the contract under this version.
const version = process.argv[2];

try {
  if (version === undefined) throw new Refusal("Say which version: npm run contract:release -- 1.1.0");
  await release(join(import.meta.dirname, ".."), version);
  console.log(`${version} is frozen in openapi/released/. Now: npm run generate, and commit openapi/ and generated/.`);
} catch (error) {
  if (!(error instanceof Complaint) && !(error instanceof ToolError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
