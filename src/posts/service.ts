import { randomUUIDv7 } from "node:crypto";
import type { Input, Output } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import { BY_CREATION, type CreationWindow } from "../database/keyset.ts";
import type { Runner } from "../database/statement.ts";
import { etagOf, namesEtag, whyNeverMatching } from "../util/etag.ts";
import { Failure, found } from "../failure.ts";
import { insertOnce, type Outcome } from "../idempotency/idempotency.ts";
import type { Cursors } from "../lists/cursor.ts";
import { conflictingParameters, list } from "../lists/list.ts";
import { findPost, findPosts, findPostsByOffset, insertPost, lockPost, removePost, updatePost, type PostRow } from "./store.ts";
import { toPost } from "./wire.ts";

const TOTAL_MAX = 10_000;

/** Stores a post, once for each idempotency key. */
export function publishPost<O extends Outcome>(
  pool: Runner,
  input: Input<"createPost">,
  answer: (row: PostRow) => O,
): Promise<O> {
  const { title, body } = input.body;
  const post = { id: randomUUIDv7(), authorId: input.principal.userId, title, body };
  const draft = (createdAt: string) => ({ ...post, createdAt, updatedAt: createdAt });
  return insertOnce(pool, input, insertPost, draft, answer);
}

/** Reads one page, by offset if the query has one, otherwise by cursor. A client can continue by cursor after an offset. */
export async function listPosts(pool: Runner, cursors: Cursors, input: Input<"listPosts">): Promise<Output<"listPosts">> {
  const { offset, author, after } = input.query;
  if (offset !== undefined && after !== undefined) throw conflictingParameters("offset", "after");
  let total: number | null = null;
  const find = async (window: CreationWindow) => {
    if (offset === undefined) return findPosts(pool, author, window);
    const page = await findPostsByOffset(pool, author, window, { skip: offset, most: TOTAL_MAX });
    total = page.total;
    return page.rows;
  };
  const { status, body } = await list(cursors, input, { order: BY_CREATION, find, toWire: toPost });
  return { status, body: { ...body, page: { ...body.page, offset: offset ?? null, total } } };
}

export async function readPost(pool: Runner, id: string): Promise<PostRow> {
  return found(await findPost(pool, { id }), "post");
}

/** Changes the fields that are present, if their values differ. With `If-Match`, only if the ETag still matches. */
export function revisePost(db: Db, input: Input<"updatePost">): Promise<PostRow> {
  return transaction(db, async (tx) => {
    const row = await requireOwnPost(tx, input);
    const { title = row.title, body = row.body } = input.body;
    return title === row.title && body === row.body ? row : found(await updatePost(tx, { id: row.id, title, body }), "post");
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
  const row = found(await lockPost(tx, { id: path.post_id }), "post");
  if (row.authorId !== principal.userId)
    throw new Failure("not_the_author", "Only the author of a post can change or delete it.");
  if (ifMatch !== undefined && !namesEtag(ifMatch, etagOf(toPost(row)), "strong")) throw unmatched(ifMatch);
  return row;
}

/** A value that matches no version is a fault of the client, and says nothing about the post. The contract promises 412 for both. */
function unmatched(ifMatch: string): Failure {
  const why = whyNeverMatching(ifMatch);
  if (why === null)
    return new Failure("precondition_failed", "The post has changed since you read it. Read it again, then retry your change.");
  const flaw = why === "weak" ? "has a weak entity tag, which matches no version" : "is not a list of entity tags";
  const detail = `If-Match ${flaw}. Send the ETag of the post exactly as you received it.`;
  return new Failure("precondition_failed", detail, { errors: [{ in: "header", pointer: "/if-match", code: "form", detail }] });
}
