import type { Tables } from "../database/table.ts";
import { DELETED_USER_ID } from "../auth/deleted-user.ts";
import { eraseUrls } from "./store.ts";

/** A trigger removes up to 401 rows of days with each short URL. */
const URL_BATCH = 100;

export const tables = {
  short_urls: {
    // A redirect names the id, which must be unique for all users.
    distribution: { shard: "id", group: "url" },
    users: { owner_id: "erased" },
    userContent: ["target_url", "expired_url"],
    metadata: ["id"],
    async erase({ db }, { id: userId }, _signal, batch) {
      const erased = await eraseUrls(db, { userId, deletedUserId: DELETED_USER_ID, batch: URL_BATCH });
      return erased < URL_BATCH ? 0 : batch;
    },
  },
  // The clicks of a short URL are counted in both.
  click_days: { distribution: { shard: "short_url_id", group: "url" }, metadata: ["short_url_id"] },
} satisfies Tables;
