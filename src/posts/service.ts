import type { Input, Schemas } from "../contract/contract.ts";
import type { CursorContext, Cursors } from "../lists/cursor.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { etagOf, namesEtag } from "../etag.ts";
import { Failure, notFound } from "../failure.ts";
import { conflictingParameters, createdPosition, pageByTime } from "../lists/pagination.ts";
import { countPosts, findPosts, findPostsFrom, lockPost, removePost, updatePostContent, type PostRow } from "./store.ts";

const TOTAL_MAX = 10_000;

type Query = Input<"listPosts">["query"];

/** One page, by offset when one is asked for and by cursor otherwise; a list begun by offset can go on by cursor. */
export async function listPosts(
  db: Db,
  cursors: Cursors,
  query: Query,
): Promise<{ rows: readonly PostRow[]; page: Schemas["PostPageInfo"] }> {
  const { offset, author } = query;
  const context: CursorContext = { operation: "listPosts", author };
  if (offset === undefined) {
    const { rows, page } = await pageByTime(cursors, context, query, (window) => findPosts(db, author, window), createdPosition);
    return { rows, page: { ...page, offset: null, total: null } };
  }
  if (query.after !== undefined) throw conflictingParameters("offset", "after");
  const [total, { rows, page }] = await Promise.all([
    countPosts(db, author, TOTAL_MAX),
    pageByTime(cursors, context, query, (window) => findPostsFrom(db, author, window, offset), createdPosition),
  ]);
  return { rows, page: { ...page, offset, total } };
}

/** Changes the fields that are present; what stays as it was is no change. With a tag, only if the post is still the one that the tag was read from. */
export function revisePost(
  db: Db,
  userId: string,
  id: string,
  ifMatch: string | undefined,
  change: Schemas["UpdatePostRequest"],
): Promise<PostRow> {
  return transaction(db, async (tx) => {
    const row = await requireOwnPost(tx, userId, id, ifMatch);
    const isSame = (change.title ?? row.title) === row.title && (change.body ?? row.body) === row.body;
    return isSame ? row : updatePostContent(tx, id, change);
  });
}

export function deletePost(db: Db, userId: string, id: string, ifMatch: string | undefined): Promise<void> {
  return transaction(db, async (tx) => {
    await requireOwnPost(tx, userId, id, ifMatch);
    await removePost(tx, id);
  });
}

async function requireOwnPost(tx: Tx, userId: string, id: string, ifMatch: string | undefined): Promise<PostRow> {
  const row = await lockPost(tx, id);
  if (row === null) throw notFound("post");
  if (row.authorId !== userId) throw new Failure("not_the_author", "Only its author may change or delete a post.");
  if (ifMatch !== undefined && !namesEtag(ifMatch, etagOf(post(row)), "strong")) {
    throw new Failure("precondition_failed", "The post has changed since you read it. Read it again, then retry your change.");
  }
  return row;
}

/** Row to wire, field by field, so that a new column is never sent by accident. */
export function post(row: PostRow): Schemas["Post"] {
  return {
    id: row.id,
    author_id: row.authorId,
    title: row.title,
    body: row.body,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
