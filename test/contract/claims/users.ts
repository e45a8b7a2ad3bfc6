import { expect } from "@jest/globals";
import { publish } from "../../support/posts.ts";
import { header, UNKNOWN, type Claims } from "./claim.ts";

const DELETED = { display_name: null, deleted: true };

export const users: Claims = {
  "There is no 404: an id that belongs to no user, or to none any more, returns `deleted: true` without a name.": async ({
    as,
  }) => {
    const { status, body } = await (await as())("GET", `/users/${UNKNOWN}`);
    expect([status, body]).toEqual([200, { id: UNKNOWN, ...DELETED, created_at: null }]);
  },
  "So a rename doesn't make your `If-Match` fail, and with `If-None-Match` you get 304 although a name in your copy is old.":
    async ({ as }) => {
      const author = await as();
      const { path, etag } = await publish(author);
      await author("PATCH", "/account", { display_name: "A new name" });
      expect((await author("GET", path, undefined, header("If-None-Match", etag))).status).toBe(304);
      expect((await author("GET", path)).body.author.display_name).toBe("A new name");
      expect((await author("PATCH", path, { title: "New" }, header("If-Match", etag))).status).toBe(200);
    },
  'without case and accents: `tomas o` finds "Tomás Oyelaran".': async ({ as }) => {
    const user = await as();
    await user("PATCH", "/account", { display_name: "Tomás Oyelaran" });
    const { body } = await user("GET", "/users?name=tomas+o");
    expect(body.data.map((it: { id: string }) => it.id)).toContain(user.userId);
  },
};
