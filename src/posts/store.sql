-- part: post
id, author_id, title, body, created_at, updated_at,
  (SELECT display_name FROM people WHERE people.id = author_id) AS author_name

-- name: insertPost :one
-- Inserts a post, with its key if there is one. In SQL because Prisma would need a transaction for both.
WITH inserted AS (
  INSERT INTO posts (id, author_id, title, body) SELECT :id::uuid, :author_id::uuid, :title, :body
  WHERE CASE WHEN :key?::text IS NULL THEN true
    ELSE claim_key(:user_id?, :operation_id?, :key?, :fingerprint?, :status?, :headers?, :response?, :placeholder?) END
  RETURNING created_at)
SELECT created_at, (SELECT display_name FROM people WHERE people.id = :author_id) AS author_name FROM inserted;

-- name: findPost, lockPost :one
-- A post. The second statement locks it until the transaction ends. In SQL so that all reads of posts have the same row.
SELECT {{post}}
FROM posts WHERE id = :id[[ FOR UPDATE]];

-- name: updatePost :one
-- Changes a post. `updated_at` is the time of the database, as `created_at` is.
UPDATE posts SET title = :title, body = :body, updated_at = greatest(now(), updated_at) WHERE id = :id
RETURNING {{post}};

-- name: findPosts, findPostsOfAuthor :page
-- In SQL because a list of posts is the page that clients read most.
SELECT {{post}}
FROM posts
WHERE [[author_id = :author_id AND ]](created_at, id) < (:created_at, :id)
ORDER BY created_at DESC, id DESC LIMIT :limit;

-- name: findPostsByOffset, findPostsOfAuthorByOffset :page
-- `total` is the number of posts, but at most :most. It reads the index of the list; Prisma's count would sort the rows. An empty page
-- is one row whose `id` is null. Names are read outside the page, and so not for the rows that are skipped.
SELECT newest.total AS "total!", page.*,
  (SELECT display_name FROM people WHERE people.id = page.author_id) AS author_name
FROM (SELECT count(*)::int AS total FROM (
  SELECT created_at, id FROM posts [[WHERE author_id = :author_id ]]ORDER BY created_at DESC, id DESC LIMIT :most) AS counted) AS newest
LEFT JOIN (
  SELECT id, author_id, title, body, created_at, updated_at FROM posts
  [[WHERE author_id = :author_id ]]ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :skip) AS page ON true
ORDER BY page.created_at DESC, page.id DESC;
