import type { Operations } from "../contract/contract.ts";
import type { Db } from "../database/client.ts";
import { etagOf, tagged } from "../etag.ts";
import { once } from "../idempotency/idempotency.ts";
import type { Cursors } from "../lists/cursor.ts";
import { deletePost, listPosts, publishPost, readPost, revisePost } from "./service.ts";
import { toPost } from "./wire.ts";

type Parts = { readonly db: Db; readonly cursors: Cursors };

export function postHandlers({ db, cursors }: Parts): Operations<"Posts"> {
  return {
    createPost(input) {
      return once(db, input, async (tx) => {
        const body = toPost(await publishPost(tx, input.principal.userId, input.body));
        return { status: 201, headers: { Location: `/posts/${body.id}`, ETag: etagOf(body) }, body };
      });
    },

    listPosts: (input) => listPosts(db, cursors, input),

    getPost: async ({ path }) => tagged(toPost(await readPost(db, path.post_id))),

    updatePost: async (input) => tagged(toPost(await revisePost(db, input))),

    async deletePost(input) {
      await deletePost(db, input);
      return { status: 204 };
    },
  };
}
