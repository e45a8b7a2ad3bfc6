import { join } from "node:path";
import { runCommand } from "../src/util/command.ts";
import { bundleContract } from "./contract/bundle.ts";
import { isComplete, metricsOf, metricsReport } from "./contract/metrics.ts";

const USAGE = `Prints how complete the contract is. The exit code is 1 if anything is below 100 %.

Usage: npm run contract:metrics`;

await runCommand({ usage: USAGE }, async () => {
  const contract = await bundleContract(join(import.meta.dirname, "../openapi"));
  const metrics = metricsOf(contract);
  console.log(metricsReport(contract, metrics));
  return isComplete(metrics) ? 0 : 1;
});
