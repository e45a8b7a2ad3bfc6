import type { Body, Client } from "./client.ts";
import { openConversation } from "./conversations.ts";

/** Tells a reader of so many things, each an entry of its own: that a conversation was opened with them. Returns the titles, oldest first. */
export async function tell(teller: Client, reader: Client, count: number, label = "Number"): Promise<string[]> {
  const titles: string[] = [];
  for (let index = 1; index <= count; index++) {
    await openConversation(teller, [reader], `${label} ${index}`);
    titles.push(`${teller.userName} added you to ${label} ${index}`);
  }
  return titles;
}

export const titlesOf = (items: readonly Body[]): string[] => items.map((it) => it.title as string);

/** What a user was notified of, newest first: of each the kind and the id of the resource. */
export const told = async (client: Client): Promise<readonly (readonly [kind: string, id: string])[]> =>
  (await client("GET", "/notifications")).body.data.map((it: Body) => [it.kind, it.resource.id]);
