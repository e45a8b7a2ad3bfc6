import { hash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { createClickCounter } from "../../src/urls/clicks.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { usedBeforeExpiry } from "../support/expiry.ts";
import { rawRequest } from "../support/raw-http.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://www.example.org/doors?from=newsletter#top";

async function shortened(extra: object = {}) {
  const ada = await service.as();
  const { body } = await ada("POST", "/urls", { target_url: TARGET, ...extra });
  return { ada, id: body.id as string, path: `/u/${body.id}` };
}

const clicks = async (owner: Client, id: string) => (await owner("GET", `/urls/${id}`)).body;
/** Clicks are counted in order, so a counted click means that all earlier ones are counted. */
const countedUpTo = (owner: Client, id: string, count: number) =>
  eventually(`${count} clicks on ${id}`, async () => ((await clicks(owner, id)).click_count >= count ? clicks(owner, id) : null));

describe("GET /u/{id}", () => {
  it("returns 302 without a credential, with the target in Location and headers that prevent caching and indexing", async () => {
    const { path } = await shortened();
    const followed = await service.anonymous()("GET", path);
    expect(followed).toMatchObject({ status: 302, text: "" });
    expect(
      Object.fromEntries(
        ["location", "cache-control", "x-robots-tag", "referrer-policy"].map((name) => [name, followed.headers.get(name)]),
      ),
    ).toEqual({ location: TARGET, "cache-control": "no-store", "x-robots-tag": "noindex", "referrer-policy": "no-referrer" });
    expect(followed.headers.has("ratelimit")).toBe(false);
  });

  it.each([
    "utm_source=letter&utm_medium=mail",
    "fbclid=IwAR0_-x",
    "x=1&x=2",
    "a[b]=c",
    "q=;:@!$'()*,",
    "x=%00",
    "%00=x",
    "x=%E0%A4%A",
    "%",
    "__proto__=x",
    "a~b=/",
    "limit=abc",
    "=",
    "&&",
    "q=%F0%9F%94%97",
  ])("redirects to the target without the query that the client appended: ?%s", async (query) => {
    const { path } = await shortened();
    const followed = await service.anonymous()("GET", `${path}?${query}`);
    expect(followed).toMatchObject({ status: 302 });
    expect(followed.headers.get("location")).toBe(TARGET);
  });

  it("counts each GET as a click within a few seconds, and stores the time of the last click", async () => {
    const { ada, id, path } = await shortened();
    const before = new Date().toISOString();
    for (let click = 0; click < 3; click++) await service.anonymous()("GET", path);
    const counted = await countedUpTo(ada, id, 3);
    expect(counted.click_count).toBe(3);
    expect(counted.last_clicked_at >= before && counted.last_clicked_at <= new Date().toISOString()).toBe(true);
  });

  it("keeps the time of the last click when a process writes its earlier clicks after another one's later ones", async () => {
    const { ada, id } = await shortened();
    const log = pino({ level: "silent" });
    const [earlier, later] = [new Date(Date.now() - 60_000), new Date(Date.now() - 30_000)];
    for (const at of [later, earlier]) {
      const counter = createClickCounter(service.db, log);
      counter.count(id, at);
      await counter.close();
    }
    expect(await clicks(ada, id)).toMatchObject({ click_count: 2, last_clicked_at: later.toISOString() });
  });

  it("counts each of 200 concurrent clicks on two short URLs exactly once", async () => {
    const [one, two] = [await shortened(), await shortened()];
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => service.anonymous()("GET", index % 4 === 0 ? one.path : two.path)),
    );
    expect(await countedUpTo(one.ada, one.id, 50)).toMatchObject({ click_count: 50 });
    expect(await countedUpTo(two.ada, two.id, 150)).toMatchObject({ click_count: 150 });
  });

  it("counts no click on an expired short URL", async () => {
    const { ada, id, path } = await shortened();
    const other = await shortened();
    await service.db.shortUrl.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await service.anonymous()("GET", path);
    await service.anonymous()("GET", other.path);
    await countedUpTo(other.ada, other.id, 1);
    expect(await clicks(ada, id)).toMatchObject({ click_count: 0, last_clicked_at: null });
  });

  it("writes the counted clicks when the service stops", async () => {
    const { ada, id, path } = await shortened();
    const second = await startTestService({ ROLE: "api", DATABASE_URL: service.databaseUrl });
    for (let click = 0; click < 5; click++) await second.anonymous()("GET", path);
    await second.close();
    expect(await clicks(ada, id)).toMatchObject({ click_count: 5 });
  });

  it.concurrent("redirects until the expiry, and then returns 410 gone", async () => {
    const {
      expires_at,
      answer: followed,
      path,
    } = await usedBeforeExpiry(async (expiresAt) => {
      const { path } = await shortened({ expires_at: expiresAt.toISOString() });
      return { expires_at: expiresAt.toISOString(), path, answer: await service.anonymous()("GET", path) };
    });
    expect(followed).toMatchObject({ status: 302 });
    const gone = await eventually("the expiry", async () => {
      const answer = await service.anonymous()("GET", path);
      return answer.status === 410 ? answer : null;
    });
    expect(gone.body).toMatchObject({ code: "gone" });
    expect(gone.headers.has("location")).toBe(false);
    expect(new Date().toISOString() >= expires_at).toBe(true);
  });

  it("redirects to the expired_url after the expiry and after the deletion, also in a browser, and never before", async () => {
    const expired_url = "https://www.example.org/over?x=1#top";
    const [expired, deleted] = [await shortened({ expired_url }), await shortened({ expired_url })];
    const location = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const { status, headers: got, text } = await service.anonymous()("GET", path, undefined, { headers });
      return [
        status,
        got.get("location"),
        text,
        ...["cache-control", "x-robots-tag", "referrer-policy"].map((it) => got.get(it)),
      ];
    };
    const to = (url: string) => [302, url, "", "no-store", "noindex", "no-referrer"];
    for (const { path } of [expired, deleted]) expect(await location(path)).toEqual(to(TARGET));
    await service.db.shortUrl.update({ where: { id: expired.id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await deleted.ada("DELETE", `/urls/${deleted.id}`);
    for (const { path } of [expired, deleted])
      for (const accept of ["*/*", "text/html", "application/json"])
        expect([accept, await location(path, { Accept: accept })]).toEqual([accept, to(expired_url)]);
    // An expired one that is deleted leads to the same target.
    await expired.ada("DELETE", `/urls/${expired.id}`);
    expect(await location(expired.path)).toEqual(to(expired_url));
  });

  describe("for a short URL that leads nowhere", () => {
    const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";
    const PROGRAMS = [
      "*/*",
      "application/json",
      "application/json, text/plain, */*",
      "text/html, application/json;q=0.5",
      "application/problem+json,text/html",
      "text/html;q=0",
      "*/*, text/html;q=0.1",
      "image/*",
      "text/plain",
    ];
    /** Short URLs with the status that following them returns. */
    async function dead() {
      const [deleted, expired] = [await shortened(), await shortened()];
      await deleted.ada("DELETE", `/urls/${deleted.id}`);
      await service.db.shortUrl.update({ where: { id: expired.id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
      return [
        [deleted.path, 410],
        [expired.path, 410],
        ["/u/unknown-canary", 404],
        ["/u/not!an-id-canary", 400],
      ] as const;
    }
    const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      rawRequest(service.anonymous(), service.url, { method, path, headers });

    it("returns a page to a browser, without scripts, requests to other hosts or anything from the request", async () => {
      for (const [path, status] of await dead()) {
        const page = await get(`${path}?canary=1`, { Accept: BROWSER, Referer: "https://canary.example/" });
        expect([path, page.status, page.headers.get("content-type")]).toEqual([path, status, "text/html; charset=utf-8"]);
        expect(page.text).toContain(status === 410 ? "This short link no longer works" : "This short link does not exist");
        expect(page.text).not.toMatch(/canary|<script|https?:\/\/(?!www\.w3\.org\/2000\/svg)|\son\w+=/);
        const [, style] = /<style>([^]*)<\/style>/.exec(page.text)!;
        expect(page.headers.get("content-security-policy")).toBe(
          `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-${hash("sha256", style!, "base64")}'; img-src data:`,
        );
        expect([page.headers.get("cache-control"), page.headers.get("vary")]).toEqual(["no-store", "Accept"]);
        const head = await get(path, { Accept: BROWSER }, "HEAD");
        expect([head.status, head.text, head.headers.get("content-length")]).toEqual([
          status,
          "",
          String(Buffer.byteLength(page.text)),
        ]);
      }
    });

    it("returns the same problem as without Accept to every client that doesn't prefer HTML", async () => {
      const withoutId = (text: string) => text.replace(/"request_id":"[^"]+"/, "");
      for (const [path, status] of await dead()) {
        const usual = await get(path);
        expect([usual.status, JSON.parse(usual.text).status]).toEqual([status, status]);
        for (const accept of PROGRAMS) {
          const { headers, text } = await get(path, { Accept: accept });
          expect([accept, headers.get("content-type")]).toEqual([accept, "application/problem+json; charset=utf-8"]);
          expect(withoutId(text)).toBe(withoutId(usual.text));
          expect(headers.get("vary")).toBe("Accept");
        }
      }
    });

    it("returns problems with other statuses and in other areas to browsers, too", async () => {
      const paths = ["/nothing", "/u/unknown/", "/posts/x", "/urls/unknown"];
      for (const path of paths)
        expect((await get(path, { Accept: BROWSER })).headers.get("content-type")).toBe(
          "application/problem+json; charset=utf-8",
        );
    });
  });
});
