import type { Tables } from "../database/table.ts";
import { NOBODY } from "../auth/deleted-user.ts";
import { eraseUrls } from "./store.ts";

/** Each has up to 401 days, which a trigger removes with it. */
const URLS_AT_ONCE = 100;

export const tables = {
  short_urls: {
    // A redirect names the id, which must be unique for all users.
    place: { shard: "id", group: "url" },
    users: { owner_id: "erased" },
    written: ["target_url", "expired_url"],
    technical: ["id"],
    async erase({ db }, { id: userId }, _signal, batch) {
      const erased = await eraseUrls(db, { userId, nobody: NOBODY, batch: URLS_AT_ONCE });
      return erased < URLS_AT_ONCE ? 0 : batch;
    },
  },
  // The clicks of a short URL are counted in both.
  click_days: { place: { shard: "short_url_id", group: "url" }, technical: ["short_url_id"] },
} satisfies Tables;
