import { z } from "zod";
import type { EventSources } from "../contract/events.ts";
import type { Connections } from "../database/client.ts";
import { nullIfUnreadable } from "../failure.ts";
import { readNotification } from "./service.ts";
import { toNotification } from "./wire.ts";

const ids = z.object({ notification_id: z.uuid() });

/** The event of a new notification. */
export const notificationEventSources: Pick<EventSources<Connections>, "notification.created"> = {
  "notification.created": {
    scope: "notifications:read",
    async data({ pool }, { ownerId, ids: stored, mayRead }) {
      const { notification_id } = ids.parse(stored);
      const row = mayRead ? await nullIfUnreadable(readNotification(pool, ownerId, notification_id)) : null;
      return { notification_id, notification: row && toNotification(row) };
    },
  },
};
