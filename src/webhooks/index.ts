/** The entry point for the API, and for the declarations of jobs. */
export { ATTEMPT_RESULTS, type OnDelivery } from "./delivery/attempt-result.ts";
export { allowsPrivate, isLocalOnly } from "./egress/target.ts";
export { webhookHandlers } from "./handlers.ts";
export { webhookJobs } from "./jobs.ts";
export { webhookEventSources } from "./sender.ts";
