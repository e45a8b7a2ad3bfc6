import type { Tables } from "../database/table.ts";

export const tables = { posts: { users: { author_id: "removed" }, written: ["title", "body"] } } satisfies Tables;
