import type { Schemas } from "../contract/contract.ts";
import type { ClickDayRow, ShortUrlRow } from "./store.ts";

export function toUrl(row: ShortUrlRow, publicUrl: string): Schemas["Url"] {
  return {
    id: row.id,
    short_url: `${publicUrl}/u/${row.id}`,
    target_url: row.targetUrl,
    expires_at: row.expiresAt,
    click_count: row.clickCount,
    last_clicked_at: row.lastClickedAt,
    created_at: row.createdAt,
    expired_url: row.expiredUrl,
  };
}

/** The clicks of days, oldest first. */
export function toUrlClicks(rows: readonly ClickDayRow[]): Schemas["UrlClicks"] {
  const days = rows.map((row) => ({ date: row.date, click_count: row.clickCount }));
  const sum = days.reduce((total, it) => total + it.click_count, 0);
  return { from: days[0]!.date, to: days.at(-1)!.date, click_count: sum, days };
}
