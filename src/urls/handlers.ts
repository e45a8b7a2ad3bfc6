import type { Operations, Schemas } from "../contract/contract.ts";
import type { Cursors } from "../lists/cursor.ts";
import type { Db } from "../database/client.ts";
import { once } from "../idempotency/idempotency.ts";
import { etagOf } from "../etag.ts";
import { Failure, notFound } from "../failure.ts";
import { createdPosition, pageByTime } from "../lists/pagination.ts";
import type { ClickCounter } from "./clicks.ts";
import { shorten } from "./service.ts";
import { findAnyUrl, findOwnUrl, findOwnUrls, removeOwnUrl, type ShortUrlRow } from "./store.ts";

type Parts = { readonly db: Db; readonly cursors: Cursors; readonly clicks: ClickCounter; readonly publicUrl: string };

export function urlHandlers({
  db,
  cursors,
  clicks,
  publicUrl,
}: Parts): Operations<"createUrl" | "listUrls" | "getUrl" | "deleteUrl" | "followUrl"> {
  return {
    createUrl({ principal, header, body }) {
      return once(
        db,
        { userId: principal.userId, operationId: "createUrl", key: header["Idempotency-Key"], request: body },
        async (tx) => {
          const row = await shorten(tx, principal.userId, body, publicUrl);
          const created = url(row);
          return { status: 201, headers: { Location: `/urls/${row.id}`, ETag: etagOf(created) }, body: created };
        },
      );
    },

    async listUrls({ principal, query }) {
      const { rows, page } = await pageByTime(
        cursors,
        { operation: "listUrls" },
        query,
        (window) => findOwnUrls(db, principal.userId, window),
        createdPosition,
      );
      return { status: 200, body: { data: rows.map(url), page } };
    },

    async getUrl({ principal, path }) {
      const row = await findOwnUrl(db, principal.userId, path.id);
      if (row === null) throw notFound("short URL");
      const body = url(row);
      return { status: 200, headers: { ETag: etagOf(body) }, body };
    },

    async deleteUrl({ principal, path }) {
      if (!(await removeOwnUrl(db, principal.userId, path.id))) throw notFound("short URL");
      return { status: 204 };
    },

    async followUrl({ path, head }) {
      const row = await findAnyUrl(db, path.id);
      if (row === null) throw notFound("short URL");
      if (row.deletedAt !== null) throw new Failure("gone", "This short URL was deleted.");
      if (row.expiresAt !== null && row.expiresAt <= new Date()) throw new Failure("gone", "This short URL has expired.");
      if (!head) clicks.count(path.id);
      return { status: 302, headers: { Location: row.targetUrl, "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" } };
    },
  };

  /** Row to wire, field by field, so that a new column is never sent by accident. */
  function url(row: ShortUrlRow): Schemas["Url"] {
    return {
      id: row.id,
      short_url: `${publicUrl}/u/${row.id}`,
      target_url: row.targetUrl,
      expires_at: row.expiresAt?.toISOString() ?? null,
      click_count: Number(row.clickCount),
      last_clicked_at: row.lastClickedAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
    };
  }
}
