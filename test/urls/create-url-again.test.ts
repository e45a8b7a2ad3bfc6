import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROLE: "api" });
});
afterAll(() => service.close());

const TARGET = "https://example.com/a";
const rowsOf = (ownerId: string) => service.db.shortUrl.count({ where: { ownerId } });
const countOf = (status: number, answers: readonly { status: number }[]) => answers.filter((it) => it.status === status).length;

describe("POST /urls with an Idempotency-Key", () => {
  it("replays the first response, marked as replayed, and creates one short URL", async () => {
    const ada = await service.as();
    const key = withKey();
    const first = await ada("POST", "/urls", { target_url: TARGET }, key);
    const again = await ada("POST", "/urls", { target_url: TARGET }, key);
    expect(first.headers.has("idempotency-replayed")).toBe(false);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("treats a body with other whitespace, escapes and field order as the same request", async () => {
    const ada = await service.as();
    const options = { headers: { "Idempotency-Key": randomUUID(), "Content-Type": "application/json" } };
    const first = await ada("POST", "/urls", '{"target_url":"https://example.com/a","id":"two-spellings"}', options);
    const again = await ada(
      "POST",
      "/urls",
      '{ "id": "two\\u002dspellings",\n "target_url": "https:\\/\\/example.com/a" }',
      options,
    );
    expect(again).toMatchObject({ status: 201, body: { id: first.body.id } });
  });

  it("returns 422 idempotency_key_reused for the same key with another body, and creates nothing", async () => {
    const ada = await service.as();
    const key = withKey();
    await ada("POST", "/urls", { target_url: TARGET }, key);
    for (const body of [{ target_url: "https://example.com/b" }, { target_url: TARGET, id: "another-id" }]) {
      expect(await ada("POST", "/urls", body, key)).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    }
    expect(await rowsOf(ada.userId)).toBe(1);
    expect(await service.anonymous()("GET", "/u/another-id")).toMatchObject({ status: 404 });
  });

  it("creates one short URL for ten concurrent requests with one key, and returns it to all of them", async () => {
    const ada = await service.as();
    const key = withKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ada("POST", "/urls", { target_url: TARGET }, key)));
    expect(new Set(answers.map((it) => `${it.status} ${it.body.id}`)).size).toBe(1);
    expect(countOf(201, answers)).toBe(10);
    expect(answers.filter((it) => it.headers.get("idempotency-replayed") === "true")).toHaveLength(9);
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("returns 201 for one and 422 for the other of two concurrent requests with one key and different bodies", async () => {
    const ada = await service.as();
    const key = withKey();
    const answers = await Promise.all(
      ["https://example.com/1", "https://example.com/2"].map((target_url) => ada("POST", "/urls", { target_url }, key)),
    );
    expect(answers.map((it) => it.status).sort()).toEqual([201, 422]);
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("returns 409 idempotency_in_progress with Retry-After while the first attempt still runs, and 201 later", async () => {
    const ada = await service.as();
    const key = randomUUID();
    const claim =
      "INSERT INTO idempotency_keys (user_id, operation_id, key, fingerprint, status, headers, body) VALUES ($1::uuid, 'createUrl', $2, '', 0, '{}', '')";
    await using first = await hold(service.databaseUrl, claim, [ada.userId, key]);
    const answer = await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    await first.release();
    expect(await ada("POST", "/urls", { target_url: TARGET }, withKey(key))).toMatchObject({ status: 201 });
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("treats a key with and without quotes as the same key", async () => {
    const ada = await service.as();
    const bare = await ada("POST", "/urls", { target_url: TARGET }, withKey("quoted-key-1"));
    const quoted = await ada("POST", "/urls", { target_url: TARGET }, withKey('"quoted-key-1"'));
    expect(quoted).toMatchObject({ status: 201, body: { id: bare.body.id } });
    expect(quoted.headers.get("idempotency-replayed")).toBe("true");
  });

  it("treats the same key of another user as another key", async () => {
    const key = withKey();
    const [mine, theirs] = [
      await (await service.as())("POST", "/urls", { target_url: TARGET }, key),
      await (await service.as())("POST", "/urls", { target_url: "https://example.com/b" }, key),
    ];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(mine.body.id).not.toBe(theirs.body.id);
  });

  it("treats the same key for another operation as another key", async () => {
    const ada = await service.as();
    const key = withKey();
    expect(await ada("POST", "/urls", { target_url: TARGET }, key)).toMatchObject({ status: 201 });
    expect(await ada("POST", "/posts", { title: "A title", body: "A body" }, key)).toMatchObject({ status: 201 });
  });

  it("accepts a key again after 72 hours, also with another body", async () => {
    const ada = await service.as();
    const key = randomUUID();
    await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    const kept = await service.db.idempotencyKey.findFirstOrThrow({ where: { key } });
    expect(kept.expiresAt.getTime() - kept.createdAt.getTime()).toBe(72 * 3_600_000);
    await service.db.idempotencyKey.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    const fresh = await ada("POST", "/urls", { target_url: "https://example.com/b" }, withKey(key));
    expect(fresh).toMatchObject({ status: 201, body: { target_url: "https://example.com/b" } });
    expect(fresh.headers.has("idempotency-replayed")).toBe(false);
    const again = await ada("POST", "/urls", { target_url: "https://example.com/b" }, withKey(key));
    expect(again).toMatchObject({ status: 201, body: { id: fresh.body.id } });
    expect(await rowsOf(ada.userId)).toBe(2);
  });

  it("creates one short URL for five concurrent requests with an expired key", async () => {
    const ada = await service.as();
    const key = randomUUID();
    await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    await service.db.idempotencyKey.updateMany({ where: { key }, data: { expiresAt: new Date(Date.now() - 1_000) } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => ada("POST", "/urls", { target_url: TARGET }, withKey(key))),
    );
    expect(new Set(answers.map((it) => `${it.status} ${it.body.id}`)).size).toBe(1);
    expect(await rowsOf(ada.userId)).toBe(2);
  });

  it("does not store failures, so a corrected request can use the same key", async () => {
    const ada = await service.as();
    const key = withKey();
    await ada("POST", "/urls", { target_url: TARGET, id: "in-use-1" });
    expect(await ada("POST", "/urls", { target_url: TARGET, id: "in-use-1" }, key)).toMatchObject({
      status: 409,
      body: { code: "id_taken" },
    });
    expect(await ada("POST", "/urls", { target_url: TARGET, expires_at: "2000-01-01T00:00:00Z" }, key)).toMatchObject({
      status: 422,
    });
    expect(await ada("POST", "/urls", { target_url: TARGET, id: "in-use-2" }, key)).toMatchObject({
      status: 201,
      body: { id: "in-use-2" },
    });
  });

  it("replays the first response even after the short URL is deleted", async () => {
    const ada = await service.as();
    const key = withKey();
    const first = await ada("POST", "/urls", { target_url: TARGET }, key);
    await ada("DELETE", first.headers.get("location")!);
    expect(await ada("POST", "/urls", { target_url: TARGET }, key)).toMatchObject({ status: 201, body: first.body });
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("returns 403 instead of the replay to a credential without the scope", async () => {
    const ada = await service.as();
    const key = withKey();
    await ada("POST", "/urls", { target_url: TARGET }, key);
    await service.db.apiKey.updateMany({ where: { userId: ada.userId }, data: { scopes: ["urls:read"] } });
    await using fresh = await secondProcess();
    expect(await fresh.as(ada.authorization!)("POST", "/urls", { target_url: TARGET }, key)).toMatchObject({
      status: 403,
      body: { code: "insufficient_scope" },
    });
  });

  it.each([
    ["7 characters", "a".repeat(7)],
    ["129 characters", "a".repeat(129)],
    ["131 characters, quotes included", `"${"a".repeat(129)}"`],
    ["letters and a space", "key with blank"],
    ["letters and a comma", "key-00001,key-00002"],
    ["letters after an opening quote", '"key-00001'],
    ["non-ASCII letters", "schlüssel-1"],
  ])("returns 400 for a key of %s, and creates nothing", async (_what, key) => {
    const ada = await service.as();
    const answer = await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    expect(answer).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "header", pointer: "/idempotency-key" })]),
      },
    });
    expect(await rowsOf(ada.userId)).toBe(0);
  });

  it.each([
    ["8 characters", "a".repeat(8)],
    ["128 characters", "a".repeat(128)],
    ["128 characters in quotes", `"${"b".repeat(128)}"`],
    ["every kind of allowed character", "AZaz09._:~+/=-"],
  ])("accepts a key of %s", async (_what, key) => {
    expect(await (await service.as())("POST", "/urls", { target_url: TARGET }, withKey(key))).toMatchObject({ status: 201 });
  });
});

/** Another process on the same database, with an empty cache of credentials. */
async function secondProcess() {
  const second = await startTestService({ ROLE: "api", DATABASE_URL: service.databaseUrl });
  return { as: (authorization: string) => second.anonymous(authorization), [Symbol.asyncDispose]: () => second.close() };
}
