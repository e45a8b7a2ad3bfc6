export { notificationHandlers } from "./handlers.ts";
export { insertInSql as notifyInStatement, insertNotifications as notify } from "./store.ts";
