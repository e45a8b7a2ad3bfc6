import { hash } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { type Db, transaction } from "../../src/database/client.ts";
import { createClickCounter } from "../../src/urls/clicks.ts";
import { chosenDays, dayOf, eachDay } from "../../src/urls/days.ts";
import { addClicks, purgeClickDays } from "../../src/urls/store.ts";
import { eventually, usedBeforeExpiry } from "../support/eventually.ts";
import type { Client, Body } from "../support/client.ts";
import { rawRequest } from "../support/raw-http.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { sized } from "../support/size.ts";
import { startTestService } from "../support/service.ts";
import { eventuallyWaiting, hold } from "../support/locks.ts";
import { shortened as shortenedAt } from "./support/urls.ts";

/** A database that can be unavailable or lose the response to a COMMIT, and that records the clicks written to it. */
function recorder() {
  const state = {
    isAway: false,
    losesCommit: false,
    outcome: "committed" as "committed" | "aborted" | "in progress",
    failures: 0,
    questions: 0,
    written: new Map<string, number>(),
    writtenDays: new Map<string, number>(),
    lastAts: new Map<string, string>(),
    /** Called during a write that fails. */
    meanwhile: (): void => undefined,
  };
  const commit = (ids: readonly string[], counts: readonly number[], lastAts: readonly string[], day: string) => {
    for (const [index, id] of ids.entries()) {
      state.written.set(id, (state.written.get(id) ?? 0) + counts[index]!);
      state.writtenDays.set(`${id} ${day}`, (state.writtenDays.get(`${id} ${day}`) ?? 0) + counts[index]!);
      state.lastAts.set(id, lastAts[index]!);
    }
  };
  const db = {
    async $queryRawUnsafe() {
      if (state.isAway) throw new Error("away");
      state.questions++;
      return [{ status: state.outcome }];
    },
    async $transaction(work: (tx: object) => Promise<void>) {
      let written: Parameters<typeof commit> = [[], [], [], ""];
      const $queryRawUnsafe = async (_text: string, ...values: typeof written) => {
        if (state.isAway) {
          state.meanwhile();
          throw new Error("away");
        }
        written = values;
        return [{ transactionId: "7" }];
      };
      await work({ $queryRawUnsafe }).catch((error: unknown) => {
        state.failures++;
        throw error;
      });
      if (!state.losesCommit || state.outcome === "committed") commit(...written);
      if (!state.losesCommit) return;
      state.losesCommit = false;
      state.failures++;
      throw new Error("Connection terminated");
    },
  };
  return { state, counter: createClickCounter(db as unknown as Db, pino({ level: "silent" })) };
}

// Most of them wait for the next write, so they run at once.
describe("the click counter", () => {
  it.concurrent("writes each click exactly once after a failed write", async () => {
    const { state, counter } = recorder();
    state.isAway = true;
    for (const id of ["a", "b", "a"]) counter.count(id);
    await eventually("a write fails", async () => state.failures > 0);
    state.isAway = false;
    counter.count("a");
    await counter.close();
    expect([...state.written]).toEqual([
      ["a", 3],
      ["b", 1],
    ]);
  });

  it.concurrent.each(["committed", "aborted"] as const)(
    "writes each click exactly once if the response to a COMMIT is lost, and the transaction is found %s when it has ended",
    async (outcome) => {
      const { state, counter } = recorder();
      Object.assign(state, { losesCommit: true, outcome });
      counter.count("a");
      await eventually("a lost answer", () => state.failures === 1);
      state.outcome = "in progress";
      counter.count("a");
      await eventually("two questions", () => state.questions === 2);
      expect(state.written.get("a")).toBe(outcome === "committed" ? 1 : undefined);
      state.outcome = outcome;
      counter.count("a");
      await counter.close();
      expect(state.written.get("a")).toBe(3);
    },
  );

  it.concurrent("writes each click on its own day (UTC), also after midnight and a failed write", async () => {
    const { state, counter } = recorder();
    state.isAway = true;
    const [before, after] = [new Date("2026-11-24T23:59:59.999Z"), new Date("2026-11-25T00:00:00.000Z")];
    for (const at of [before, after, after]) counter.count("a", at);
    counter.count("b", before);
    await eventually("a write fails", async () => state.failures > 0);
    counter.count("a", before);
    state.isAway = false;
    await counter.close();
    expect([...state.writtenDays].sort()).toEqual([
      ["a 2026-11-24", 2],
      ["a 2026-11-25", 2],
      ["b 2026-11-24", 1],
    ]);
  });

  it.concurrent.each([
    ["earlier", "2026-11-24T10:00:00.000Z", "2026-11-24T10:00:01.000Z"],
    ["later", "2026-11-24T10:00:01.000Z", "2026-11-24T10:00:00.000Z"],
  ])("writes the time of the latest click, also if the write of an %s one has failed", async (_what, failed, other) => {
    const { state, counter } = recorder();
    state.isAway = true;
    state.meanwhile = () => {
      counter.count("a", new Date(other));
      state.meanwhile = () => undefined;
    };
    counter.count("a", new Date(failed));
    await eventually("a write fails", async () => state.failures > 0);
    state.isAway = false;
    await counter.close();
    expect([state.written.get("a"), state.lastAts.get("a")]).toEqual([2, "2026-11-24T10:00:01.000Z"]);
  });

  it("stores clicks of at most 100,000 URLs while the database is away", async () => {
    const { state, counter } = recorder();
    for (let index = 0; index < 100_010; index++) counter.count(`url-${index}`);
    counter.count("url-1");
    await counter.close();
    expect(state.written.size).toBe(100_000);
    expect(state.written.get("url-1")).toBe(2);
  });
});

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://www.example.org/doors?from=newsletter#top";

const urlOf = async (owner: Client, id: string) => (await owner("GET", `/urls/${id}`)).body;
/** Clicks are counted in order, so a counted click means that all earlier ones are counted. */
const countedUpTo = (owner: Client, id: string, count: number) =>
  eventually(`${count} clicks on ${id}`, async () => ((await urlOf(owner, id)).click_count >= count ? urlOf(owner, id) : null));

describe("GET /u/{id}", () => {
  const SHARE = sentence("Creates a short URL that redirects to `target_url`. You can share it as soon as you get the response.");
  it(`${SHARE} ${sentence("The redirect is always a 302, so browsers don't cache it.")}`, async () => {
    const { link: path } = await shortened();
    const followed = await service.anonymous()("GET", path);
    expect(followed).toMatchObject({ status: 302, text: "" });
    expect(
      Object.fromEntries(
        ["location", "cache-control", "x-robots-tag", "referrer-policy"].map((name) => [name, followed.headers.get(name)]),
      ),
    ).toEqual({ location: TARGET, "cache-control": "no-store", "x-robots-tag": "noindex", "referrer-policy": "no-referrer" });
    expect(followed.headers.has("ratelimit")).toBe(false);
  });

  const QUERY = sentence("Unknown query parameters are ignored, and the query is not passed on to the target.");
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
  ])(`${QUERY} ?%s`, async (query) => {
    const { link: path } = await shortened();
    const followed = await service.anonymous()("GET", `${path}?${query}`);
    expect(followed).toMatchObject({ status: 302 });
    expect(followed.headers.get("location")).toBe(TARGET);
  });

  const TYPED =
    "An address works as people type it and copy it from a sentence: with `/U/`, with more slashes beside `u` and the id, and with punctuation, symbols and spaces after the id.";
  it(`${sentence(TYPED)} ${sentence("Only `-` and `_` there belong to the id.")}`, async () => {
    const { ada, link: path, id } = await shortened();
    const odd = await shortened({ id: `odd-${id}-_` });
    const follow = async (target: string) => {
      const { status, headers } = await rawRequest(service.anonymous(), service.url, { method: "GET", path: target });
      return [target, status, headers.get("location")];
    };
    const beside = [`/U/${id}`, `/${path}`, `//u//${id}`, `${path}/`, `/U/${id}//`];
    const behind = [...".,;:!'\"*)>]}…。，”»›|~`$+"];
    const followed = [
      ...beside,
      ...[...behind, ").", "%20", "%E2%80%8B", "%C2%A0", "%3E."].map((it) => `${path}${it.startsWith("%") ? it : encodeURI(it)}`),
    ];
    for (const target of followed) expect(await follow(target)).toEqual([target, 302, TARGET]);
    expect(await countedUpTo(ada, id, followed.length)).toMatchObject({ click_count: followed.length });
    for (const target of [odd.link, `${odd.link}.`]) expect(await follow(target)).toEqual([target, 302, TARGET]);
    for (const target of [`${path}-`, `${path}_.`]) expect(await follow(target)).toEqual([target, 404, null]);
    for (const target of [`${path}.html`, `${path}.a`, `/u/%28${id}`, "/u/...!"])
      expect(await follow(target)).toEqual([target, 400, null]);
    for (const target of [`${path}/x`, `/x/${path}`, `/uu/${id}`]) expect(await follow(target)).toEqual([target, 404, null]);
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
    expect(await urlOf(ada, id)).toMatchObject({ click_count: 2, last_clicked_at: later.toISOString() });
  });

  it(sentence("Shortening the same target twice creates two short URLs, each with its own click count."), async () => {
    const [one, two] = [await shortened(), await shortened()];
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => service.anonymous()("GET", index % 4 === 0 ? one.link : two.link)),
    );
    expect(await countedUpTo(one.ada, one.id, 50)).toMatchObject({ click_count: 50 });
    expect(await countedUpTo(two.ada, two.id, 150)).toMatchObject({ click_count: 150 });
  });

  it("writes the counted clicks when the service stops", async () => {
    const { ada, id, link: path } = await shortened();
    const second = await startTestService({ ROLE: "api", DATABASE_URL: service.databaseUrl });
    for (let click = 0; click < 5; click++) await second.anonymous()("GET", path);
    await second.close();
    expect(await urlOf(ada, id)).toMatchObject({ click_count: 5 });
  });

  it.concurrent("redirects until the expiry, and then returns 410 gone", async () => {
    const {
      expires_at,
      answer: followed,
      path,
    } = await usedBeforeExpiry(async (expiresAt) => {
      const { link: path } = await shortened({ expires_at: expiresAt.toISOString() });
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

  const STAYS =
    "It stays after you delete the short URL, and ends only with your account: then, following the short URL returns 410.";
  // What the end of an account does is in test/personal-data/.
  it(`${sentence(STAYS)} Also in a browser, and never before`, async () => {
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
    for (const { link: path } of [expired, deleted]) expect(await location(path)).toEqual(to(TARGET));
    await service.db.shortUrl.update({ where: { id: expired.id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    await deleted.ada("DELETE", `/urls/${deleted.id}`);
    for (const { link: path } of [expired, deleted])
      for (const accept of ["*/*", "text/html", "application/json"])
        expect([accept, await location(path, { Accept: accept })]).toEqual([accept, to(expired_url)]);
    // An expired one that is deleted leads to the same target.
    await expired.ada("DELETE", `/urls/${expired.id}`);
    expect(await location(expired.link)).toEqual(to(expired_url));
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
        [deleted.link, 410],
        [expired.link, 410],
        ["/u/unknown-canary", 404],
        ["/u/not!an-id-canary", 400],
      ] as const;
    }
    const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      rawRequest(service.anonymous(), service.url, { method, path, headers });

    const PAGE = sentence("If `Accept` prefers `text/html`, as in a browser, the body is a small page.");
    it(`${PAGE} It has no scripts, no requests to other hosts, and nothing from the request`, async () => {
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

    const GONE = "A deleted or expired short URL without an `expired_url` returns 410, an id that was never used returns 404.";
    it(`${sentence(GONE)} Clients that don't prefer HTML get the same problem as without Accept`, async () => {
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

    const ONE_PAGE =
      "Every response with a status of 400 or above has this format, except the page that a browser gets from `followUrl`.";
    it(sentence(ONE_PAGE), async () => {
      const paths = ["/nothing", "/u/unknown/more", "/posts/x", "/urls/unknown"];
      for (const path of paths)
        expect((await get(path, { Accept: BROWSER })).headers.get("content-type")).toBe(
          "application/problem+json; charset=utf-8",
        );
    });
  });
});

const daysAgo = (days: number) => dayOf(new Date(Date.now() - days * 86_400_000));

async function shortened(request: object = {}) {
  const made = await shortenedAt(service, request);
  return { ...made, clicks: (query = "") => made.ada("GET", `${made.path}/clicks${query}`) };
}

const follow = (id: string, method = "GET") => service.anonymous()(method, `/u/${id}`);
const rowsOf = (shortUrlId: string) => service.db.clickDay.findMany({ where: { shortUrlId } });
const write = (id: string, day: string, count: number) =>
  transaction(service.db, (tx) => addClicks(tx, day, [{ id, count, lastAt: new Date(`${day}T12:00:00Z`) }]));
const refused = (pointer: string, detail: RegExp) => ({
  status: 422,
  body: { code: "days_not_available", errors: [{ in: "query", pointer, detail: expect.stringMatching(detail) }] },
});

describe("GET /urls/{id}/clicks", () => {
  it("returns one entry for each of the last 30 days, today included, all of them 0 for a new short URL", async () => {
    const { clicks } = await shortened();
    const { status, body } = await clicks();
    expect(status).toBe(200);
    expect([daysAgo(0), daysAgo(1)]).toContain(body.to);
    expect(body.days.map((it: Body) => it.date)).toEqual(eachDay({ from: body.from, to: body.to }));
    expect(body.days).toHaveLength(30);
    expect(body).toMatchObject({ from: body.days[0].date, click_count: 0 });
    expect(body.days.every((it: Body) => it.click_count === 0)).toBe(true);
  });

  const CLICK = sentence("Every GET that leads to the target counts as one click. HEAD doesn't count.");
  it.each([{ expired_url: "https://example.com/over" }, {}])(`${CLICK} After the expiry, no GET counts: %j`, async (extra) => {
    const { id, path, ada, clicks } = await shortened(extra);
    const before = new Date().toISOString();
    for (const method of ["GET", "HEAD", "GET", "GET"]) expect(await follow(id, method)).toMatchObject({ status: 302 });
    await eventually("three clicks", async () => (await ada("GET", path)).body.click_count === 3);
    await service.db.shortUrl.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect((await follow(id)).headers.get("location")).toBe(extra.expired_url ?? null);
    const other = await shortened();
    await follow(other.id);
    // Clicks are counted in order, so a counted click means that all earlier ones are counted.
    await eventually("a later click", async () => (await other.clicks()).body.click_count === 1);
    const { body } = await clicks();
    expect(body.click_count).toBe(3);
    expect(body.days.reduce((sum: number, it: Body) => sum + it.click_count, 0)).toBe(3);
    const { body: url } = await ada("GET", path);
    expect(url.click_count).toBe(3);
    expect(url.last_clicked_at >= before && url.last_clicked_at <= new Date().toISOString()).toBe(true);
  });

  it(`${sentence("Days are kept for 400 days, today included.")} You get those that you ask for, with their sum`, async () => {
    const { id, clicks } = await shortened();
    for (const [days, count] of [
      [399, 5],
      [31, 7],
      [1, 2],
    ] as const)
      await write(id, daysAgo(days), count);
    const { body: all } = await clicks(`?from=${daysAgo(399)}`);
    expect([all.days.length, all.days[0], all.click_count]).toEqual([400, { date: daysAgo(399), click_count: 5 }, 14]);
    expect((await clicks()).body.click_count).toBe(2);
    const { body: one } = await clicks(`?from=${daysAgo(31)}&to=${daysAgo(31)}`);
    expect(one).toEqual({ from: daysAgo(31), to: daysAgo(31), click_count: 7, days: [{ date: daysAgo(31), click_count: 7 }] });
    // The usual 30 days before `to`, as far as they are stored.
    expect((await clicks(`?to=${daysAgo(395)}`)).body).toMatchObject({ from: daysAgo(399), to: daysAgo(395), click_count: 5 });
  });

  it("returns 422 days_not_available for days before the retention, in the future, in the wrong order, or in no calendar", async () => {
    const { clicks } = await shortened();
    expect(await clicks(`?from=${daysAgo(401)}`)).toMatchObject(refused("/from", /not kept/));
    expect(await clicks(`?to=${daysAgo(401)}`)).toMatchObject(refused("/to", /not kept/));
    expect(await clicks(`?to=${daysAgo(-2)}`)).toMatchObject(refused("/to", /today in UTC/));
    expect(await clicks(`?from=${daysAgo(-2)}`)).toMatchObject(refused("/from", /today in UTC/));
    expect(await clicks(`?from=${daysAgo(3)}&to=${daysAgo(4)}`)).toMatchObject(refused("/from", /after to/));
    const year = new Date().getUTCFullYear();
    for (const day of [`${year}-02-30`, `${year}-13-01`, `${year}-00-10`, `${year}-01-00`, "0000-00-00"])
      expect([day, await clicks(`?from=${day}`)]).toMatchObject([day, refused("/from", /day of the calendar/)]);
  });
});

describe("the days with clicks", () => {
  it(`${sentence("When you delete the short URL, its days are deleted too.")} Also those that are written at the same time`, async () => {
    const { id, ada, path, clicks } = await shortened();
    await write(id, daysAgo(1), 1);
    // Another user doesn't learn which days are stored.
    expect((await (await service.as())("GET", `${path}/clicks?from=2001-01-01`)).status).toBe(404);
    const [written, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const writing = transaction(service.db, async (tx) => {
      await addClicks(tx, daysAgo(0), [{ id, count: 2, lastAt: new Date() }]);
      written.resolve();
      await goOn.promise;
    });
    await written.promise;
    const deleting = ada("DELETE", path);
    await eventuallyWaiting(service.databaseUrl, 1);
    goOn.resolve();
    await writing;
    expect(await deleting).toMatchObject({ status: 204 });
    expect(await rowsOf(id)).toEqual([]);
    expect((await clicks()).status).toBe(404);
  });

  it("are not written for a short URL that is deleted while the clicks wait to be written", async () => {
    const { id } = await shortened();
    const other = await shortened();
    await using deletion = await hold(service.databaseUrl, "UPDATE short_urls SET deleted_at = now() WHERE id = $1", [id]);
    const counting = transaction(service.db, (tx) =>
      addClicks(
        tx,
        daysAgo(0),
        [id, other.id].sort().map((it) => ({ id: it, count: 1, lastAt: new Date() })),
      ),
    );
    await deletion.blocks(1);
    await deletion.query("COMMIT");
    await counting;
    expect(await rowsOf(id)).toEqual([]);
    expect(await rowsOf(other.id)).toMatchObject([{ clickCount: 1n }]);
    expect(await service.db.shortUrl.findUnique({ where: { id } })).toMatchObject({ clickCount: 0n, lastClickedAt: null });
  });

  it("are removed by the hourly job when they are no longer shown, and no earlier", async () => {
    const { id } = await shortened();
    for (const days of [0, 399, 400, 401, 402, 700]) await write(id, daysAgo(days), 1);
    await purgeClickDays(service.db);
    const left = (await rowsOf(id)).map((it) => dayOf(it.day)).sort();
    expect(left).toEqual([daysAgo(400), daysAgo(399), daysAgo(0)]);
  });

  const ROUNDS = sized(36, 120);
  it("are counted exactly once when many processes write clicks on the same short URLs at once", async () => {
    const ids: string[] = [];
    for (let url = 0; url < 20; url++) ids.push((await shortened()).id);
    ids.sort();
    const rounds = Array.from({ length: ROUNDS }, (_, round) => ids.filter((_id, index) => (index + round) % 3 > 0));
    const lanes = Array.from({ length: 6 }, async (_, lane) => {
      for (const batch of rounds.filter((_batch, round) => round % 6 === lane))
        await transaction(service.db, (tx) =>
          addClicks(
            tx,
            daysAgo(lane % 2),
            batch.map((id) => ({ id, count: 1, lastAt: new Date() })),
          ),
        );
    });
    await Promise.all(lanes);
    for (const id of ids) {
      const [days, url] = [await rowsOf(id), await service.db.shortUrl.findUniqueOrThrow({ where: { id } })];
      expect(days.reduce((sum, it) => sum + it.clickCount, 0n)).toBe(BigInt((ROUNDS * 2) / 3));
      expect(url.clickCount).toBe(BigInt((ROUNDS * 2) / 3));
    }
  });
});

it.each([
  ["the end of February in a leap year", {}, "2028-03-01", { from: "2028-02-01", to: "2028-03-01" }],
  ["a range that crosses a new year", {}, "2027-01-03", { from: "2026-12-05", to: "2027-01-03" }],
  ["400 days with a leap day", { from: "2027-02-05" }, "2028-03-10", { from: "2027-02-05", to: "2028-03-10" }],
])("the days of a request are right around %s", (_what, query, today, days) => {
  expect(chosenDays(query, today)).toEqual(days);
  expect(eachDay(days).at(-1)).toBe(days.to);
  expect(new Set(eachDay(days)).size).toBe((Date.parse(days.to) - Date.parse(days.from)) / 86_400_000 + 1);
});
