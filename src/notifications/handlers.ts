import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { Failure } from "../failure.ts";
import { etagOf, namesEtag, requireMatch, tagged, weakEtagOf } from "../util/etag.ts";
import type { JobQueue } from "../jobs/jobs.ts";
import type { Cursors } from "../pagination/cursor.ts";
import { parsePage, page } from "../pagination/list.ts";
import type { Publish } from "../long-poll/topics.ts";
import type { Waits } from "../long-poll/waits.ts";
import { decodeSeen, encodeSeen } from "./seen.ts";
import { changeStatus, markAsRead, readNotification } from "./service.ts";
import { findNotifications, type NotificationRow } from "./store.ts";
import { toNotification, toNotificationVersion, withActor } from "./wire.ts";

type NotificationDeps = Connections & {
  readonly cursors: Cursors;
  readonly queue: JobQueue;
  readonly publish: Publish;
};

/** A long poll of an empty page. Newest first, no new item can follow a cursor. */
export const notificationWaits: Pick<Waits, "listNotifications"> = {
  listNotifications: ({ principal, query }) => ({
    topic: `user:${principal.userId}`,
    isEmpty: ({ data }) => data.length === 0 && (query.after === undefined || query.sort === "created_at"),
  }),
};

/** A 200 with a notification. The entity tag does not include the name of the actor. */
const shown = (row: NotificationRow) => tagged(toNotification(row), toNotificationVersion(row));

/** Refuses a change of a notification that does not match `If-Match`, if there is one. */
const ifUnchanged = (ifMatch: string | undefined) =>
  ifMatch === undefined
    ? undefined
    : (row: NotificationRow) => requireMatch(ifMatch, etagOf(toNotificationVersion(row)), "notification");

/** Refuses an `If-Match` that names a version of a list: a weak tag matches none (RFC 9110, 13.1.1). */
function requireNoTag(ifMatch: string | undefined): void {
  if (ifMatch === undefined || namesEtag(ifMatch, weakEtagOf([]), "strong")) return;
  const detail = "The ETag of a list is weak, so no If-Match fits it. Leave the header out, and send the seen of the list.";
  throw new Failure("precondition_failed", detail);
}

export function notificationHandlers({ db, pool, cursors, queue, publish }: NotificationDeps): Operations<"Notifications"> {
  return {
    async listNotifications(input) {
      const { userId } = input.principal;
      const { archived, ...query } = input.query;
      // Without the archive, cursors have the context of earlier versions.
      const pageRequest = parsePage(cursors, archived === "only" ? input : { ...input, query }, BY_CREATION);
      const { rows, seen, unread } = await findNotifications(pool, userId, input.query, pageRequest);
      const version = { ...page(pageRequest, rows, toNotificationVersion), unread_count: unread };
      const eventTimes = version.data.map((it) => it.updated_at);
      // A weak tag, because the token differs in each list.
      return {
        status: 200,
        headers: { ETag: weakEtagOf(version) },
        body: {
          ...version,
          data: version.data.map((it, index) => withActor(it, rows[index]!)),
          seen: encodeSeen(cursors, userId, seen, eventTimes),
        },
      };
    },

    async updateNotifications({ principal: { userId }, header, body }) {
      const marking = { userId, seen: decodeSeen(cursors, userId, body.seen), subjectId: body.conversation_id };
      requireNoTag(header["If-Match"]);
      const { updated, unread } = await markAsRead(db, queue, marking, body.archived === true);
      publish(`user:${userId}`);
      return { status: 200, body: { updated_count: updated, unread_count: unread } };
    },

    getNotification: async ({ principal, path }) => shown(await readNotification(pool, principal.userId, path.notification_id)),

    async updateNotification(input) {
      const { seen: token } = input.body;
      const seen = token === undefined ? undefined : decodeSeen(cursors, input.principal.userId, token);
      const changed = await changeStatus(db, input, seen, ifUnchanged(input.header["If-Match"]));
      publish(`user:${input.principal.userId}`);
      return shown(changed);
    },
  };
}
