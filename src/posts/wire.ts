import type { Schemas } from "../contract/contract.ts";
import { toUserSummary } from "../auth/wire.ts";
import type { PostRow } from "./store.ts";

/** A post without the name of the author, so that a rename changes neither `ETag` nor stored responses. */
export type PostVersion = Omit<Schemas["Post"], "author">;

export function toPostVersion(row: Omit<PostRow, "authorName">): PostVersion {
  return {
    id: row.id,
    author_id: row.authorId,
    title: row.title,
    body: row.body,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

export const withAuthor = (version: PostVersion, id: string, name: string | null): Schemas["Post"] => ({
  ...version,
  author: toUserSummary(id, name),
});

export const toPost = (row: PostRow): Schemas["Post"] => withAuthor(toPostVersion(row), row.authorId, row.authorName);
