/** The entry point for the API, and for the worker that sends events. */
export { notificationSenders } from "./events.ts";
export { notificationHandlers, notificationWaits } from "./handlers.ts";
