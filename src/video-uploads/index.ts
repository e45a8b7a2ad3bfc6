/** The entry point for the API. */
export { videoUploadHandlers } from "./handlers.ts";
export { findSweepProblem } from "./sweep/store.ts";
export { logStoreOwner } from "./sweep/store-owner.ts";
