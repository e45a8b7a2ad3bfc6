import type { Post as PostRow } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";

export type { PostRow };
type Content = { readonly title: string; readonly body: string };

export function insertPost(tx: Tx, post: Content & { id: string; authorId: string }): Promise<PostRow> {
  return tx.post.create({ data: post });
}

export function findPost(tx: Tx, id: string): Promise<PostRow | null> {
  return tx.post.findUnique({ where: { id } });
}

/** The post, held against everybody else until the transaction ends. */
export async function lockPost(tx: Tx, id: string): Promise<PostRow | null> {
  await tx.$queryRaw`SELECT 1 FROM posts WHERE id = ${id}::uuid FOR UPDATE`;
  return findPost(tx, id);
}

/** The posts of a window; with `skip`, those after the first so many. */
export function findPosts(tx: Tx, authorId: string | undefined, window: CreationWindow, skip = 0): Promise<PostRow[]> {
  return tx.post.findMany({ ...keyset(window, authorId === undefined ? {} : { authorId }), skip });
}

/** How many there are, counted no further than `max`, along the index of the list: Prisma would sort what it counts. */
export async function countPosts(tx: Tx, authorId: string | undefined, max: number): Promise<number> {
  const [row] =
    authorId === undefined
      ? await tx.$queryRaw<{ count: number }[]>`
          SELECT count(*)::int AS count FROM (SELECT 1 FROM posts ORDER BY created_at DESC, id DESC LIMIT ${max}) AS newest`
      : await tx.$queryRaw<{ count: number }[]>`
          SELECT count(*)::int AS count FROM (
            SELECT 1 FROM posts WHERE author_id = ${authorId}::uuid ORDER BY created_at DESC, id DESC LIMIT ${max}) AS newest`;
  return row?.count ?? 0;
}

/** Replaces what is given and keeps the rest; the instant is the database's, as all instants that clients see. */
export async function updatePostContent(
  tx: Tx,
  id: string,
  { title = null, body = null }: { readonly title?: string | undefined | null; readonly body?: string | undefined | null },
): Promise<PostRow> {
  await tx.$executeRaw`
    UPDATE posts SET title = coalesce(${title}, title), body = coalesce(${body}, body), updated_at = greatest(now(), updated_at)
    WHERE id = ${id}::uuid`;
  return tx.post.findUniqueOrThrow({ where: { id } });
}

export async function removePost(tx: Tx, id: string): Promise<void> {
  await tx.post.delete({ where: { id } });
}
