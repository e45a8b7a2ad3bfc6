import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { withKey } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

const TARGET = "https://example.com/a";
const rowsOf = (ownerId: string) => service.db.shortUrl.count({ where: { ownerId } });

describe("POST /urls with an Idempotency-Key", () => {
  it("returns 201 for one and 422 for the other of two concurrent requests with one key and different bodies", async () => {
    const ada = await service.as();
    const key = withKey();
    const answers = await Promise.all(
      ["https://example.com/1", "https://example.com/2"].map((target_url) => ada("POST", "/urls", { target_url }, key)),
    );
    expect(answers.map((it) => it.status).sort()).toEqual([201, 422]);
    expect(await rowsOf(ada.userId)).toBe(1);
  });

  it("accepts a key again after 72 hours, also with another body", async () => {
    const ada = await service.as();
    const key = randomUUID();
    await ada("POST", "/urls", { target_url: TARGET }, withKey(key));
    const storedKey = await service.db.idempotencyKey.findFirstOrThrow({ where: { key } });
    expect(storedKey.expiresAt.getTime() - storedKey.createdAt.getTime()).toBe(72 * 3_600_000);
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
});

/** Another process on the same database, with an empty cache of credentials. */
async function secondProcess() {
  const second = await startTestService({ ROLE: "api", DATABASE_URL: service.databaseUrl });
  return { as: (authorization: string) => second.anonymous(authorization), [Symbol.asyncDispose]: () => second.close() };
}
