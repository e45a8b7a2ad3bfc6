import { describe, expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import type { Body, Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const reader = prepare(() => service.as({ name: "Reader" }));

const find = async (name: string, as: Client = reader) => as("GET", `/users?${new URLSearchParams({ name }).toString()}`);
const namesOf = async (name: string): Promise<string[]> => (await find(name)).body.data.map((it: Body) => it.display_name);

describe("GET /users", () => {
  it.each([
    ["without case", "MÜLLER", ["Müller, Jörg"]],
    ["without accents, in the name", "muller, jorg", ["Müller, Jörg"]],
    ["without accents, in the text", "Émile", ["Emile O'Brien"]],
    ["with a decomposed accent", "E\u0301mile", ["Emile O'Brien"]],
    ["with characters that a URL encodes", "emile o'b", ["Emile O'Brien"]],
    ["with a plus sign", "a+b&c", ["A+B&C"]],
    ["by the whole name", "Emile O'Brien", ["Emile O'Brien"]],
    ["by compatible forms of letters", "ﬁona", ["Fiona"]],
    ["in Cyrillic", "ИВАН", ["Иван"]],
    ["with signs of vowels in Devanagari", "कुमार", ["कुमार"]],
    ["not by the middle of a name", "brien", []],
    ["not by a pattern", "%mile", []],
    ["not by an underscore", "_mile", []],
    ["not by accents alone", "\u0301\u0301", []],
    ["not by one letter with an accent", "e\u0301", []],
    ["not the user that deleted users share", "a deleted", []],
  ])("finds %s: %s", async (_what, text, found) => {
    for (const name of ["Müller, Jörg", "Emile O'Brien", "A+B&C", "Fiona", "Иван", "कुमार"])
      if ((await service.db.user.count({ where: { displayName: name } })) === 0) await service.as({ name });
    expect(await namesOf(text)).toEqual(found);
  });

  it("returns at most 20 in the order of their names, and whether there are more, without deleted users", async () => {
    const numbers = Array.from({ length: 20 }, (_, n) => `${n % 2 === 0 ? "Čapek" : "capek"} ${String(n).padStart(2, "0")}`);
    for (const name of numbers.toReversed()) await service.as({ name });
    const all = await find("čapek");
    expect([all.body.data.map((it: Body) => it.display_name), all.body.truncated]).toEqual([numbers, false]);
    const late = await service.as({ name: "Capek 98" });
    expect((await find("capek")).body).toEqual({ data: all.body.data, truncated: true });
    await beginErasure(service.db, late.userId, async () => undefined);
    expect((await find("capek")).body).toEqual(all.body);
    expect(await namesOf("capek 98")).toEqual([]);
  });

  it("returns a user under the new name alone as soon as PATCH /account has returned", async () => {
    const ada = await service.as({ name: "Zebra Before" });
    await ada("PATCH", "/account", { display_name: "Zebra After" });
    expect(await namesOf("zebra")).toEqual(["Zebra After"]);
  });
});

describe("the second rate limit of GET /users", () => {
  const limited = (RATE_LIMITS: string, more: Readonly<Record<string, string>> = {}) =>
    startTestService({ ROLE: "api", RATE_LIMITS, ...more });
  const policies = '"directory";q=30;w=60, "searches";q=3;w=86400';

  it("refuses a user who has searched too often in a day, through any process, but none of their other requests", async () => {
    await using one = await limited("searches=3/86400");
    await using other = await limited("searches=3/86400", { DATABASE_URL: one.databaseUrl });
    const ada = await one.as();
    for (const [left, as] of [ada, other.anonymous(ada.authorization), ada].map((it, n) => [2 - n, it] as const)) {
      const { status, headers } = await find("ada", as);
      expect([status, headers.get("ratelimit-policy")]).toEqual([200, policies]);
      expect(headers.get("ratelimit")).toMatch(new RegExp(`^"directory";r=\\d+;t=\\d+, "searches";r=${left};t=\\d+$`));
    }
    const refused = await find("ada", other.anonymous(ada.authorization));
    expect(refused).toMatchObject({
      status: 429,
      body: { code: "rate_limited", detail: expect.stringContaining('"searches" of 3') },
    });
    expect(refused.headers.get("ratelimit")).toMatch(/^"directory";r=26;t=\d+, "searches";r=0;t=\d+$/);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(86_000);
    expect(seconds).toBeLessThanOrEqual(86_400);
    expect(await ada("GET", `/users/${ada.userId}`)).toMatchObject({ status: 200 });
    expect(await find("ada", await one.as())).toMatchObject({ status: 200 });
  });

  it("doesn't count what the first one refuses", async () => {
    await using strict = await limited("directory=2/60,searches=3/86400");
    const ada = await strict.as();
    const statuses: number[] = [];
    for (let search = 0; search < 6; search++) statuses.push((await find("ada", ada)).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
    const counted = await strict.db.rateLimit.findUnique({ where: { key: `searches:${ada.userId}` } });
    expect(counted?.points).toBe(2);
  });
});

describe("with USER_DIRECTORY=off", () => {
  it("GET /users returns 403 directory_disabled for any name, and unknown_user doesn't name the unknown ids", async () => {
    await using silent = await startTestService({ ROLE: "api", USER_DIRECTORY: "off" });
    const [ada, yuki] = [await silent.as({ name: "Ada Marsh" }), await silent.as()];
    for (const name of ["ada", "no user of this name"])
      expect(await find(name, yuki)).toMatchObject({ status: 403, body: { code: "directory_disabled" } });
    const unknown = ["019d7cdc-5a55-7010-b2e4-5c902909406c", "019d7cdc-5a55-7010-b2e4-5c902909406d"];
    const problems: Body[] = [];
    for (const ids of [[ada.userId, unknown[0]], [unknown[1], ada.userId], unknown]) {
      const { body } = await yuki("POST", "/conversations", { member_ids: ids }, withKey());
      expect(body).toMatchObject({ code: "unknown_user", errors: [{ pointer: "/member_ids" }] });
      problems.push({ ...body, request_id: "" });
    }
    expect(problems).toEqual([problems[0], problems[0], problems[0]]);
  });
});
