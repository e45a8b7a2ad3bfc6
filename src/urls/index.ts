/** The entry point for the API. */
export { createClickCounter } from "./clicks.ts";
export { urlHandlers } from "./handlers.ts";
