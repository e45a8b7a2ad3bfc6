/** The entry point for the API, and for the worker that sends events. */
export { notificationEventSources } from "./events.ts";
export { notificationHandlers, notificationWaits } from "./handlers.ts";
