// Generated: do not edit, run `npm run generate`. From src/posts/store.sql.

import { page } from "../../src/pagination/keyset.ts";
import { one } from "../../src/database/statement.ts";

export type InsertPostParameters = {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly key: string | null;
  readonly userId: string | null;
  readonly operationId: string | null;
  readonly fingerprint: Uint8Array | null;
  readonly status: number | null;
  readonly headers: string | null;
  readonly response: string | null;
  readonly placeholder: string | null;
};
export type InsertPostRow = {
  readonly createdAt: string;
  readonly authorName: string | null;
};
/** Inserts a post, with its key if there is one. In SQL because Prisma would need a transaction for both. */
export const insertPost = one<InsertPostParameters, InsertPostRow>({
  name: "insert_post",
  text: `WITH inserted AS (
  INSERT INTO posts (id, author_id, title, body) SELECT $1::uuid, $2::uuid, $3, $4
  WHERE CASE WHEN $5::text IS NULL THEN true
    ELSE claim_key($6, $7, $5, $8, $9, $10, $11, $12) END
  RETURNING created_at)
SELECT created_at, (SELECT display_name FROM people WHERE people.id = $2) AS author_name FROM inserted`,
  values: (it) => [it.id, it.authorId, it.title, it.body, it.key, it.userId, it.operationId, it.fingerprint, it.status, it.headers, it.response, it.placeholder],
  columns: ["timestamptz", "varchar"],
  row: (it) => ({ createdAt: it[0], authorName: it[1] }) as InsertPostRow,
});

export type FindPostParameters = {
  readonly id: string;
};
export type FindPostRow = {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly authorName: string | null;
};
/** A post. The second statement locks it until the transaction ends. In SQL so that all reads of posts have the same row. */
export const findPost = one<FindPostParameters, FindPostRow>({
  name: "find_post",
  text: `SELECT id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name
FROM posts WHERE id = $1`,
  values: (it) => [it.id],
  columns: ["uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], authorId: it[1], title: it[2], body: it[3], createdAt: it[4], updatedAt: it[5], authorName: it[6] }) as FindPostRow,
});

export type LockPostParameters = {
  readonly id: string;
};
export type LockPostRow = {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly authorName: string | null;
};
/** A post. The second statement locks it until the transaction ends. In SQL so that all reads of posts have the same row. */
export const lockPost = one<LockPostParameters, LockPostRow>({
  name: "lock_post",
  text: `SELECT id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name
FROM posts WHERE id = $1 FOR UPDATE`,
  values: (it) => [it.id],
  columns: ["uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], authorId: it[1], title: it[2], body: it[3], createdAt: it[4], updatedAt: it[5], authorName: it[6] }) as LockPostRow,
});

export type UpdatePostParameters = {
  readonly title: string;
  readonly body: string;
  readonly id: string;
};
export type UpdatePostRow = {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly authorName: string | null;
};
/** Changes a post. `updated_at` is the time of the database, as `created_at` is. */
export const updatePost = one<UpdatePostParameters, UpdatePostRow>({
  name: "update_post",
  text: `UPDATE posts SET title = $1, body = $2, updated_at = greatest(now(), updated_at) WHERE id = $3
RETURNING id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name`,
  values: (it) => [it.title, it.body, it.id],
  columns: ["uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], authorId: it[1], title: it[2], body: it[3], createdAt: it[4], updatedAt: it[5], authorName: it[6] }) as UpdatePostRow,
});

export type FindPostsParameters = {
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindPostsRow = {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly authorName: string | null;
};
/** In SQL because a list of posts is the page that clients read most. */
export const findPosts = page<FindPostsParameters, FindPostsRow>({
  name: "find_posts",
  text: {
    asc: `SELECT id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name
FROM posts
WHERE (created_at, id) > ($1, $2)
ORDER BY created_at ASC, id ASC LIMIT $3`,
    desc: `SELECT id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name
FROM posts
WHERE (created_at, id) < ($1, $2)
ORDER BY created_at DESC, id DESC LIMIT $3`,
  },
  limit: 3,
  values: (it) => [it.createdAt, it.id, it.limit],
  columns: ["uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], authorId: it[1], title: it[2], body: it[3], createdAt: it[4], updatedAt: it[5], authorName: it[6] }) as FindPostsRow,
});

export type FindPostsOfAuthorParameters = {
  readonly authorId: string;
  readonly createdAt: string;
  readonly id: string;
  readonly limit: number;
};
export type FindPostsOfAuthorRow = {
  readonly id: string;
  readonly authorId: string;
  readonly title: string;
  readonly body: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly authorName: string | null;
};
/** In SQL because a list of posts is the page that clients read most. */
export const findPostsOfAuthor = page<FindPostsOfAuthorParameters, FindPostsOfAuthorRow>({
  name: "find_posts_of_author",
  text: {
    asc: `SELECT id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name
FROM posts
WHERE author_id = $1 AND (created_at, id) > ($2, $3)
ORDER BY created_at ASC, id ASC LIMIT $4`,
    desc: `SELECT id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name
FROM posts
WHERE author_id = $1 AND (created_at, id) < ($2, $3)
ORDER BY created_at DESC, id DESC LIMIT $4`,
  },
  limit: 4,
  values: (it) => [it.authorId, it.createdAt, it.id, it.limit],
  columns: ["uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ id: it[0], authorId: it[1], title: it[2], body: it[3], createdAt: it[4], updatedAt: it[5], authorName: it[6] }) as FindPostsOfAuthorRow,
});

export type FindPostsByOffsetParameters = {
  readonly most: number;
  readonly limit: number;
  readonly skip: number;
};
export type FindPostsByOffsetRow = {
  readonly total: number;
  readonly id: string | null;
  readonly authorId: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly authorName: string | null;
};
/** `total` is the number of posts, but at most :most. It reads the index of the list; Prisma's count would sort the rows. An empty page
 * is one row whose `id` is null. Names are read outside the page, and so not for the rows that are skipped. */
export const findPostsByOffset = page<FindPostsByOffsetParameters, FindPostsByOffsetRow>({
  name: "find_posts_by_offset",
  text: {
    asc: `SELECT newest.total AS "total!", page.*,
  (SELECT display_name FROM people WHERE people.id = page.author_id) AS author_name
FROM (SELECT count(*)::int AS total FROM (
  SELECT created_at, id FROM posts ORDER BY created_at ASC, id ASC LIMIT $1) AS counted) AS newest
LEFT JOIN (
  SELECT id, author_id, title, body, created_at, updated_at FROM posts
  ORDER BY created_at ASC, id ASC LIMIT $2 OFFSET $3) AS page ON true
ORDER BY page.created_at ASC, page.id ASC`,
    desc: `SELECT newest.total AS "total!", page.*,
  (SELECT display_name FROM people WHERE people.id = page.author_id) AS author_name
FROM (SELECT count(*)::int AS total FROM (
  SELECT created_at, id FROM posts ORDER BY created_at DESC, id DESC LIMIT $1) AS counted) AS newest
LEFT JOIN (
  SELECT id, author_id, title, body, created_at, updated_at FROM posts
  ORDER BY created_at DESC, id DESC LIMIT $2 OFFSET $3) AS page ON true
ORDER BY page.created_at DESC, page.id DESC`,
  },
  limit: 2,
  values: (it) => [it.most, it.limit, it.skip],
  columns: ["int4", "uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ total: it[0], id: it[1], authorId: it[2], title: it[3], body: it[4], createdAt: it[5], updatedAt: it[6], authorName: it[7] }) as FindPostsByOffsetRow,
});

export type FindPostsOfAuthorByOffsetParameters = {
  readonly authorId: string;
  readonly most: number;
  readonly limit: number;
  readonly skip: number;
};
export type FindPostsOfAuthorByOffsetRow = {
  readonly total: number;
  readonly id: string | null;
  readonly authorId: string | null;
  readonly title: string | null;
  readonly body: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly authorName: string | null;
};
/** `total` is the number of posts, but at most :most. It reads the index of the list; Prisma's count would sort the rows. An empty page
 * is one row whose `id` is null. Names are read outside the page, and so not for the rows that are skipped. */
export const findPostsOfAuthorByOffset = page<FindPostsOfAuthorByOffsetParameters, FindPostsOfAuthorByOffsetRow>({
  name: "find_posts_of_author_by_offset",
  text: {
    asc: `SELECT newest.total AS "total!", page.*,
  (SELECT display_name FROM people WHERE people.id = page.author_id) AS author_name
FROM (SELECT count(*)::int AS total FROM (
  SELECT created_at, id FROM posts WHERE author_id = $1 ORDER BY created_at ASC, id ASC LIMIT $2) AS counted) AS newest
LEFT JOIN (
  SELECT id, author_id, title, body, created_at, updated_at FROM posts
  WHERE author_id = $1 ORDER BY created_at ASC, id ASC LIMIT $3 OFFSET $4) AS page ON true
ORDER BY page.created_at ASC, page.id ASC`,
    desc: `SELECT newest.total AS "total!", page.*,
  (SELECT display_name FROM people WHERE people.id = page.author_id) AS author_name
FROM (SELECT count(*)::int AS total FROM (
  SELECT created_at, id FROM posts WHERE author_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2) AS counted) AS newest
LEFT JOIN (
  SELECT id, author_id, title, body, created_at, updated_at FROM posts
  WHERE author_id = $1 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4) AS page ON true
ORDER BY page.created_at DESC, page.id DESC`,
  },
  limit: 3,
  values: (it) => [it.authorId, it.most, it.limit, it.skip],
  columns: ["int4", "uuid", "uuid", "varchar", "text", "timestamptz", "timestamptz", "varchar"],
  row: (it) => ({ total: it[0], id: it[1], authorId: it[2], title: it[3], body: it[4], createdAt: it[5], updatedAt: it[6], authorName: it[7] }) as FindPostsOfAuthorByOffsetRow,
});
