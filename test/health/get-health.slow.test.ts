import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { startEmbeddedPostgres } from "../../src/embedded-postgres/index.ts";
import { crowding } from "../support/processes.ts";
import { eventually } from "../support/eventually.ts";
import { startTestService } from "../support/service.ts";

describe("GET /health without a database", () => {
  it("returns 503 with Retry-After within 5 s if the database stops or hangs, and 200 when it is back; /health/live always returns 200", async () => {
    const folder = await mkdtemp(join(tmpdir(), "plumbline-health-"));
    let postgres = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: "off" } });
    const service = await startTestService({ ROLE: "api", DATABASE_URL: postgres.url });
    try {
      const anybody = service.anonymous("Bearer wrong");
      const pass = () => eventually("a passing health check", async () => (await anybody("GET", "/health")).status === 200);
      // Timed from the start of the outage, because the result of the last check is valid for a second.
      const slowdowns = [crowding()];
      const refusal = async () => {
        const startedMs = performance.now();
        const answer = await eventually("a failing health check", async () => {
          const it = await anybody("GET", "/health");
          return it.status === 200 ? null : it;
        });
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        const tookMs = performance.now() - startedMs;
        slowdowns.push(crowding());
        expect(await anybody("GET", "/health/live?cache=1")).toMatchObject({ status: 200, body: { status: "pass" } });
        expect(await anybody("HEAD", "/health/live")).toMatchObject({ status: 200, text: "" });
        return tookMs;
      };
      await pass();

      // The database hangs: its processes are stopped, so no connection of the service, old or new, gets a response.
      const processes = await service.db.$queryRaw<{ pid: number }[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() UNION ALL SELECT split_part(pg_read_file('postmaster.pid'), E'\n', 1)::int`;
      const signal = (name: NodeJS.Signals) => {
        for (const { pid } of processes) process.kill(pid, name);
      };
      signal("SIGSTOP");
      const hungMs = await refusal().finally(() => signal("SIGCONT"));
      await pass();

      await postgres.stop();
      const goneMs = await refusal();
      postgres = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: "off" } });
      process.stderr.write(
        `GET /health returned 503 after ${Math.round(hungMs)} ms with a database that hangs, and after ${Math.round(goneMs)} ms with a stopped one\n`,
      );
      expect(Math.max(hungMs, goneMs)).toBeLessThan(5_000 * Math.max(...slowdowns));
      await pass();
    } finally {
      await service.close();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    }
  }, 180_000);
});
