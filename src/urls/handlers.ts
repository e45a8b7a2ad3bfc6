import type { Operations } from "../contract/contract.ts";
import type { Connections } from "../database/client.ts";
import { BY_CREATION } from "../pagination/keyset.ts";
import { etagOf, requireMatch, tagged } from "../util/etag.ts";
import type { Cursors } from "../pagination/cursor.ts";
import { parsePage, page } from "../pagination/list.ts";
import type { ClickCounter } from "./clicks.ts";
import { deleteUrl, readClicks, readUrl, resolveUrl, shorten } from "./service.ts";
import { findOwnUrls, type ShortUrlRow } from "./store.ts";
import { toUrl, toUrlClicks } from "./wire.ts";

type UrlDeps = Connections & { readonly cursors: Cursors; readonly clicks: ClickCounter; readonly publicUrl: string };

export function urlHandlers({ db, pool, cursors, clicks, publicUrl }: UrlDeps): Operations<"Urls"> {
  return {
    async createUrl(input) {
      const respond = (row: ShortUrlRow) =>
        ({ status: 201, headers: { Location: `/urls/${row.id}` }, body: toUrl(row, publicUrl) }) as const;
      const { response, expiredUrl } = await shorten(pool, input, publicUrl, respond);
      // Release 1.2.0 stores a response without the field. Its keys end after three days, so this can go with 1.4.0.
      const body = { ...response.body, expired_url: expiredUrl };
      return { ...response, headers: { ...response.headers, ETag: etagOf(body) }, body };
    },

    async listUrls(input) {
      const pageRequest = parsePage(cursors, input, BY_CREATION);
      const rows = await findOwnUrls(pool, pageRequest, { ownerId: input.principal.userId });
      return { status: 200, body: page(pageRequest, rows, (row) => toUrl(row, publicUrl)) };
    },

    getUrl: async ({ principal, path }) => tagged(toUrl(await readUrl(pool, principal.userId, path.id), publicUrl)),

    async deleteUrl({ principal, path, header }) {
      await deleteUrl(db, principal.userId, path.id, (row) =>
        requireMatch(header["If-Match"], etagOf(toUrl(row, publicUrl)), "short URL"),
      );
      return { status: 204 };
    },

    async getUrlClicks({ principal, path, query }) {
      return { status: 200, body: toUrlClicks(await readClicks(pool, principal.userId, path.id, query)) };
    },

    async followUrl({ path }) {
      const { location, isTarget } = await resolveUrl(pool, path.id);
      const headers = { Location: location, "X-Robots-Tag": "noindex" } as const;
      return { status: 302, headers, ...(isTarget && { onSend: () => clicks.count(path.id) }) };
    },
  };
}
