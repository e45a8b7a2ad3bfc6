import { describe, expect, it } from "@jest/globals";
import { openConversation, send, withKey } from "../support/conversations.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as({ name: "Ada" }));

const post = async (title: string, body: string) => {
  const { status, body: answer } = await ada("POST", "/posts", { title, body });
  return status === 201
    ? [answer.title, answer.body]
    : [status, ...answer.errors.map((it: Record<string, string>) => [it["code"], it["detail"]])];
};
const codeOf = (character: string) => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

/** Each text after the codes of its characters. */
const named = (texts: readonly string[]) => texts.map((it) => [[...it].map(codeOf).join(" "), it] as const);

describe("a text", () => {
  const BLANK =
    "A text is blank if it has only white space and invisible characters: Unicode's `White_Space` and `Default_Ignorable_Code_Point`, control characters, and U+2800.";
  const blanks = [
    "\u200b",
    "\u2060",
    "\u3164",
    "\u00ad",
    "\ufeff",
    "\u3000",
    "\u2800",
    "\u00a0\u200d",
    "\u{e0020}",
    "\u034f",
    "\x85",
    "\u1160",
  ];
  it.each(named(blanks))(`${sentence(BLANK)} %s`, async (_codes, blank) => {
    for (const answer of [await post("Title", blank), await post(blank, "Body")])
      expect(answer).toEqual([400, ["pattern", expect.stringMatching(/^(title|body) must have something visible\.$/)]]);
    const refused = await ada("POST", "/conversations", { member_ids: [(await service.as()).userId], title: blank }, withKey());
    expect(refused).toMatchObject({ status: 400, body: { detail: "title must have something visible." } });
  });

  it.each(named(["👩‍🔧", "\u00ad-", "क्‍ष", "\u0301", "a\u200b", "🏴\u{e0067}\u{e007f}", "\u202eabc", "ー", "\u200b.", "\ufffd"]))(
    "with something visible is kept as it is: %s",
    async (_codes, text) => expect(await post(text, text)).toEqual([text, text]),
  );

  const LINE = "A line has no U+000A to U+000D, U+0085, U+2028 or U+2029, and doesn't begin with another space than U+0020.";
  it.each(named([..."\n\v\f\r\x85\u2028\u2029"]))(`${sentence(LINE)} %s`, async (_code, lineBreak) => {
    const text = `🪚a${lineBreak}b`;
    const flaw = `title must be a single line: remove ${codeOf(lineBreak)} at character 3.`;
    expect(await post(text, "Body")).toEqual([400, ["pattern", flaw]]);
    expect(await post("Title", text)).toEqual(["Title", text]);
  });

  it.each(named(["\u3000", "\u00a0", "  \u2003", "\ufeff"]))(
    "names the space with which a line can't begin, %s",
    async (_codes, space) => {
      expect(await post(`${space}はじめに`, "Body")).toEqual([
        400,
        ["pattern", `title must not begin with ${codeOf(space.at(-1)!)}.`],
      ]);
      expect(await post("  Title", `${space}はじめに`)).toEqual(["  Title", `${space}はじめに`]);
    },
  );

  it("that an earlier release has stored is returned as it is", async () => {
    const bob = await service.as();
    const conversation = await openConversation(ada, [bob], "Roof");
    const { body: written } = await ada("POST", "/posts", { title: "Title", body: "Body" });
    const title = "a\u2028b";
    await service.db.post.update({ where: { id: written.id }, data: { title, body: "\u200b" } });
    await service.db.conversation.update({ where: { id: conversation.id }, data: { title } });
    expect(await ada("GET", `/posts/${written.id}`)).toMatchObject({ status: 200, body: { title, body: "\u200b" } });
    expect(await ada("GET", conversation.path)).toMatchObject({ status: 200, body: { title } });
    await send(ada, conversation, "Hello");
    const { body } = await bob("GET", "/notifications?kind=message.created");
    expect(body.data[0].title).toBe(`Ada wrote in ${title}`);
  });
});

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const IDS = sentence("**Ids** are UUIDs of version 7 in lower case, except those of short URLs, which are short codes.");
const TIMES = sentence("**Timestamps** are UTC with exactly three decimals: `2026-11-18T17:20:05.331Z`.");

it(`${IDS} ${TIMES}`, async () => {
  const { post } = await publish(ada);
  const conversation = await openConversation(ada, [await service.as()]);
  const { body: message } = await send(ada, conversation, "Hello");
  for (const id of [ada.userId, post.id, conversation.id, message.id]) expect(id).toMatch(UUID_V7);
  for (const at of [post.created_at, post.updated_at, message.created_at])
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { body: url } = await ada("POST", "/urls", { target_url: "https://example.com/" });
  expect(url.id).toMatch(/^[A-Za-z0-9]{8}$/);
});

it("a timestamp on a day that does not exist is 400, and one on a day that exists is read", async () => {
  const on = async (day: string) =>
    (await ada("POST", "/urls", { target_url: "https://example.com/", expires_at: `${day}T00:00:00Z` })).status;
  for (const day of ["2096-02-29", "2400-02-29", "2099-01-31", "2099-04-30", "2099-12-31"])
    // It is more than a year away, which is checked only for a valid timestamp.
    expect([day, await on(day)]).toEqual([day, 422]);
  for (const day of [
    "2097-02-29",
    "2100-02-29",
    "2099-02-30",
    "2099-04-31",
    "2099-11-31",
    "2099-01-32",
    "2099-01-00",
    "2099-13-01",
  ])
    expect([day, await on(day)]).toEqual([day, 400]);
});
