import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { watchAttempt, type Progress } from "../../src/video-uploads/worker/attempt-watch.ts";
import { beginAttempt, type Fence } from "../../src/video-uploads/store.ts";
import type { Body } from "../support/client.ts";
import { crowding } from "../support/cpu.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { upload, uploadPath } from "../support/videos.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

async function begun(): Promise<{ job: Body; fence: Fence; progress: Progress }> {
  const job = await upload(ada, Buffer.from("bytes"));
  const fence = { videoUploadId: job.id, attempt: 1 };
  await beginAttempt(service.db, fence, "probing");
  return { job, fence, progress: { stage: "probing", percent: 0 } };
}

/** The id of the transaction that wrote the current version of the row. */
async function writerOf(job: Body): Promise<string> {
  const [row] = await service.db.$queryRaw<{ xmin: string }[]>`SELECT xmin::text FROM video_uploads WHERE id = ${job.id}::uuid`;
  return row!.xmin;
}

const shows = (job: Body, progress: Progress) =>
  eventually(
    `the progress ${JSON.stringify(progress)}`,
    async () =>
      JSON.stringify((await ada("GET", uploadPath(job))).body.progress) ===
      JSON.stringify({ percent: progress.percent, stage: progress.stage }),
  );

describe("the watch of an attempt", () => {
  it("writes the stage and the integer percentage only when they change", async () => {
    const { job, fence, progress } = await begun();
    using watch = watchAttempt(service.db, fence, progress);
    const before = await writerOf(job);
    await delay(1_000);
    expect(await writerOf(job)).toBe(before);
    progress.percent = 4.2;
    await shows(job, { stage: "probing", percent: 4 });
    const after = await writerOf(job);
    progress.percent = 4.9;
    await delay(1_000);
    expect(await writerOf(job)).toBe(after);
    progress.stage = "transcoding";
    await shows(job, { stage: "transcoding", percent: 4 });
    expect(watch.lost.aborted).toBe(false);
  });

  it("runs only one statement at a time, even if the database is slow", async () => {
    const { job, fence, progress } = await begun();
    using watch = watchAttempt(service.db, fence, progress);
    await using holder = await hold(service.databaseUrl, "SELECT FROM video_uploads WHERE id = $1 FOR UPDATE", [job.id]);
    const moving = setInterval(() => {
      progress.percent += 1;
    }, 50);
    await holder.blocks(1);
    // Enough time for several more polls.
    await delay(1_500);
    clearInterval(moving);
    // Not through the holder, because its transaction does not see later connections.
    const rows = await service.db
      .$queryRaw`SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    expect(rows).toEqual([{ waiting: 1 }]);
    expect(watch.lost.aborted).toBe(false);
  });

  it.each([
    ["deleted", (job: Body) => ada("DELETE", uploadPath(job))],
    ["taken over", (job: Body) => beginAttempt(service.db, { videoUploadId: job.id, attempt: 2 }, "probing")],
  ])("aborts within a second after its upload was %s, even if there is nothing to write", async (_what, take) => {
    const { job, fence, progress } = await begun();
    using watch = watchAttempt(service.db, fence, progress);
    await take(job);
    await eventually("the abort of the watch", () => watch.lost.aborted, 1_000 * crowding());
  });
});
