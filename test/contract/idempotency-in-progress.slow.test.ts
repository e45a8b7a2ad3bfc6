import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

describe.each(["1", "10"])("a retry whose first attempt is still running, with %s s for a statement", (seconds) => {
  let service: TestService;
  let ada: Client;
  beforeAll(async () => {
    service = await startTestService({ DATABASE_STATEMENT_TIMEOUT_SECONDS: seconds });
    ada = await service.as();
  });
  afterAll(() => service.close());

  const requests = [
    ["createPost", "/posts", { title: "A plumb line", body: "Hangs still." }],
    ["createUrl", "/urls", { target_url: "https://example.com/" }],
    ["createConversation", "/conversations", { member_ids: [] as string[] }],
    ["createVideoUpload", "/video-uploads", new Uint8Array(10)],
  ] as const;

  // All at once, because each request waits for its lock.
  it("gets 409 idempotency_in_progress with Retry-After from every operation, after waiting for it", async () => {
    const keys = requests.map(([operationId]) => ({ operationId, key: randomUUID() }));
    const taken = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    // The first attempts: they have taken the keys, and their transaction is still open.
    const first = service.db.$transaction(
      async (tx) => {
        for (const { operationId, key } of keys)
          await tx.idempotencyKey.create({
            data: { userId: ada.userId, operationId, key, fingerprint: Buffer.alloc(32), status: 0, headers: {}, body: "" },
          });
        taken.resolve();
        await released.promise;
      },
      { timeout: 30_000 },
    );
    try {
      await Promise.race([taken.promise, first]);
      const guest = await service.as();
      const answers = await Promise.all(
        requests.map(([, path, body], index) =>
          ada("POST", path, "member_ids" in body ? { member_ids: [guest.userId] } : body, {
            headers: { "Idempotency-Key": keys[index]!.key },
          }),
        ),
      );
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
    } finally {
      released.resolve();
      await first;
    }
  });

  it("gets 503 if it waits for a lock other than the key", async () => {
    const guest = await service.as();
    await using holder = await hold(service.databaseUrl, "SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [guest.userId]);
    const opening = ada(
      "POST",
      "/conversations",
      { member_ids: [guest.userId] },
      { headers: { "Idempotency-Key": randomUUID() } },
    );
    await holder.blocks(1);
    expect(await opening).toMatchObject({ status: 503, body: { code: "unavailable" } });
    // The post waits for its author's row after it has claimed its key in the same statement.
    await using own = await hold(service.databaseUrl, "SELECT 1 FROM users WHERE id = $1 FOR UPDATE", [ada.userId]);
    const posting = ada("POST", "/posts", { title: "A plumb line", body: "x" }, { headers: { "Idempotency-Key": randomUUID() } });
    await own.blocks(1);
    expect(await posting).toMatchObject({ status: 503, body: { code: "unavailable" } });
  });
});
