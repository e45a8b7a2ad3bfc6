import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { crowding } from "../support/cpu.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { finished, upload } from "../support/videos.ts";

/** Its job fails in a few milliseconds, so the test measures the time to the start of jobs. */
const notAVideo = Buffer.from("not a video");

const deployment = prepare(createDeployment);
beforeAll(async () => {
  await deployment.start("api");
});

type Start = { readonly id: string; readonly startedMs: number; readonly waitedMs: number };

/** Every started upload, in order of the start, with the time from its row to its start by the clock of the database. */
async function starts(): Promise<readonly Start[]> {
  return deployment.db.$queryRaw<Start[]>`
    SELECT id, extract(epoch FROM started_at)::float8 * 1000 AS "startedMs",
      extract(epoch FROM started_at - created_at)::float8 * 1000 AS "waitedMs"
    FROM video_uploads WHERE started_at IS NOT NULL ORDER BY started_at`;
}

const allEnded = (count: number) =>
  eventually(
    `the end of ${count} jobs`,
    async () => (await deployment.db.videoUpload.count({ where: { status: { in: ["succeeded", "failed"] } } })) === count,
    60_000,
  );

describe("the start of a job", () => {
  let ada: Client;
  let bob: Client;
  beforeAll(async () => {
    [ada, bob] = [await deployment.as(), await deployment.as()];
  });

  it("is fair to a user with one upload after thirty of another user, and workers do not pause between jobs", async () => {
    for (let sent = 0; sent < 30; sent++) await upload(ada, notAVideo);
    const last = await upload(bob, notAVideo);
    expect(await starts()).toEqual([]);
    await using worker = await deployment.start("worker");
    await allEnded(31);
    const order = await starts();
    expect(order).toHaveLength(31);
    expect(order.findIndex((it) => it.id === last.id)).toBeLessThanOrEqual(1);
    const pauses = order.slice(1).map((it, index) => it.startedMs - order[index]!.startedMs);
    const median = pauses.sort((a, b) => a - b)[15]!;
    process.stderr.write(
      `31 jobs that were waiting for worker ${worker.pid} started ${Math.round(median)} ms after each other\n`,
    );
    // Polling would pause for a second after each job.
    expect(median).toBeLessThan(900);
  }, 120_000);

  it("is immediate on an idle worker: half of 100 jobs start within 100 ms of the 202, and 99 within a second", async () => {
    await deployment.db.videoUpload.deleteMany();
    await using worker = await deployment.start("worker");
    const slowdowns: number[] = [];
    for (let sent = 0; sent < 100; sent++) {
      if (sent % 10 === 0) slowdowns.push(crowding());
      await finished(ada, await upload(ada, notAVideo));
    }
    slowdowns.sort((a, b) => a - b);
    const waits = (await starts()).map((it) => it.waitedMs).sort((a, b) => a - b);
    const [p50, p99, max] = [waits[49]!, waits[98]!, waits[99]!];
    process.stderr.write(
      `from the 202 to processing, 100 jobs one after another on the idle worker ${worker.pid}: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, max ${max.toFixed(0)} ms\n`,
    );
    expect(waits).toHaveLength(100);
    expect(p50).toBeLessThan(100 * slowdowns[5]!);
    expect(p99).toBeLessThan(1_000 * slowdowns[9]!);
  }, 120_000);
});
