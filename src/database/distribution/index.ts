export { hasCitus } from "./catalogue.ts";
export { distribute, planDistribution, type PlannedStep } from "./distribute.ts";
export { pendingSteps, type DistributionOptions, type TableDistributions } from "./plan.ts";
