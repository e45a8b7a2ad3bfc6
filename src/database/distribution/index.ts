export { hasCitus, IS_ON_EVERY_NODE } from "./catalogue.ts";
export { distribute, planDistribution, type PlannedStep } from "./distribute.ts";
export { pendingSteps, type DistributionOptions, type TableDistributions } from "./plan.ts";
