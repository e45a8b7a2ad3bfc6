/** The entry point for the worker. */
export type { DeliveryParts } from "./parts.ts";
export { openEgress } from "../egress/egress.ts";
export { startDispatcher } from "./dispatcher.ts";
export { createDeliveryLimits } from "./limits.ts";
