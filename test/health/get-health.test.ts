import { describe, expect, it } from "@jest/globals";
import { patient } from "../support/client.ts";
import { forwardBoth, startTcpProxy } from "../support/tcp-proxy.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { crowding } from "../support/processes.ts";
import { startTestService } from "../support/service.ts";

describe("GET /health under load", () => {
  it("returns 200 with the status pass and the version, and queries the database at most once a second for 1,000 concurrent requests", async () => {
    let [probes, all] = [0, 0];
    const database = await createTestDatabase();
    await using proxy = await startTcpProxy(database.url, (client, target) => {
      client.on("data", (bytes) => {
        probes += bytes.toString("latin1").split("SELECT 1\0").length - 1;
      });
      forwardBoth(client, target);
    });
    const service = await startTestService({ ROLE: "api", DATABASE_URL: proxy.url });
    try {
      const answer = await patient(service.anonymous())("GET", "/health");
      const version = answer.headers.get("api-version");
      expect(answer).toMatchObject({ status: 200, body: { status: "pass", version, service_version: version } });
      all += probes;
      // On a busy machine, the database can be too slow for one of the checks, or a request can wait too long.
      await eventually("1,000 answers with 200", async () => {
        probes = 0;
        const startedMs = performance.now();
        const statuses = await Promise.all(
          Array.from(
            { length: 1_000 },
            async () =>
              (
                await service
                  .anonymous()("GET", "/health")
                  .catch(() => null)
              )?.status,
          ),
        );
        const tookSeconds = (performance.now() - startedMs) / 1_000;
        all += probes;
        expect(probes).toBeLessThanOrEqual(1 + Math.ceil(tookSeconds));
        return statuses.every((it) => it === 200);
      });
      // An attempt that follows another one within a second has the result of its query.
      expect(all).toBeGreaterThanOrEqual(1);
    } finally {
      await service.close();
      await database.drop();
    }
  });

  it("returns 200 while other work holds every connection of the pool", async () => {
    const service = await startTestService({ ROLE: "api", DATABASE_POOL_SIZE: "2" });
    const over = Promise.withResolvers<void>();
    try {
      const holders = [1, 2].map(() => {
        const begun = Promise.withResolvers<void>();
        const ended = service.db.$transaction(async (tx) => {
          await tx.$queryRaw`SELECT 2`;
          begun.resolve();
          await over.promise;
        });
        return { begun: begun.promise, ended };
      });
      await Promise.all(holders.map((it) => it.begun));
      expect(await service.anonymous()("GET", "/health")).toMatchObject({ status: 200 });
      over.resolve();
      await Promise.all(holders.map((it) => it.ended));
    } finally {
      over.resolve();
      await service.close();
    }
  });
});

describe("GET /health without a database", () => {
  // It waits for the database, so it runs beside the others.
  it.concurrent(
    "returns 503 with Retry-After within 5 s if the database hangs or is away, and 200 when it is back; /health/live always returns 200",
    async () => {
      await using database = await createTestDatabase();
      await using proxy = await startTcpProxy(database.url);
      await using service = await startTestService({ ROLE: "api", DATABASE_URL: proxy.url }, { url: database.url });
      const anybody = service.anonymous("Bearer wrong");
      const pass = () => eventually("a passing health check", async () => (await anybody("GET", "/health")).status === 200);
      for (const fault of ["freeze", "cut"] as const) {
        await pass();
        const crowdedBefore = crowding();
        // Timed from the start of the outage, because the result of the last check is valid for a second.
        await proxy[fault]();
        const startedMs = performance.now();
        const answer = await eventually("a failing health check", async () => {
          const it = await anybody("GET", "/health");
          return it.status === 200 ? null : it;
        });
        const tookMs = performance.now() - startedMs;
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        expect(tookMs).toBeLessThan(5_000 * Math.max(crowdedBefore, crowding()));
        expect(await anybody("GET", "/health/live?cache=1")).toMatchObject({ status: 200, body: { status: "pass" } });
        expect(await anybody("HEAD", "/health/live")).toMatchObject({ status: 200, text: "" });
        await proxy.mend();
      }
      await pass();
    },
  );
});

describe("GET /health of a service that stops", () => {
  // It waits for the delay, so it runs beside the others.
  it.concurrent("returns 503 for SHUTDOWN_DELAY_SECONDS while other operations still work, until the service stops", async () => {
    const service = await startTestService({ ROLE: "api", SHUTDOWN_DELAY_SECONDS: "3" });
    const ada = await service.as();
    const before = await ada("GET", "/health");
    expect([before.status, before.headers.get("connection") === "close"]).toEqual([200, false]);
    const stoppedMs = performance.now();
    const closing = service.close();
    await eventually("a failing health check", async () => (await ada("GET", "/health")).status === 503);
    const during = [
      await ada("GET", "/health/live"),
      await ada("GET", "/account"),
      await ada("POST", "/posts", { title: "Still here", body: "x" }),
    ];
    // So that clients open their next connection elsewhere.
    expect(during.map((it) => [it.status, it.headers.get("connection")])).toEqual([200, 200, 201].map((it) => [it, "close"]));
    await closing;
    expect(performance.now() - stoppedMs).toBeGreaterThan(2_900);
    await expect(ada("GET", "/health")).rejects.toThrow();
  });
});
