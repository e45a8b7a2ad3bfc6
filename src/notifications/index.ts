import type { NotifyInStatement } from "../notifier.ts";
import { cutBody, insertInSql, keptSince } from "./store.ts";

export { notificationHandlers } from "./handlers.ts";
export { notify } from "./service.ts";

/** Notifies users in the statement of another area. */
export const notifyInStatement: NotifyInStatement = { insert: insertInSql, cutBody, keptSince };
