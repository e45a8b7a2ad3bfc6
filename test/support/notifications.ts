import type { Db } from "../../src/database/client.ts";
import type { Body, Client } from "./client.ts";
import { openConversation } from "./conversations.ts";

/** Creates `count` notifications for a reader, each about another new conversation. Returns their titles, oldest first. */
export async function createNotifications(actor: Client, reader: Client, count: number, label = "Number"): Promise<string[]> {
  const titles: string[] = [];
  for (let index = 1; index <= count; index++) {
    await openConversation(actor, [reader], `${label} ${index}`);
    titles.push(`${actor.userName} added you to ${label} ${index}`);
  }
  return titles;
}

export const titlesOf = (items: readonly Body[]): string[] => items.map((it) => it.title as string);

/** The notifications of a user, newest first: the kind and the id of the resource. */
export const notificationsOf = async (client: Client): Promise<readonly (readonly [kind: string, id: string])[]> =>
  (await client("GET", "/notifications")).body.data.map((it: Body) => [it.kind, it.resource.id]);

/** Gives a user this many unread notifications. */
export const insertUnread = (db: Db, userId: string, count: number, what: string) => db.$executeRaw`
  INSERT INTO notifications (id, user_id, subject_id, kind, title, resource_type, resource_id, resource_href)
  SELECT gen_random_uuid(), ${userId}::uuid, ${what} || n, 'video_upload.failed', ${what}, 'video_upload', 'x', '/x'
  FROM generate_series(1, ${count}::int) n`;
