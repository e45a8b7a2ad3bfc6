import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { etagOf, requireMatch, tagged } from "../util/etag.ts";
import type { Cursors } from "../pagination/cursor.ts";
import type { Dependents } from "../jobs/dependents.ts";
import { openWindow, page } from "../pagination/list.ts";
import { deletePost, publishPost, readPost, readPosts, revisePost } from "./service.ts";
import type { PostRow } from "./store.ts";
import { toPost, toPostVersion, withAuthor, type PostVersion } from "./wire.ts";

/** Refuses a change of a post that is not the one in the `If-Match` of the request. */
const ifUnchanged = (input: { readonly header: { readonly "If-Match"?: string } }) => (row: PostRow) =>
  requireMatch(input.header["If-Match"], etagOf(toPostVersion(row)), "post");

/** The success of an operation on a post. The name of the author is no part of the tag. */
const shown = (row: PostRow) => tagged(toPost(row), toPostVersion(row));

type PostDependencies = Connections & { readonly cursors: Cursors; readonly dependents: Dependents };

export function postHandlers({ db, pool, cursors, dependents }: PostDependencies): Operations<"Posts"> {
  return {
    async createPost(input) {
      const { userId } = input.principal;
      // The response that is stored has no author: a name can change.
      const checkResponse = (status: number, version: unknown) =>
        input.checkResponse(status, withAuthor(version as PostVersion, userId, null));
      const { response, authorName } = await publishPost(
        pool,
        { ...input, checkResponse },
        (post) => ({ status: 201, headers: { Location: `/posts/${post.id}` }, body: toPostVersion(post) }) as const,
      );
      const { headers, body } = response;
      return { ...response, headers: { ...headers, ETag: etagOf(body) }, body: withAuthor(body, userId, authorName) };
    },

    async listPosts(input) {
      const window = openWindow(cursors, input, BY_CREATION);
      const { rows, total } = await readPosts(pool, input.query, window);
      return { status: 200, body: page(window, rows, toPost, { offset: input.query.offset ?? null, total }) };
    },

    getPost: async ({ path }) => shown(await readPost(pool, path.post_id)),

    updatePost: async (input) => shown(await revisePost(db, input, ifUnchanged(input))),

    async deletePost(input) {
      await deletePost({ db, dependents }, input, ifUnchanged(input));
      return { status: 204 };
    },
  };
}
