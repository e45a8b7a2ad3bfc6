import type { Tables } from "./table.ts";

export const tables = { log_histories: { metadata: ["id", "server"] } } satisfies Tables;
