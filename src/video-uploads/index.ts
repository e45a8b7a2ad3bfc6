/** The entry point for the API. */
export { videoUploadHandlers } from "./handlers.ts";
export { logStoreOwner } from "./sweep/store-owner.ts";
