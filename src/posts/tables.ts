import type { Tables } from "../database/table.ts";

export const tables = {
  posts: { place: { shard: "id", group: "post" }, users: { author_id: "removed" }, written: ["title", "body"] },
} satisfies Tables;
