import type { Schemas } from "../contract/contract.ts";
import type { ShortUrlRow } from "./store.ts";

/** Maps each field explicitly, so that a new column is never sent by accident. */
export function toUrl(row: ShortUrlRow, publicUrl: string): Schemas["Url"] {
  return {
    id: row.id,
    short_url: `${publicUrl}/u/${row.id}`,
    target_url: row.targetUrl,
    expires_at: row.expiresAt,
    click_count: row.clickCount,
    last_clicked_at: row.lastClickedAt,
    created_at: row.createdAt,
  };
}
