import type { Operations } from "../contract/contract.ts";
import type { Database } from "../database/client.ts";
import { tagged } from "../util/etag.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { Cursors } from "../lists/cursor.ts";
import { openSeen } from "./seen.ts";
import { changeStatus, listNotifications, markAsRead, readNotification } from "./service.ts";
import { toNotification } from "./wire.ts";

type Parts = Pick<Database, "db" | "pool"> & { readonly cursors: Cursors; readonly queue: JobQueue };

export function notificationHandlers({ db, pool, cursors, queue }: Parts): Operations<"Notifications"> {
  return {
    listNotifications: (input) => listNotifications(pool, cursors, input),

    async updateNotifications({ principal: { userId }, body }) {
      const marking = { userId, seen: openSeen(cursors, userId, body.seen), subjectId: body.conversation_id };
      return { status: 200, body: await markAsRead(db, queue, marking) };
    },

    getNotification: async ({ principal, path }) =>
      tagged(toNotification(await readNotification(pool, principal.userId, path.notification_id))),

    async updateNotification(input) {
      const { seen: token } = input.body;
      const seen = token === undefined ? undefined : openSeen(cursors, input.principal.userId, token);
      return tagged(toNotification(await changeStatus(db, input, seen)));
    },
  };
}
