import { join } from "node:path";
import { bundleContract } from "./contract/bundle.ts";
import { isComplete, metricsOf, metricsReport } from "./contract/metrics.ts";
import { ToolError } from "./generate/run-tool.ts";

// npm run contract:metrics: how complete the contract is; anything below 100 % is an error.
try {
  const contract = await bundleContract(join(import.meta.dirname, "../openapi"));
  const metrics = metricsOf(contract);
  console.log(metricsReport(contract, metrics));
  if (!isComplete(metrics)) process.exitCode = 1;
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
