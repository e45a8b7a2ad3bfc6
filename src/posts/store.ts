import type { Tx } from "../database/client.ts";
import { BY_CREATION, listStatement, type CreationWindow } from "../database/keyset.ts";
import { columnsOf, rowStatement, statement, unplanned, type RowOf, type Runner } from "../database/statement.ts";
import { keyedInsert } from "../idempotency/store.ts";

const POST = {
  id: "uuid",
  authorId: "uuid",
  title: "text",
  body: "text",
  createdAt: "instant",
  updatedAt: "instant",
} as const;
export type PostRow = RowOf<typeof POST>;
const COLUMNS = columnsOf(POST);

/** In SQL because Prisma would need a transaction for the post and its key. */
export const insertPost = keyedInsert({
  name: "insert_post",
  table: "posts",
  columns: { id: "uuid", authorId: "uuid", title: "text", body: "text" },
});

const FIND = `SELECT ${COLUMNS} FROM posts WHERE id = $1::uuid`;
/** In SQL so that all reads of posts have the same row. */
export const findPost = rowStatement({ name: "find_post", takes: ["uuid"], gives: POST, text: FIND });

/** Finds a post, and locks it until the transaction ends. */
export const lockPost = rowStatement({ name: "lock_post", takes: ["uuid"], gives: POST, text: `${FIND} FOR UPDATE` });

// In SQL because a list of posts is the page that clients read most.
const list = { order: BY_CREATION, gives: POST } as const;
const FIND_ALL = listStatement({
  ...list,
  name: "find_posts",
  takes: [],
  text: ({ andAfter, orderAndLimit }) => `SELECT ${COLUMNS} FROM posts WHERE true ${andAfter} ${orderAndLimit}`,
});
const FIND_OF_AUTHOR = listStatement({
  ...list,
  name: "find_posts_of_author",
  takes: ["uuid"],
  text: ({ andAfter, orderAndLimit }) => `SELECT ${COLUMNS} FROM posts WHERE author_id = $1::uuid ${andAfter} ${orderAndLimit}`,
});

/** The posts of a window. */
export function findPosts(runner: Runner, authorId: string | undefined, window: CreationWindow): Promise<PostRow[]> {
  return authorId === undefined ? FIND_ALL(runner, window) : FIND_OF_AUTHOR(runner, window, authorId);
}

/** The number of posts, but at most $1. The query uses the index of the list. Prisma's count would sort the rows. */
const counted = (where: string) => `SELECT count(*)::int AS total FROM (
  SELECT 1 FROM posts ${where} ORDER BY created_at DESC, id DESC LIMIT ${unplanned("$1", "int")}) AS newest`;
const byOffset = { order: BY_CREATION, gives: { ...POST, total: "int" } } as const;
const FIND_ALL_BY_OFFSET = listStatement({
  ...byOffset,
  name: "find_posts_by_offset",
  takes: ["int", "int"],
  text: ({ andAfter, orderAndLimit }) =>
    `SELECT ${COLUMNS}, (${counted("")}) AS total FROM posts WHERE true ${andAfter} ${orderAndLimit} OFFSET ${unplanned("$2", "int")}`,
});
const FIND_OF_AUTHOR_BY_OFFSET = listStatement({
  ...byOffset,
  name: "find_posts_of_author_by_offset",
  takes: ["int", "int", "uuid"],
  text: ({ andAfter, orderAndLimit }) => `SELECT ${COLUMNS}, (${counted("WHERE author_id = $3::uuid")}) AS total
    FROM posts WHERE author_id = $3::uuid ${andAfter} ${orderAndLimit} OFFSET ${unplanned("$2", "int")}`,
});
const gives = { total: "int" } as const;
const COUNT = statement({ name: "count_posts", takes: ["int"], gives, text: counted("") });
const ofAuthor = counted("WHERE author_id = $2::uuid");
const COUNT_OF_AUTHOR = statement({ name: "count_posts_of_author", takes: ["int", "uuid"], gives, text: ofAuthor });

/** The posts of a window without the first `skip`, and the number of all posts, but at most `most`. */
export async function findPostsByOffset(
  runner: Runner,
  authorId: string | undefined,
  window: CreationWindow,
  { skip, most }: { readonly skip: number; readonly most: number },
): Promise<{ readonly rows: readonly PostRow[]; readonly total: number }> {
  const rows = await (authorId === undefined
    ? FIND_ALL_BY_OFFSET(runner, window, most, skip)
    : FIND_OF_AUTHOR_BY_OFFSET(runner, window, most, skip, authorId));
  // A page without rows can't have the number in one of them.
  const [first] =
    rows.length > 0 ? rows : await (authorId === undefined ? COUNT(runner, most) : COUNT_OF_AUTHOR(runner, most, authorId));
  return { rows, total: first!.total };
}

/** Changes a post. `updated_at` is the time of the database, as `created_at` is. */
export const updatePostContent = rowStatement({
  name: "update_post",
  takes: ["uuid", "text", "text"],
  gives: POST,
  text: `UPDATE posts SET title = $2, body = $3, updated_at = greatest(now(), updated_at) WHERE id = $1::uuid RETURNING ${COLUMNS}`,
});

export async function removePost(tx: Tx, id: string): Promise<void> {
  await tx.post.delete({ where: { id } });
}
