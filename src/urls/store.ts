import type { ShortUrl as ShortUrlRow } from "#generated/prisma/client.ts";
import type { Tx } from "../database/client.ts";
import { keyset, type CreationWindow } from "../database/keyset.ts";

export type { ShortUrlRow };
type NewShortUrl = Pick<ShortUrlRow, "id" | "ownerId" | "targetUrl" | "expiresAt">;

/** Returns the new row, or null if the short code is or was in use. */
export async function insertUrl(tx: Tx, url: NewShortUrl): Promise<ShortUrlRow | null> {
  const [row] = await tx.shortUrl.createManyAndReturn({ data: [url], skipDuplicates: true });
  return row ?? null;
}

export function findOwnUrl(tx: Tx, ownerId: string, id: string): Promise<ShortUrlRow | null> {
  return tx.shortUrl.findFirst({ where: { id, ownerId, deletedAt: null } });
}

export function findOwnUrls(tx: Tx, ownerId: string, window: CreationWindow): Promise<ShortUrlRow[]> {
  return tx.shortUrl.findMany(keyset(window, { ownerId, deletedAt: null }));
}

/** A short URL of any owner, even if it is deleted. */
export function findAnyUrl(tx: Tx, id: string): Promise<ShortUrlRow | null> {
  return tx.shortUrl.findUnique({ where: { id } });
}

/** Marks a short URL as deleted, and returns whether there was one. The row stays, so that its short code is never used again. */
export async function removeOwnUrl(tx: Tx, ownerId: string, id: string): Promise<boolean> {
  const { count } = await tx.shortUrl.updateMany({ where: { id, ownerId, deletedAt: null }, data: { deletedAt: new Date() } });
  return count === 1;
}

export type Clicks = { readonly id: string; readonly count: number; readonly lastAt: Date };

/** Adds clicks to many short URLs in one statement. */
export async function addClicks(tx: Tx, clicks: readonly Clicks[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE short_urls AS u
    SET click_count = u.click_count + c.count, last_clicked_at = greatest(u.last_clicked_at, c.last_at)
    FROM unnest(${clicks.map((it) => it.id)}::text[], ${clicks.map((it) => it.count)}::int[], ${clicks.map((it) => it.lastAt)}::timestamptz[]) AS c (id, count, last_at)
    WHERE u.id = c.id`;
}
