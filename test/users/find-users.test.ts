import { randomUUIDv7 } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { beginErasure } from "../../src/personal-data/service.ts";
import { DELETED_USER_ID } from "../../src/auth/deleted-user.ts";
import type { Body, Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const reader = prepare(() => service.as({ name: "Reader" }));

const find = async (name: string, as: Client = reader) => as("GET", `/users?${new URLSearchParams({ name }).toString()}`);
const namesOf = async (name: string): Promise<string[]> => (await find(name)).body.data.map((it: Body) => it.display_name);

describe("GET /users", () => {
  it.each([
    [sentence('without case and accents: `tomas o` finds "Tomás Oyelaran".'), "tomas o", ["Tomás Oyelaran"]],
    ["without case", "MÜLLER", ["Müller, Jörg"]],
    ["without accents, in the name", "muller, jorg", ["Müller, Jörg"]],
    ["without accents, in the text", "Émile", ["Emile O'Brien"]],
    ["with a decomposed accent", "E\u0301mile", ["Emile O'Brien"]],
    ["with characters that a URL encodes", "emile o'b", ["Emile O'Brien"]],
    ["with a plus sign", "a+b&c", ["A+B&C"]],
    ["by a first name and the space behind it", "emile ", ["Emile O'Brien"]],
    ["not a longer first name, if a space is behind it", "emil ", []],
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
    for (const name of ["Tomás Oyelaran", "Müller, Jörg", "Emile O'Brien", "A+B&C", "Fiona", "Иван", "कुमार"])
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
    expect(refused).toMatchObject(problem(429, "rate_limited", { detail: expect.stringContaining('"searches" of 3') }));
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

it("with USER_DIRECTORY=off GET /users returns 403 directory_disabled for any name, GET of an id returns the profile, and unknown_user doesn't name the unknown ids", async () => {
  await using silent = await startTestService({ ROLE: "api", USER_DIRECTORY: "off" });
  const [ada, yuki] = [await silent.as({ name: "Ada Marsh" }), await silent.as()];
  const profile = { id: ada.userId, display_name: "Ada Marsh", deleted: false, created_at: expect.any(String) };
  for (const reader of [ada, yuki])
    expect(await reader("GET", `/users/${ada.userId}`)).toMatchObject({ status: 200, body: profile });
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

/** By language: a name, and beginnings that a person may type for it. */
const FOUND: readonly (readonly [language: string, name: string, ...beginnings: string[]])[] = [
  ["Greek", "Δήμος Δέλτα", "Δήμος", "δημος", "ΔΗΜΟΣ", "δημοσ", "ΔΉΜΟΣ ΔΈ"],
  ["Greek", "ΓΙΏΡΓΟΣ", "Γιώργος", "γιωργος", "ΓΙΩΡΓΟΣ"],
  ["Greek", "Ἀχιλλεύς", "Αχιλλευς", "ΑΧΙΛΛΕΥΣ"],
  ["German", "Maßmann", "MASSMANN", "MAẞMANN", "massmann", "Mas"],
  ["German", "STRASSER", "Straßer", "straẞer"],
  ["German", "Jäger, Özge", "JÄGER", "jager, oz", "Ja\u0308ger"],
  ["Turkish", "Işık Ofis", "Işık", "IŞIK", "ışık", "isik", "ISIK OFİS"],
  ["Turkish", "İbrahim", "ibrahim", "IBRAHIM", "İBRAHİM", "ıbrahım"],
  ["Turkish", "Çağrı", "cagri", "ÇAĞRI"],
  ["Polish", "Łukasz Żółć", "lukasz zolc", "ŁUKASZ ŻÓŁĆ", "łuk"],
  ["Polish", "LODZ", "Łódź", "łódź"],
  ["Danish", "Søren Ærø", "soren aero", "SØREN ÆRØ", "Soren Ae"],
  ["Norwegian", "Ångstrøm", "angstrom", "ÅNGSTRØM", "A\u030angstr"],
  ["Faroese", "Høgni Ðam", "HOGNI DAM", "høgni ðam"],
  ["Icelandic", "Þórður Guðmundsson", "thordur gud", "ÞÓRÐUR", "þórð"],
  ["Icelandic", "Thelma", "Þelma"],
  ["French", "Œdipe Lefèvre", "oedipe lefevre", "ŒDIPE LEFÈVRE"],
  ["French", "François D’Arçon", "francois d'arcon", "FRANÇOIS D´A", "françois d‘arçon"],
  ["Vietnamese", "Đặng Thị Ngọc", "dang thi ngoc", "ĐẶNG THỊ", "đang"],
  ["Vietnamese", "Nguyễn Phước Ưng", "nguyen phuoc ung", "NGUYỄN PHƯỚC Ư"],
  ["Czech", "Žofie Šťastná", "zofie stastna", "ŽOFIE ŠŤ"],
  ["Slovak", "Ľubomír", "lubomir", "ĽUBOMÍR"],
  ["Croatian", "Đurđa Džaja", "durda dzaja", "ĐURĐA", "Đurđa ǅaja"],
  ["Hungarian", "Győző", "gyozo", "GYŐZŐ"],
  ["Romanian", "Ștefan", "stefan", "Ştefan", "ŞTEFAN"],
  ["Spanish", "Íñigo Peña", "inigo pena", "ÍÑIGO PEÑA"],
  ["Catalan", "Gal·la", "gaŀla", "GAL·LA"],
  ["Maltese", "Ħal Għaxaq", "hal ghaxaq", "ĦAL GĦ"],
  ["Northern Sami", "Eaŋŋa Ŧ", "eanna t", "EAŊŊA"],
  ["Lithuanian", "Žydrūnas", "zydrunas", "ŽYDRŪNAS"],
  ["Russian", "Фёдор Майоров", "федор маиоров", "ФЁДОР МАЙОРОВ", "Федор"],
  ["Ukrainian", "Їжакевич", "ЇЖАКЕВИЧ", "їжак"],
  ["Georgian", "ნინო", "ᲜᲘᲜᲝ"],
  ["Armenian", "Արեւիկ", "Արևիկ", "ԱՐԵՒԻԿ"],
  ["Hausa", "Ɗanladi Ƙaura", "danladi kaura", "ɗanladi"],
  ["Hawaiian", "Kaʻahumanu", "ka'ahumanu", "KA’AHU", "ka`ahumanu"],
  ["Irish", "O'Brien", "o’brien", "Oʼbrien", "O‛BRIEN", "o＇b"],
  ["English", "Mary-Jane", "mary‐jane", "MARY‑JANE", "mary–jane", "mary−j", "ma\u00adry-"],
  ["Hebrew", "ג׳ורג׳", "ג'ורג", "ג’ורג"],
  ["Arabic", "أَحمد", "احمد", "أحـمد"],
  ["Persian", "نیک\u200cنام", "نیکنام"],
  ["Japanese", "山田　太郎", "山田 太", "山田\u00a0太郎"],
  ["Japanese", "葛\u{e0100}飾", "葛飾"],
  ["Japanese", "ﾊﾅｺ", "ハナコ"],
  ["Korean", "한지민", "한지", "\u1112\u1161\u11ab지"],
  ["Chinese", "ＷＡＮＧ　Ｗｅｉ", "wang wei"],
];

/** Letters with another case. */
const CASED = /\p{Changes_When_Uppercased}|\p{Changes_When_Lowercased}/u;

/** What another person's name is, although it looks similar. */
const NOT_FOUND: readonly (readonly [name: string, beginning: string])[] = [
  ["が", "かか"],
  ["कुमार", "कम"],
  ["Maßmann", "Masmann"],
  ["O'Brien", "obrien"],
  ["Jäger, Özge", "jaeger"],
  ["ґанок", "ганок"],
  ["Ţest", "thest"],
];

/** The pairs of texts that the database compares as different. */
const differentOf = (pairs: readonly (readonly [string, string])[]) => service.db.$queryRaw`
  SELECT one, other FROM unnest(${pairs.map(([it]) => it)}::text[], ${pairs.map(([, it]) => it)}::text[]) AS pair (one, other)
  WHERE name_search_key(one) <> name_search_key(other)`;

describe("the search for users", () => {
  const SAME =
    'Both texts are compared in Unicode\'s compatibility decomposition (NFKD), without accents and invisible characters, and with full case folding, so `STRASSE` finds "Straße".';
  it(`${sentence(SAME)} ${FOUND.length} names`, async () => {
    for (const [, name] of FOUND) await service.as({ name });
    for (const [language, name, ...beginnings] of FOUND)
      for (const typed of [...beginnings, name])
        expect([language, typed, await namesOf(typed)]).toEqual([language, typed, [name]]);
  });

  it.each(NOT_FOUND)("doesn't find %j by %j", async (name, beginning) => {
    await service.as({ name });
    expect(await namesOf(beginning)).toEqual([]);
  });

  const LISTED = "`ı` and `i`, `æ` and `ae`, `œ` and `oe`, `þ` and `th`, `ð` and `d`, `ŋ` and `n`, `ĸ` and `k`, `ȷ` and `j`";
  const WITH = "`ø`, `ł` and `đ` are `o`, `l` and `d` with a stroke";
  it(`takes as the same ${sentence(LISTED)}. ${sentence(WITH)}`, async () => {
    const listed = [...LISTED.matchAll(/`(\S+)` and `(\S+)`/g)].map(([, one, other]) => [one!, other!] as const);
    expect(listed).toHaveLength(8);
    const stroked = [..."øo łl đd ħh ŧt ƀb ǥg ɓb ɗd ƙk ƴy".split(" ")].map((it) => [it[0]!, it[1]!] as const);
    expect(await differentOf([...listed, ...stroked])).toEqual([]);
  });

  it("compares every letter with its other case as the same. An iota subscript is an accent", async () => {
    const pairs: (readonly [string, string])[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const letter = String.fromCodePoint(code);
      if (!CASED.test(letter) || letter.normalize("NFD").includes("\u0345")) continue;
      for (const other of [letter.toUpperCase(), letter.toLowerCase()]) if (other !== letter) pairs.push([letter, other]);
    }
    expect(pairs.length).toBeGreaterThan(2_700);
    expect(await differentOf(pairs)).toEqual([]);
  });
});

const NO_404 = "There is no 404: an id that belongs to no user, or to none any more, returns `deleted: true` without a name.";
it(sentence(NO_404), async () => {
  const [ada, yuki] = [await service.as(), await service.as()];
  // From the moment of the deletion, while a job still removes what the user had.
  expect(await beginErasure(service.db, ada.userId, async () => undefined)).toBe(true);
  for (const id of [ada.userId, randomUUIDv7(), DELETED_USER_ID]) {
    const { status, body } = await yuki("GET", `/users/${id}`);
    expect([status, body]).toEqual([200, { id, display_name: null, deleted: true, created_at: null }]);
  }
});
