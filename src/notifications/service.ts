import type { Schemas } from "../contract.ts";
import { transaction, type Db } from "../db/client.ts";
import { Failure, notFound } from "../failure.ts";
import type { Notify } from "../notifier.ts";
import { countUnread, findNotification, insertNotifications, markReadUpTo, setStatus, type NotificationRow } from "./store.ts";

const TITLE_MAX = 200;
const BODY_MAX = 500;
/** Counting stops here: "1000" means a thousand or more. */
export const UNREAD_MAX = 1_000;

/** Tells users of an event, in its transaction. Texts are cut to what the contract allows, by characters, not bytes. */
export const notify: Notify = async (tx, userIds, { kind, title, body, resource }) => {
  if (userIds.length === 0) return;
  await insertNotifications(tx, userIds, {
    kind,
    title: cut(title, TITLE_MAX),
    body: body === null ? null : cut(body, BODY_MAX),
    resourceType: resource.type,
    resourceId: resource.id,
    resourceHref: resource.href,
  });
};

function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

export function changeStatus(
  db: Db,
  userId: string,
  id: string,
  status: Schemas["NotificationStatus"],
): Promise<NotificationRow> {
  return transaction(db, async (tx) => {
    await setStatus(tx, userId, id, status);
    const row = await findNotification(tx, userId, id);
    if (row === null) throw notFound("notification");
    return row;
  });
}

/** Marks everything up to a notification that was seen; whatever arrived after it stays unread. */
export function markUpTo(db: Db, userId: string, upTo: string): Promise<Schemas["UpdateNotificationsResult"]> {
  return transaction(db, async (tx) => {
    const last = await findNotification(tx, userId, upTo);
    if (last === null) {
      const detail = "up_to names no notification of yours.";
      throw new Failure("unknown_notification", detail, {
        errors: [{ in: "body", pointer: "/up_to", code: "unknown_notification", detail }],
      });
    }
    const updated = await markReadUpTo(tx, userId, last);
    return { updated_count: updated, unread_count: await countUnread(tx, userId, UNREAD_MAX) };
  });
}
