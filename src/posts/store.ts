import { Prisma, type Post as PostRow } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";

export type { PostRow };

export function insertPost(tx: Tx, post: Pick<PostRow, "id" | "authorId" | "title" | "body">): Promise<PostRow> {
  return tx.post.create({ data: post });
}

export function findPost(tx: Tx, id: string): Promise<PostRow | null> {
  return tx.post.findUnique({ where: { id } });
}

/** Finds a post, and locks it until the transaction ends. */
export async function lockPost(tx: Tx, id: string): Promise<PostRow | null> {
  await tx.$queryRaw`SELECT 1 FROM posts WHERE id = ${id}::uuid FOR UPDATE`;
  return findPost(tx, id);
}

/** The posts of a window, without the first `skip`. */
export function findPosts(tx: Tx, authorId: string | undefined, window: CreationWindow, skip = 0): Promise<PostRow[]> {
  return tx.post.findMany({ ...keyset(window, authorId === undefined ? {} : { authorId }), skip });
}

/** The number of posts, but at most `max`. The query uses the index of the list. Prisma's count would sort the rows. */
export async function countPosts(tx: Tx, authorId: string | undefined, max: number): Promise<number> {
  const ofAuthor = authorId === undefined ? Prisma.empty : Prisma.sql`WHERE author_id = ${authorId}::uuid`;
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT 1 FROM posts ${ofAuthor} ORDER BY created_at DESC, id DESC LIMIT ${max}) AS newest`;
  return row!.count;
}

/** Changes a post. `updated_at` is the time of the database, as `created_at` is. */
export async function updatePostContent(tx: Tx, { id, title, body }: Pick<PostRow, "id" | "title" | "body">): Promise<PostRow> {
  await tx.$executeRaw`
    UPDATE posts SET title = ${title}, body = ${body}, updated_at = greatest(now(), updated_at) WHERE id = ${id}::uuid`;
  return tx.post.findUniqueOrThrow({ where: { id } });
}

export async function removePost(tx: Tx, id: string): Promise<void> {
  await tx.post.delete({ where: { id } });
}
