export { hasCitus } from "./catalogue.ts";
export { distribute, planDistribution, type PlannedStep } from "./distribute.ts";
export { pendingSteps, TRIGGERS_FOR_1_0_0, type Distribution, type Places } from "./plan.ts";
