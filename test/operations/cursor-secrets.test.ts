import { describe, expect, it } from "@jest/globals";
import { createCursors } from "../../src/pagination/cursor.ts";
import { createClient } from "../support/client.ts";
import { insertPosts } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const OLD = "the secret of last year";
/** The key id in the tokens of a secret. */
const keyIdOf = (secret: string) => Buffer.from(createCursors([secret]).of({}).encode([1]), "base64url")[1];

const first = prepare(() => startTestService({ ROLE: "api", CURSOR_SECRETS: OLD }));

describe("a cursor", () => {
  it("has an IV of its own for each list and each position, and the same one for the same page", () => {
    const cursors = createCursors([OLD]);
    const ivOf = (operation: string, position: number) =>
      Buffer.from(cursors.of({ operation }).encode([position]), "base64url").toString("hex", 2, 14);
    expect(new Set([ivOf("listPosts", 1), ivOf("listPosts", 2), ivOf("listUrls", 1), ivOf("listUrls", 2)]).size).toBe(4);
    expect(ivOf("listPosts", 1)).toBe(ivOf("listPosts", 1));
  });

  it("is made with the first secret, so that it works when the others are gone", () => {
    const rotating = createCursors(["the secret of this year", OLD]);
    const context = { operation: "listPosts" };
    const token = rotating.of(context).encode([1, "x"]);
    expect(createCursors(["the secret of this year"]).of(context).decode("after", token)).toEqual([1, "x"]);
    expect(() => createCursors([OLD]).of(context).decode("after", token)).toThrow();
    expect(rotating.of(context).decode("after", createCursors([OLD]).of(context).encode([1, "x"]))).toEqual([1, "x"]);
  });

  it("stays valid after a rotation of the secrets, even if both secrets have the same key id", async () => {
    const reader = await first.as();
    await insertPosts(first, reader.userId, 4, new Date());
    const page = await reader("GET", "/posts?limit=2");
    const twin = Array.from({ length: 20_000 }, (_, n) => `the secret of this year ${n}`).find(
      (it) => keyIdOf(it) === keyIdOf(OLD),
    )!;
    await using second = await startTestService({ ROLE: "api", CURSOR_SECRETS: `${twin}, ${OLD}` }, { url: first.databaseUrl });
    const { userId, userName: name, authorization } = reader;
    const again = createClient(second.url, { userId, name, ...(authorization === undefined ? {} : { authorization }) });
    const path = `/posts?limit=2&after=${page.body.page.next_cursor}`;
    const [expected, answer] = [await reader("GET", path), await again("GET", path)];
    expect(answer.status).toBe(200);
    expect(answer.body.data).toEqual(expected.body.data);
    // A cursor of no secret is still refused.
    expect((await again("GET", `${path.slice(0, -4)}AAAA`)).status).toBe(400);
  });
});
