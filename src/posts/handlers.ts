import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { etagOf, requireMatch, tagged } from "../util/etag.ts";
import type { Cursors } from "../pagination/cursor.ts";
import type { Dependents } from "../jobs/dependents.ts";
import { parsePage, page } from "../pagination/list.ts";
import { deletePost, publishPost, readPost, readPosts, revisePost } from "./service.ts";
import type { PostRow } from "./store.ts";
import { toPost, toPostVersion, withAuthor, type PostVersion } from "./wire.ts";

/** Refuses a change of a post that does not match `If-Match`. */
const ifUnchanged = (input: { readonly header: { readonly "If-Match"?: string } }) => (row: PostRow) =>
  requireMatch(input.header["If-Match"], etagOf(toPostVersion(row)), "post");

/** A 200 with a post. The entity tag does not include the name of the author. */
const shown = (row: PostRow) => tagged(toPost(row), toPostVersion(row));

type PostDeps = Connections & { readonly cursors: Cursors; readonly dependents: Dependents };

export function postHandlers({ db, pool, cursors, dependents }: PostDeps): Operations<"Posts"> {
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
      const pageRequest = parsePage(cursors, input, BY_CREATION);
      const { rows, total } = await readPosts(pool, input.query, pageRequest);
      return { status: 200, body: page(pageRequest, rows, toPost, { offset: input.query.offset ?? null, total }) };
    },

    getPost: async ({ path }) => shown(await readPost(pool, path.post_id)),

    updatePost: async (input) => shown(await revisePost(db, input, ifUnchanged(input))),

    async deletePost(input) {
      await deletePost({ db, dependents }, input, ifUnchanged(input));
      return { status: 204 };
    },
  };
}
