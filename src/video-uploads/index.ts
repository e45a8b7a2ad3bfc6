/** The entry point for the API. */
export { videoUploadHandlers } from "./handlers.ts";
export { ALL_UPLOADS } from "./object-keys.ts";
export { findSweepProblem } from "./sweep/store.ts";
export { logStoreOwner } from "./sweep/store-owner.ts";
