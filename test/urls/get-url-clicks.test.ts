import { describe, expect, it } from "@jest/globals";
import { transaction } from "../../src/database/client.ts";
import { chosenDays, dayOf, eachDay } from "../../src/urls/days.ts";
import { addClicks, purgeClickDays } from "../../src/urls/store.ts";
import type { Body } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { eventuallyWaiting, hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://example.com/a";
const daysAgo = (days: number) => dayOf(new Date(Date.now() - days * 86_400_000));

async function shortened(extra: object = {}) {
  const ada = await service.as();
  const { body } = await ada("POST", "/urls", { target_url: TARGET, ...extra });
  const id = body.id as string;
  return { ada, id, path: `/urls/${id}`, clicks: (query = "") => ada("GET", `/urls/${id}/clicks${query}`) };
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

  it("counts each GET that leads to the target on its day, neither HEAD nor a GET that leads to the expired_url", async () => {
    const { id, path, ada, clicks } = await shortened({ expired_url: "https://example.com/over" });
    for (const method of ["GET", "HEAD", "GET", "GET"]) expect(await follow(id, method)).toMatchObject({ status: 302 });
    await eventually("three clicks", async () => (await ada("GET", path)).body.click_count === 3);
    await service.db.shortUrl.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect((await follow(id)).headers.get("location")).toBe("https://example.com/over");
    const other = await shortened();
    await follow(other.id);
    // Clicks are counted in order, so a counted click means that all earlier ones are counted.
    await eventually("a later click", async () => (await other.clicks()).body.click_count === 1);
    const { body } = await clicks();
    expect(body.click_count).toBe(3);
    expect(body.days.reduce((sum: number, it: Body) => sum + it.click_count, 0)).toBe(3);
    expect((await ada("GET", path)).body.click_count).toBe(3);
  });

  it("returns the days from `from` to `to`, up to 400 of them, with the sum of their clicks", async () => {
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

  it("returns 404 to another user, also for days that are refused, and to the owner after the deletion", async () => {
    const { id, ada, path, clicks } = await shortened();
    const other = await service.as();
    for (const query of ["", "?from=2001-01-01"])
      expect(await other("GET", `/urls/${id}/clicks${query}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
    await ada("DELETE", path);
    expect(await clicks()).toMatchObject({ status: 404 });
  });
});

describe("the days with clicks", () => {
  it("are removed with their short URL, also those that are written at the same time", async () => {
    const { id, ada, path } = await shortened();
    await write(id, daysAgo(1), 1);
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

  it("are counted exactly once when many processes write clicks on the same short URLs at once", async () => {
    const ids: string[] = [];
    for (let url = 0; url < 20; url++) ids.push((await shortened()).id);
    ids.sort();
    const rounds = Array.from({ length: 120 }, (_, round) => ids.filter((_id, index) => (index + round) % 3 > 0));
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
      expect(days.reduce((sum, it) => sum + it.clickCount, 0n)).toBe(80n);
      expect(url.clickCount).toBe(80n);
    }
  });
});

describe("the days of a request", () => {
  it.each([
    ["the end of February in a leap year", {}, "2028-03-01", { from: "2028-02-01", to: "2028-03-01" }],
    ["a range that crosses a new year", {}, "2027-01-03", { from: "2026-12-05", to: "2027-01-03" }],
    ["400 days with a leap day", { from: "2027-02-05" }, "2028-03-10", { from: "2027-02-05", to: "2028-03-10" }],
  ])("are right around %s", (_what, query, today, days) => {
    expect(chosenDays(query, today)).toEqual(days);
    expect(eachDay(days).at(-1)).toBe(days.to);
    expect(new Set(eachDay(days)).size).toBe((Date.parse(days.to) - Date.parse(days.from)) / 86_400_000 + 1);
  });
});
