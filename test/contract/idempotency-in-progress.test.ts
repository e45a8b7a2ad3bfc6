import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

describe("a retry whose first attempt is still running", () => {
  let service: TestService;
  let ada: Client;
  beforeAll(async () => {
    service = await startTestService();
    ada = await service.as();
  });
  afterAll(() => service.close());

  it.each([
    ["createPost", "/posts", { title: "A plumb line", body: "Hangs still." }],
    ["createUrl", "/urls", { target_url: "https://example.com/" }],
    ["createConversation", "/conversations", { member_ids: [] as string[] }],
    ["createVideoUpload", "/video-uploads", new Uint8Array(10)],
  ])("is told by %s to come again, after having waited for it", async (operationId, path, body) => {
    const key = randomUUID();
    const payload = "member_ids" in body ? { member_ids: [(await service.as()).userId] } : body;
    // The first attempt: it has taken the key, and its transaction goes on.
    let release = () => undefined as void;
    const released = new Promise<void>((done) => {
      release = done;
    });
    const first = service.db.$transaction(
      async (tx) => {
        await tx.idempotencyKey.create({
          data: { userId: ada.userId, operationId, key, fingerprint: Buffer.alloc(32), status: 0, headers: {}, body: "" },
        });
        await released;
      },
      { timeout: 20_000 },
    );
    try {
      const answer = await ada("POST", path, payload, { headers: { "Idempotency-Key": key } });
      expect(answer).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    } finally {
      release();
      await first;
    }
  });

  it("is told 503 when it waits for something else than the key", async () => {
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
  });
});
