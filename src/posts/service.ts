import { randomUUIDv7 } from "node:crypto";
import type { Input, Output, Schemas } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { etagOf, namesEtag } from "../etag.ts";
import { Failure, found } from "../failure.ts";
import type { Cursors } from "../lists/cursor.ts";
import { conflictingParameters, list } from "../lists/list.ts";
import { countPosts, findPost, findPosts, insertPost, lockPost, removePost, updatePostContent, type PostRow } from "./store.ts";
import { toPost } from "./wire.ts";

const TOTAL_MAX = 10_000;

export function publishPost(tx: Tx, authorId: string, { title, body }: Schemas["CreatePostRequest"]): Promise<PostRow> {
  return insertPost(tx, { id: randomUUIDv7(), authorId, title, body });
}

/** Reads one page, by offset if the query has one, otherwise by cursor. A client can continue by cursor after an offset. */
export async function listPosts(db: Db, cursors: Cursors, input: Input<"listPosts">): Promise<Output<"listPosts">> {
  const { offset, author, after } = input.query;
  if (offset !== undefined && after !== undefined) throw conflictingParameters("offset", "after");
  const [total, { status, body }] = await Promise.all([
    offset === undefined ? null : countPosts(db, author, TOTAL_MAX),
    list(cursors, input, { order: BY_CREATION, find: (window) => findPosts(db, author, window, offset), toWire: toPost }),
  ]);
  return { status, body: { ...body, page: { ...body.page, offset: offset ?? null, total } } };
}

export async function readPost(tx: Tx, id: string): Promise<PostRow> {
  return found(await findPost(tx, id), "post");
}

/** Changes the fields that are present, if their values differ. With `If-Match`, only if the ETag still matches. */
export function revisePost(db: Db, input: Input<"updatePost">): Promise<PostRow> {
  return transaction(db, async (tx) => {
    const row = await requireOwnPost(tx, input);
    const { title = row.title, body = row.body } = input.body;
    return title === row.title && body === row.body ? row : updatePostContent(tx, { id: row.id, title, body });
  });
}

/** Deletes a post of this user. With `If-Match`, only if the ETag still matches. */
export function deletePost(db: Db, input: Input<"deletePost">): Promise<void> {
  return transaction(db, async (tx) => {
    const { id } = await requireOwnPost(tx, input);
    await removePost(tx, id);
  });
}

type Change = Input<"updatePost"> | Input<"deletePost">;

async function requireOwnPost(tx: Tx, { principal, path, header: { "If-Match": ifMatch } }: Change): Promise<PostRow> {
  const row = found(await lockPost(tx, path.post_id), "post");
  if (row.authorId !== principal.userId)
    throw new Failure("not_the_author", "Only the author of a post can change or delete it.");
  if (ifMatch !== undefined && !namesEtag(ifMatch, etagOf(toPost(row)), "strong")) {
    throw new Failure("precondition_failed", "The post has changed since you read it. Read it again, then retry your change.");
  }
  return row;
}
