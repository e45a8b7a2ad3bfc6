import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import { eventually } from "../../support/eventually.ts";
import { header, outcome, type Claims, type Fixture } from "./claim.ts";

const target_url = "https://example.com/";
const EXPIRED = "https://example.com/over";
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const PROBLEM = "application/problem+json; charset=utf-8";

/** A new short URL with its paths. */
async function shorten({ as }: Fixture, request: object = {}) {
  const owner = await as();
  const { body } = await owner("POST", "/urls", { target_url, ...request });
  return { owner, url: body, path: `/urls/${body.id}`, link: `/u/${body.id}` };
}

export const urls: Claims = {
  "Creates a short URL that redirects to `target_url`. You can share it as soon as you get the response.": async (fixture) => {
    const { url, link } = await shorten(fixture);
    expect(url.short_url).toMatch(new RegExp(`${link}$`));
    expect((await fixture.anonymous("GET", link)).headers.get("location")).toBe(target_url);
  },
  "Shortening the same target twice creates two short URLs, each with its own click count.": async ({ as, anonymous }) => {
    const user = await as();
    const [one, two] = [await user("POST", "/urls", { target_url }), await user("POST", "/urls", { target_url })];
    await anonymous("GET", `/u/${one.body.id}`);
    const clicks = async (id: string) => (await user("GET", `/urls/${id}`)).body.click_count;
    await eventually("the click", async () => (await clicks(one.body.id)) === 1);
    expect(await clicks(two.body.id)).toBe(0);
  },
  "If you choose the `id` yourself, a retry without a key returns 409 `id_taken`.": async (fixture) => {
    const { owner, url } = await shorten(fixture, { id: `claim-${randomUUID()}` });
    expect(outcome(await owner("POST", "/urls", { target_url, id: url.id }))).toBe("409 id_taken");
  },
  "A target on this service returns 422 `target_not_allowed`.": async (fixture) => {
    const { owner, url } = await shorten(fixture);
    expect(outcome(await owner("POST", "/urls", { target_url: url.short_url }))).toBe("422 target_not_allowed");
  },
  "The redirect is always a 302, so browsers don't cache it.": async (fixture) => {
    const { link } = await shorten(fixture);
    const { status, headers } = await fixture.anonymous("GET", link);
    expect([status, headers.get("cache-control")]).toEqual([302, "no-store"]);
  },
  "A deleted or expired short URL without an `expired_url` returns 410, an id that was never used returns 404.": async (
    fixture,
  ) => {
    const { owner, path, link } = await shorten(fixture);
    await owner("DELETE", path);
    expect(outcome(await fixture.anonymous("GET", link))).toBe("410 gone");
    expect(outcome(await fixture.anonymous("GET", "/u/never-used"))).toBe("404 not_found");
  },
  "If `Accept` prefers `text/html`, as in a browser, the body is a small page.": async ({ anonymous }) => {
    const { status, headers, text } = await anonymous("GET", "/u/never-used", undefined, header("Accept", "text/html,*/*;q=0.8"));
    expect([status, headers.get("content-type"), text]).toEqual([
      404,
      expect.stringMatching(/^text\/html/),
      expect.stringMatching(/^<!doctype html>/),
    ]);
  },
  "Every response with a status of 400 or above has this format, except the page that a browser gets from `followUrl`.": async ({
    anonymous,
  }) => {
    const browser = header("Accept", "text/html");
    const typeOf = async (path: string) => (await anonymous("GET", path, undefined, browser)).headers.get("content-type");
    expect(await typeOf("/u/never-used")).toMatch(/^text\/html/);
    for (const path of ["/u/never-used/", "/nothing"]) expect([path, await typeOf(path)]).toEqual([path, PROBLEM]);
    const problem = await anonymous("GET", "/u/never-used", undefined, header("Accept", "*/*"));
    expect([problem.headers.get("content-type"), problem.body]).toEqual([
      PROBLEM,
      expect.objectContaining({ code: "not_found" }),
    ]);
  },
  "Every GET that leads to the target counts as one click. HEAD doesn't count.": async (fixture) => {
    const { owner, path, link } = await shorten(fixture);
    for (const method of ["HEAD", "GET", "HEAD", "GET"]) await fixture.anonymous(method, link);
    const { body } = await eventually("two clicks", async () => {
      const answer = await owner("GET", path);
      return answer.body.click_count >= 2 ? answer : null;
    });
    expect(body.click_count).toBe(2);
  },
  "It stays after you delete the short URL, and ends only with your account: then, following the short URL returns 410.": async (
    fixture,
  ) => {
    const { owner, path, link } = await shorten(fixture, { expired_url: EXPIRED });
    await owner("DELETE", path);
    // What the end of an account does is in test/personal-data/.
    expect((await fixture.anonymous("GET", link)).headers.get("location")).toBe(EXPIRED);
  },
  "The rules for a target apply to it.": async (fixture) => {
    const { owner, url } = await shorten(fixture);
    for (const [expired_url, refusal] of [
      [url.short_url, "422 target_not_allowed"],
      ["ftp://example.com/", "400 validation_failed"],
    ])
      expect(outcome(await owner("POST", "/urls", { target_url, expired_url }))).toBe(refusal);
  },
  "When you delete the short URL, its days are deleted too.": async (fixture) => {
    const { owner, path } = await shorten(fixture);
    await owner("DELETE", path);
    expect(outcome(await owner("GET", `${path}/clicks`))).toBe("404 not_found");
  },
  "Days are kept for 400 days, today included.": async (fixture) => {
    const { owner, path } = await shorten(fixture);
    const clicksFrom = async (days: number) => outcome(await owner("GET", `${path}/clicks?from=${daysAgo(days)}`));
    // A day can begin between the two requests.
    expect([await clicksFrom(398), await clicksFrom(400)]).toEqual(["200", "422 days_not_available"]);
  },
  "Unknown query parameters are ignored, and the query is not passed on to the target.": async (fixture) => {
    const { link } = await shorten(fixture);
    expect((await fixture.anonymous("GET", `${link}?from=mail`)).headers.get("location")).toBe(target_url);
  },
  "**An id is never reused.**": async (fixture) => {
    const { owner, path, url } = await shorten(fixture);
    await owner("DELETE", path);
    expect(outcome(await owner("POST", "/urls", { target_url, id: url.id }))).toBe("409 id_taken");
  },
  "Anyone can follow your short URL. Only you can list, get or delete it, or get its clicks: for other users, these operations return 404.":
    async (fixture) => {
      const { path, link } = await shorten(fixture);
      const other = await fixture.as();
      expect((await fixture.anonymous("GET", link)).status).toBe(302);
      for (const method of ["GET", "DELETE"]) expect(outcome(await other(method, path))).toBe("404 not_found");
      expect(outcome(await other("GET", `${path}/clicks`))).toBe("404 not_found");
      expect((await other("GET", "/urls")).body.data).toEqual([]);
    },
  "It is case-sensitive and never reused, even after the short URL is deleted.": async (fixture) => {
    const { url } = await shorten(fixture, { id: `Claim-${randomUUID()}` });
    expect((await fixture.anonymous("GET", `/u/${url.id.toLowerCase()}`)).status).toBe(404);
  },
  "The service returns the URL exactly as you send it, only with the scheme in lower case.": async (fixture) => {
    const { url } = await shorten(fixture, { target_url: "HTTPS://Example.com:443/%7Ea/../b?q=%41" });
    expect(url.target_url).toBe("https://Example.com:443/%7Ea/../b?q=%41");
  },
  "a moment in the future, at most ten years from now": async ({ as }) => {
    const user = await as();
    const years = (count: number) => new Date(Date.now() + count * 365.2425 * 24 * 3_600_000).toISOString();
    for (const expires_at of [years(-1), years(11)])
      expect(outcome(await user("POST", "/urls", { target_url, expires_at }))).toBe("422 expires_at_invalid");
    expect(outcome(await user("POST", "/urls", { target_url, expires_at: years(9) }))).toBe("201");
  },
  "an absolute `http` or `https` URL (RFC 3986) with a host and without credentials.": async ({ as }) => {
    const user = await as();
    for (const it of ["ftp://example.com/", "javascript:alert(1)", "/posts", "https:///path", "https://user:pass@example.com/"])
      expect([it, outcome(await user("POST", "/urls", { target_url: it }))]).toEqual([it, "400 validation_failed"]);
  },
};
