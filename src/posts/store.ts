import type { Tx } from "../database/client.ts";
import { BY_CREATION, listStatement, type CreationWindow } from "../database/keyset.ts";
import { columnsOf, statement, unplanned, type RowOf, type Runner } from "../database/statement.ts";
import { keyedInsert } from "../idempotency/keyed-insert.ts";

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

const FIND = statement({ name: "find_post", takes: ["uuid"], gives: POST, text: `SELECT ${COLUMNS} FROM posts WHERE id = $1::uuid` });
const LOCK = statement({
  name: "lock_post",
  takes: ["uuid"],
  gives: POST,
  text: `SELECT ${COLUMNS} FROM posts WHERE id = $1::uuid FOR UPDATE`,
});

/** In SQL as one row shape for all reads of posts. */
export async function findPost(runner: Runner, id: string): Promise<PostRow | null> {
  return (await FIND(runner, id))[0] ?? null;
}

/** Finds a post, and locks it until the transaction ends. */
export async function lockPost(tx: Tx, id: string): Promise<PostRow | null> {
  return (await LOCK(tx, id))[0] ?? null;
}

// In SQL because a list of posts is the page that clients read most.
const shape = { gives: POST, order: BY_CREATION, columns: ["created_at", "id"] } as const;
const FIND_ALL = listStatement({
  ...shape,
  name: "find_posts",
  takes: ["int"],
  text: ({ andAfter, orderAndLimit }) => `SELECT ${COLUMNS} FROM posts WHERE true ${andAfter} ${orderAndLimit} OFFSET ${unplanned("$1", "int")}`,
});
const FIND_OF_AUTHOR = listStatement({
  ...shape,
  name: "find_posts_of_author",
  takes: ["int", "uuid"],
  text: ({ andAfter, orderAndLimit }) =>
    `SELECT ${COLUMNS} FROM posts WHERE author_id = $2::uuid ${andAfter} ${orderAndLimit} OFFSET ${unplanned("$1", "int")}`,
});

/** The posts of a window, without the first `skip`. */
export function findPosts(runner: Runner, authorId: string | undefined, window: CreationWindow, skip = 0): Promise<PostRow[]> {
  return authorId === undefined ? FIND_ALL(runner, window, skip) : FIND_OF_AUTHOR(runner, window, skip, authorId);
}

const counted = (where: string) => `SELECT count(*)::int AS count FROM (
  SELECT 1 FROM posts ${where} ORDER BY created_at DESC, id DESC LIMIT ${unplanned("$1", "int")}) AS newest`;
const COUNT = statement({ name: "count_posts", takes: ["int"], gives: { count: "int" }, text: counted("") });
const COUNT_OF_AUTHOR = statement({
  name: "count_posts_of_author",
  takes: ["int", "uuid"],
  gives: { count: "int" },
  text: counted("WHERE author_id = $2::uuid"),
});

/** The number of posts, but at most `max`. The query uses the index of the list. Prisma's count would sort the rows. */
export async function countPosts(runner: Runner, authorId: string | undefined, max: number): Promise<number> {
  const [row] = await (authorId === undefined ? COUNT(runner, max) : COUNT_OF_AUTHOR(runner, max, authorId));
  return row!.count;
}

const UPDATE = statement({
  name: "update_post",
  takes: ["uuid", "text", "text"],
  gives: POST,
  text: `UPDATE posts SET title = $2, body = $3, updated_at = greatest(now(), updated_at) WHERE id = $1::uuid RETURNING ${COLUMNS}`,
});

/** Changes a post. `updated_at` is the time of the database, as `created_at` is. */
export async function updatePostContent(tx: Tx, { id, title, body }: Pick<PostRow, "id" | "title" | "body">): Promise<PostRow> {
  return (await UPDATE(tx, id, title, body))[0]!;
}

export async function removePost(tx: Tx, id: string): Promise<void> {
  await tx.post.delete({ where: { id } });
}
