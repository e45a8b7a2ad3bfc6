/** The entry point for the API, and for what a worker needs to know of the queue. */
export { ATTEMPT_ENDS, type OnDelivery } from "./delivery/ends.ts";
export { allowsPrivate, isOfOneMachine } from "./egress/target.ts";
export { webhookHandlers } from "./handlers.ts";
export { webhookJobs } from "./jobs.ts";
export { webhookEventSources } from "./sender.ts";
