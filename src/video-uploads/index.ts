/** The entry point for the API. */
export { ATTEMPT_OUTCOMES, type OnAttemptEnd } from "./attempt-outcomes.ts";
export { videoUploadHandlers, videoUploadWaits } from "./handlers.ts";
export { videoUploadQueues } from "./jobs.ts";
export { ALL_UPLOADS } from "./object-keys.ts";
export { findSweepProblem } from "./sweep/store.ts";
export { logStoreOwner } from "./sweep/store-owner.ts";
export { videoUploadSenders } from "./events.ts";
