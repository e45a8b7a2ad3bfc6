import type { Schemas } from "../contract/contract.ts";
import type { ClickDayRow, ShortUrlRow } from "./store.ts";

/** What an idempotency key keeps of a new short URL: release 1.0.0, which doesn't know the other field, must be able to replay it. */
export type KeptUrl = Omit<Schemas["Url"], "expired_url">;

export function toKeptUrl(row: Omit<ShortUrlRow, "expiredUrl">, publicUrl: string): KeptUrl {
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

export const withExpiredUrl = (kept: KeptUrl, expiredUrl: string | null): Schemas["Url"] => ({
  ...kept,
  expired_url: expiredUrl,
});

export const toUrl = (row: ShortUrlRow, publicUrl: string): Schemas["Url"] =>
  withExpiredUrl(toKeptUrl(row, publicUrl), row.expiredUrl);

/** The clicks of some days, the oldest of which comes first. */
export function toUrlClicks(rows: readonly ClickDayRow[]): Schemas["UrlClicks"] {
  const days = rows.map((row) => ({ date: row.date, click_count: row.clickCount }));
  const sum = days.reduce((total, it) => total + it.click_count, 0);
  return { from: days[0]!.date, to: days.at(-1)!.date, click_count: sum, days };
}
