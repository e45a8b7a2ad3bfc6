import type { Tables } from "./table.ts";

export const tables = { log_histories: { technical: ["id", "server"] } } satisfies Tables;
