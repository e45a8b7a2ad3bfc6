import type { Logger } from "pino";
import { conversationArea } from "./conversations/index.ts";
import type { FindUnknownUsers } from "./conversations/members/service.ts";
import type { Handlers } from "./contract/contract.ts";
import type { Cursors } from "./lists/cursor.ts";
import type { Db } from "./database/client.ts";
import type { DatabaseProbe } from "./database/probe.ts";
import type { RunStatement } from "./database/statement.ts";
import type { JobQueue } from "./jobs/jobs.ts";
import { notificationHandlers } from "./notifications/index.ts";
import type { Notify, NotifyInStatement } from "./notifier.ts";
import { postHandlers } from "./posts/handlers.ts";
import { serviceHandlers } from "./system/handlers.ts";
import type { ObjectStore } from "./storage/object-store.ts";
import type { ClickCounter } from "./urls/clicks.ts";
import { urlHandlers } from "./urls/handlers.ts";
import { videoUploadHandlers } from "./video-uploads/index.ts";

export type HandlerParts = {
  readonly db: Db;
  /** On the connections of `db`, for the statements that are asked most. */
  readonly runStatement: RunStatement;
  readonly databaseProbe: DatabaseProbe;
  readonly cursors: Cursors;
  readonly queue: JobQueue;
  readonly objects: ObjectStore;
  readonly log: Logger;
  readonly clicks: ClickCounter;
  readonly notify: Notify;
  readonly notifyInStatement: NotifyInStatement;
  readonly findUnknownUsers: FindUnknownUsers;
  readonly publicUrl: string;
  readonly maxUploadBytes: number;
  readonly maxStoredBytesPerUser: number;
  readonly idleMs: number;
  readonly version: string;
  readonly isDraining: () => boolean;
};

/** All of the contract, area by area. An operation that nobody handles does not compile. */
export function createHandlers(parts: HandlerParts): Handlers {
  return {
    ...urlHandlers(parts),
    ...notificationHandlers(parts),
    ...videoUploadHandlers(parts),
    ...conversationArea(parts),
    ...postHandlers(parts),
    ...serviceHandlers(parts),
  };
}
