import * as sql from "#generated/sql/posts.ts";
import type { Tx } from "../database/client.ts";
import type { CreationWindow } from "../pagination/keyset.ts";
import type { Runner } from "../database/statement.ts";

export { findPost, insertPost, lockPost, updatePost, type FindPostRow as PostRow } from "#generated/sql/posts.ts";

/** The posts of a window, of one author or of all. */
export function findPosts(runner: Runner, authorId: string | undefined, window: CreationWindow): Promise<sql.FindPostRow[]> {
  return authorId === undefined ? sql.findPosts(runner, window) : sql.findPostsOfAuthor(runner, window, { authorId });
}

/** The posts of a window without the first `skip`, and the number of all posts, but at most `most`. */
export async function findPostsByOffset(
  runner: Runner,
  authorId: string | undefined,
  window: CreationWindow,
  { skip, most }: { readonly skip: number; readonly most: number },
): Promise<{ readonly rows: readonly sql.FindPostRow[]; readonly total: number }> {
  const rows = await (authorId === undefined
    ? sql.findPostsByOffset(runner, window, { skip, most })
    : sql.findPostsOfAuthorByOffset(runner, window, { skip, most, authorId }));
  return { rows: rows.filter((it): it is typeof it & sql.FindPostRow => it.id !== null), total: rows[0]!.total };
}

export async function removePost(tx: Tx, id: string): Promise<void> {
  await tx.post.delete({ where: { id } });
}
