/** The entry point for the API. */
export { ATTEMPT_OUTCOMES, type OnAttemptEnd } from "./attempt-outcomes.ts";
export { videoUploadHandlers, videoUploadWaits } from "./handlers.ts";
export { videoUploadQueues } from "./jobs.ts";
export { ALL_UPLOADS } from "./objects/object-keys.ts";
export { findGcProblem } from "./objects/store.ts";
export { logStoreBinding } from "./objects/store-binding.ts";
export { videoUploadEventSources } from "./events.ts";
export { uploadLimit } from "./resumable/handlers.ts";
