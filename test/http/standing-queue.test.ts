import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createStandingQueue } from "../../src/http/limits/standing-queue.ts";
import type { Answer } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { keepConnection } from "../support/keep-alive.ts";
import { hold } from "../support/locks.ts";
import { startTestService, type TestService } from "../support/service.ts";

describe("a queue", () => {
  let nowMs = 0;
  let length = 0;
  const queueOf = (maxWaitMs: number) => {
    [nowMs, length] = [0, 0];
    return createStandingQueue({ length: () => length, usualLength: 10, maxWaitMs, nowMs: () => nowMs });
  };

  it("has no limit while it is short, and none for a burst of 100 ms", () => {
    const queue = queueOf(50);
    for (nowMs = 0; nowMs < 1_000; nowMs += 10) {
      length = nowMs % 100 === 0 ? 10 : 400;
      expect(queue.limit()).toBeNull();
    }
  });

  it("has a limit when it is long for 100 ms: as many requests as end within the wait that is allowed", () => {
    const queue = queueOf(50);
    for (nowMs = 0; nowMs < 2_000; nowMs++) {
      length = 400;
      for (let ended = 0; ended < 4; ended++) queue.onEnded();
      const limit = queue.limit();
      if (nowMs < 100) expect(limit).toBeNull();
      else expect(limit!.waiting).toBe(400);
      if (nowMs > 1_000) expect(limit!.most).toBeCloseTo(200, -1);
    }
    length = 10;
    expect(queue.limit()).toBeNull();
  });

  it("lets as many wait as is usual, however slow the service is", () => {
    const queue = queueOf(50);
    for (; nowMs < 1_000; nowMs += 10) {
      length = 11;
      queue.limit();
    }
    expect(queue.limit()).toEqual({ waiting: 11, most: 10 });
  });
});

describe("a service whose only connection to the database is held by one request", () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startTestService({ ROLE: "api", DATABASE_POOL_SIZE: "1", DATABASE_POOL_TIMEOUT_SECONDS: "30" });
  });
  afterEach(() => service.close());

  it("returns 503 with Retry-After at once when a queue stands, answers what waits, and refuses nothing afterwards", async () => {
    const [ada, ben] = [await service.as(), await service.as()];
    for (const user of [ada, ben]) expect(await user("GET", "/account")).toMatchObject({ status: 200 });
    await using lock = await hold(service.databaseUrl, "LOCK TABLE posts IN ACCESS EXCLUSIVE MODE");
    const waiting = [ada("GET", "/posts?limit=1")];
    await lock.blocks(1);
    let refused: Answer | null = null;
    // Those that are not refused wait until the lock is released.
    await eventually("a refusal", () => {
      const one = ben("GET", "/urls?limit=1");
      waiting.push(one);
      void one.then((it) => (refused ??= it));
      return refused;
    });
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(refused!.headers.get("retry-after")).toBe("1");
    expect(await service.anonymous()("GET", "/health/live")).toMatchObject({ status: 200 });
    // A client that has to connect again after each refusal makes the overload worse.
    const connection = keepConnection(service.url, `Authorization: ${ben.authorization}\r\n`);
    const body = JSON.stringify({ title: "Refused", body: "before its body is read" });
    const post = await connection.ask("POST /posts", { body });
    expect(post).toMatchObject({ status: 503, connection: "keep-alive" });
    expect(await connection.ask("GET /health/live")).toMatchObject({ status: 200 });
    connection.socket.destroy();
    await lock.release();
    const statuses = (await Promise.all(waiting)).map((it) => it.status);
    expect(new Set(statuses)).toEqual(new Set([200, 503]));
    expect(statuses[0]).toBe(200);
    await eventually("no refusal", async () => (await ben("GET", "/urls?limit=1")).status === 200);
  });
});
