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
