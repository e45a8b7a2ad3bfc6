export { hasCitus } from "./catalogue.ts";
export { distribute, planDistribution, type PlannedStep } from "./distribute.ts";
export { pendingSteps, type Distribution, type Places } from "./plan.ts";
