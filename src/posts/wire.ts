import type { Schemas } from "../contract/contract.ts";
import type { PostRow } from "./store.ts";

/** Maps each field explicitly, so that a new column is never sent by accident. */
export function toPost(row: PostRow): Schemas["Post"] {
  return {
    id: row.id,
    author_id: row.authorId,
    title: row.title,
    body: row.body,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}
