export { notificationHandlers } from "./handlers.ts";
export { removeSome as removeNotices } from "./store.ts";
