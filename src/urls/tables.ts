import type { Tables } from "../database/table.ts";
import { NOBODY } from "../users/nobody.ts";
import { eraseUrls } from "./store.ts";

export const tables = {
  short_urls: {
    users: { owner_id: "erased" },
    written: ["target_url"],
    technical: ["id"],
    erase: ({ db }, { id: userId }, _signal, batch) => eraseUrls(db, { userId, nobody: NOBODY, batch }),
  },
} satisfies Tables;
