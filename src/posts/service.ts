import { randomUUIDv7 } from "node:crypto";
import type { Input } from "../contract/contract.ts";
import { transaction, type Db, type Tx } from "../database/client.ts";
import type { CreationPageRequest } from "../pagination/keyset.ts";
import type { Runner } from "../database/statement.ts";
import { Failure, orNotFound } from "../failure.ts";
import { insertOnce, type Replayable } from "../idempotency/idempotency.ts";
import type { Dependents } from "../jobs/dependents.ts";
import { findDisplayName } from "../auth/users.ts";
import { findPost, findPosts, findPostsByOffset, insertPost, lockPost, removePost, updatePost, type PostRow } from "./store.ts";

const TOTAL_MAX = 10_000;

/** Stores a post, once for each idempotency key. The name of the author is that of now, also in a replay. */
export async function publishPost<O extends Replayable>(
  pool: Runner,
  input: Input<"createPost">,
  respond: (post: Omit<PostRow, "authorName">) => O,
): Promise<{ readonly response: O; readonly authorName: string | null }> {
  const { title, body } = input.body;
  const post = { id: randomUUIDv7(), authorId: input.principal.userId, title, body };
  const { response, row } = await insertOnce(
    pool,
    input,
    (claim) => insertPost(pool, { ...post, ...claim }),
    (createdAt) => respond({ ...post, createdAt, updatedAt: createdAt }),
  );
  return { response, authorName: row === null ? await findDisplayName(pool, post.authorId) : row.authorName };
}

/** Reads one page, by offset if there is one, otherwise by cursor. A client can continue by cursor after an offset. */
export async function readPosts(pool: Runner, { author, offset }: Input<"listPosts">["query"], pageRequest: CreationPageRequest) {
  if (offset === undefined) return { rows: await findPosts(pool, author, pageRequest), total: null };
  return findPostsByOffset(pool, author, pageRequest, { skip: offset, most: TOTAL_MAX });
}

export async function readPost(pool: Runner, id: string): Promise<PostRow> {
  return orNotFound(await findPost(pool, { id }), "post");
}

/** Throws if the post does not match the precondition of the request. */
type RequireUnchanged = (row: PostRow) => void;

/** Updates the present fields, if their values differ. */
export function revisePost(db: Db, input: Input<"updatePost">, requireUnchanged: RequireUnchanged): Promise<PostRow> {
  return transaction(db, async (tx) => {
    const row = await lockOwnPost(tx, input, requireUnchanged);
    const { title = row.title, body = row.body } = input.body;
    return title === row.title && body === row.body ? row : orNotFound(await updatePost(tx, { id: row.id, title, body }), "post");
  });
}

type DeletionDeps = { readonly db: Db; readonly dependents: Dependents };

/** Deletes a post of this user, and its dependents in other areas. */
export function deletePost(
  { db, dependents }: DeletionDeps,
  input: Input<"deletePost">,
  requireUnchanged: RequireUnchanged,
): Promise<void> {
  return transaction(db, async (tx) => {
    const { id } = await lockOwnPost(tx, input, requireUnchanged);
    await removePost(tx, id);
    await dependents.deleted(tx, "posts", id);
  });
}

type Change = Pick<Input<"deletePost">, "principal" | "path">;

async function lockOwnPost(tx: Tx, { principal, path }: Change, requireUnchanged: RequireUnchanged): Promise<PostRow> {
  const row = orNotFound(await lockPost(tx, { id: path.post_id }), "post");
  if (row.authorId !== principal.userId)
    throw new Failure("not_the_author", "Only the author of a post can change or delete it.");
  requireUnchanged(row);
  return row;
}
