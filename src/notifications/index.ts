export { notificationHandlers } from "./handlers.ts";
export { notify } from "./service.ts";
export { insertInSql as notifyInStatement } from "./store.ts";
