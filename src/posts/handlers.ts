import type { Operations } from "../contract/contract.ts";
import type { Database } from "../database/client.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { etagOf, tagged } from "../util/etag.ts";
import type { Cursors } from "../lists/cursor.ts";
import { openWindow, page } from "../lists/list.ts";
import { deletePost, publishPost, readPost, readPosts, revisePost } from "./service.ts";
import { toPost } from "./wire.ts";

type Parts = Pick<Database, "db" | "pool"> & { readonly cursors: Cursors };

export function postHandlers({ db, pool, cursors }: Parts): Operations<"Posts"> {
  return {
    createPost(input) {
      return publishPost(pool, input, (row) => {
        const body = toPost(row);
        return { status: 201, headers: { Location: `/posts/${body.id}`, ETag: etagOf(body) }, body };
      });
    },

    async listPosts(input) {
      const window = openWindow(cursors, input, BY_CREATION);
      const { rows, total } = await readPosts(pool, input.query, window);
      return { status: 200, body: page(window, rows, toPost, { offset: input.query.offset ?? null, total }) };
    },

    getPost: async ({ path }) => tagged(toPost(await readPost(pool, path.post_id))),

    updatePost: async (input) => tagged(toPost(await revisePost(db, input))),

    async deletePost(input) {
      await deletePost(db, input);
      return { status: 204 };
    },
  };
}
