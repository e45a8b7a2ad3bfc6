import { expect, it } from "@jest/globals";
import { openConversation, send } from "../support/conversations.ts";
import { publish } from "../support/posts.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NULL = sentence("A response always contains every field; a field without a value is `null`.");
const NO_NULL = sentence("In a request, leave a field out instead: `null` returns 400.");
const IDS = sentence("**Ids** are UUIDs of version 7 in lower case, except those of short URLs, which are short codes.");
const TIMES = sentence("**Timestamps** are UTC with exactly three decimals: `2026-11-18T17:20:05.331Z`.");

it(`${NULL} ${NO_NULL}`, async () => {
  const ada = await service.as();
  const request = { target_url: "https://example.com/" };
  expect((await ada("POST", "/urls", request)).body).toMatchObject({ expires_at: null, expired_url: null });
  for (const name of ["expires_at", "expired_url"])
    expect(await ada("POST", "/urls", { ...request, [name]: null })).toMatchObject({
      status: 400,
      body: { code: "validation_failed", errors: [{ pointer: `/${name}` }] },
    });
});

it(`${IDS} ${TIMES}`, async () => {
  const ada = await service.as();
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
  const ada = await service.as();
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

it(sentence("Resolve it against the URL of the request to get a page that explains the code."), async () => {
  const { body } = await (await service.as())("GET", "/posts?limit=0");
  const page = await fetch(new URL(body.type as string, `${service.url}/posts?limit=0`));
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("validation_failed")]);
});
