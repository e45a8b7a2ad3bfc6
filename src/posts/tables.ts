import type { Tables } from "../database/table.ts";

export const tables = {
  posts: { distribution: { shard: "id", group: "post" }, users: { author_id: "removed" }, userContent: ["title", "body"] },
} satisfies Tables;
