import { randomUUIDv7 } from "node:crypto";
import type { Operations } from "../contract/contract.ts";
import type { Cursors } from "../lists/cursor.ts";
import type { Db } from "../database/client.ts";
import { once } from "../idempotency/idempotency.ts";
import { etagOf } from "../etag.ts";
import { notFound } from "../failure.ts";
import { deletePost, listPosts, post, revisePost } from "./service.ts";
import { findPost, insertPost } from "./store.ts";

export function postHandlers({
  db,
  cursors,
}: {
  readonly db: Db;
  readonly cursors: Cursors;
}): Operations<"createPost" | "listPosts" | "getPost" | "updatePost" | "deletePost"> {
  return {
    createPost({ principal, header, body }) {
      return once(
        db,
        { userId: principal.userId, operationId: "createPost", key: header["Idempotency-Key"], request: body },
        async (tx) => {
          const created = post(
            await insertPost(tx, { id: randomUUIDv7(), authorId: principal.userId, title: body.title, body: body.body }),
          );
          return { status: 201, headers: { Location: `/posts/${created.id}`, ETag: etagOf(created) }, body: created };
        },
      );
    },

    async listPosts({ query }) {
      const { rows, page } = await listPosts(db, cursors, query);
      return { status: 200, body: { data: rows.map(post), page } };
    },

    async getPost({ path }) {
      const row = await findPost(db, path.post_id);
      if (row === null) throw notFound("post");
      const body = post(row);
      return { status: 200, headers: { ETag: etagOf(body) }, body };
    },

    async updatePost({ principal, path, header, body }) {
      const updated = post(await revisePost(db, principal.userId, path.post_id, header["If-Match"], body));
      return { status: 200, headers: { ETag: etagOf(updated) }, body: updated };
    },

    async deletePost({ principal, path, header }) {
      await deletePost(db, principal.userId, path.post_id, header["If-Match"]);
      return { status: 204 };
    },
  };
}
