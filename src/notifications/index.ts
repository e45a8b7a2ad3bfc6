export { notificationHandlers } from "./handlers.ts";
export { insertInSql as notifyInStatement, insertNotifications as notify, removeSome as removeNotices } from "./store.ts";
