import type { Operations } from "../contract/contract.ts";
import type { Db } from "../database/client.ts";
import { BY_CREATION } from "../database/keyset.ts";
import { etagOf, tagged } from "../etag.ts";
import { once } from "../idempotency/idempotency.ts";
import type { Cursors } from "../lists/cursor.ts";
import { list } from "../lists/list.ts";
import type { ClickCounter } from "./clicks.ts";
import { deleteUrl, readUrl, resolveUrl, shorten } from "./service.ts";
import { findOwnUrls } from "./store.ts";
import { toUrl } from "./wire.ts";

type Parts = { readonly db: Db; readonly cursors: Cursors; readonly clicks: ClickCounter; readonly publicUrl: string };

export function urlHandlers({ db, cursors, clicks, publicUrl }: Parts): Operations<"Urls"> {
  return {
    createUrl(input) {
      return once(db, input, async (tx) => {
        const body = toUrl(await shorten(tx, input.principal.userId, input.body, publicUrl), publicUrl);
        return { status: 201, headers: { Location: `/urls/${body.id}`, ETag: etagOf(body) }, body };
      });
    },

    listUrls: (input) =>
      list(cursors, input, {
        order: BY_CREATION,
        find: (window) => findOwnUrls(db, input.principal.userId, window),
        toWire: (row) => toUrl(row, publicUrl),
      }),

    getUrl: async ({ principal, path }) => tagged(toUrl(await readUrl(db, principal.userId, path.id), publicUrl)),

    async deleteUrl({ principal, path }) {
      await deleteUrl(db, principal.userId, path.id);
      return { status: 204 };
    },

    async followUrl({ path }) {
      const target = await resolveUrl(db, path.id);
      const headers = { Location: target, "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer" } as const;
      return { status: 302, headers, onSend: () => clicks.count(path.id) };
    },
  };
}
