import * as sql from "#generated/sql/posts.ts";
import type { Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import type { Runner } from "../database/statement.ts";

export { findPost, insertPost, lockPost, updatePost, type FindPostRow as PostRow } from "#generated/sql/posts.ts";

/** A page of posts, of one author or of all. */
export function findPosts(
  runner: Runner,
  authorId: string | undefined,
  pageRequest: CreationPageRequest,
): Promise<sql.FindPostRow[]> {
  return authorId === undefined ? sql.findPosts(runner, pageRequest) : sql.findPostsOfAuthor(runner, pageRequest, { authorId });
}

/** A page of posts after the first `skip`, and the number of all posts, at most `most`. */
export async function findPostsByOffset(
  runner: Runner,
  authorId: string | undefined,
  pageRequest: CreationPageRequest,
  { skip, most }: { readonly skip: number; readonly most: number },
): Promise<{ readonly rows: readonly sql.FindPostRow[]; readonly total: number }> {
  const rows = await (authorId === undefined
    ? sql.findPostsByOffset(runner, pageRequest, { skip, most })
    : sql.findPostsOfAuthorByOffset(runner, pageRequest, { skip, most, authorId }));
  return { rows: rows.filter((it): it is typeof it & sql.FindPostRow => it.id !== null), total: rows[0]!.total };
}

export async function removePost(tx: Tx, id: string): Promise<void> {
  await tx.post.delete({ where: { id } });
}
