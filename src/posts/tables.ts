import type { Tables } from "../database/table.ts";

export const tables = {
  // A read, a change and a deletion name the id; lists ask all nodes.
  posts: { distribution: { shard: "id", group: "post" }, users: { author_id: "removed" }, userContent: ["title", "body"] },
} satisfies Tables;
