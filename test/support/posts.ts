import { randomUUIDv7 } from "node:crypto";
import type { Body, Client } from "./client.ts";
import type { TestService } from "./service.ts";

/** Publishes a post. Returns it with its path and its ETag. */
export async function publish(
  author: Client,
  content: object = {},
): Promise<{ readonly post: Body; readonly path: string; readonly etag: string }> {
  const answer = await author("POST", "/posts", {
    title: "How we re-hung the doors",
    body: "The left one had sagged.",
    ...content,
  });
  if (answer.status !== 201) throw new Error(`The post was not published: ${answer.text}`);
  return { post: answer.body, path: answer.headers.get("location")!, etag: answer.headers.get("etag")! };
}

/** Inserts `count` posts of one author with the same timestamp. Returns their ids in ascending order. */
export async function insertPosts(service: TestService, authorId: string, count: number, createdAt: Date): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUIDv7()).sort();
  await service.db.$executeRaw`
    INSERT INTO posts (id, author_id, title, body, created_at, updated_at)
    SELECT id, ${authorId}::uuid, 'Post ' || n, 'x', ${createdAt}::timestamptz, ${createdAt}::timestamptz
    FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS it (id, n)`;
  return ids;
}

export const ids = (items: readonly Body[]): string[] => items.map((it) => it.id as string);
