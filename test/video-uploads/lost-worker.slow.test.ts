import { afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { presumeDead } from "../support/jobs.ts";
import { hold } from "../support/locks.ts";
import { notificationsOf } from "../support/notifications.ts";
import { run, type Running } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { finished, queuedJobs, reaches, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

let clip: Buffer;
beforeAll(async () => {
  clip = await smallClip();
});

// This process runs the API. Each worker is a separate process, which can be killed.
let service: TestService;
let ada: Client;
let workers: Running[];
beforeEach(async () => {
  [service, workers] = [await startTestService({ ROLE: "api" }), []];
  ada = await service.as();
});
afterEach(async () => {
  for (const worker of workers) await worker[Symbol.asyncDispose]();
  await service.close();
});

async function startWorker(settings: Readonly<Record<string, string>> = {}): Promise<Running> {
  const worker = run({
    NODE_ENV: "test",
    ROLE: "worker",
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataDir,
    ...settings,
  });
  workers.push(worker);
  await worker.ready();
  return worker;
}

async function kill(worker: Running): Promise<void> {
  worker.child.kill("SIGKILL");
  expect(await worker.exited).toBe("SIGKILL");
}

/** Blocks a worker at the transaction that ends a job, and kills it there. */
async function dieAtTheEnd(job: Body, attempt: number): Promise<void> {
  await using holder = await hold(service.databaseUrl, "LOCK TABLE notifications IN EXCLUSIVE MODE");
  const worker = await startWorker();
  await eventually(
    `attempt ${attempt} at work`,
    async () => (await ada("GET", uploadPath(job))).body.attempt === attempt,
    60_000,
  );
  await holder.blocks(1);
  await kill(worker);
}

describe("the job of a video upload", () => {
  it("is accepted by an API process and processed by a worker process, which stops on SIGTERM", async () => {
    const job = await upload(ada, clip);
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "queued" } });
    const worker = await startWorker();
    expect(worker.stdout()).not.toMatch(/http:/);
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
    worker.child.kill("SIGTERM");
    expect({ code: await worker.exited, stderr: worker.stderr() }).toEqual({ code: 0, stderr: "" });
  }, 180_000);

  it("succeeds once after its worker was killed, with one notification and no file of the first attempt", async () => {
    const job = await upload(ada, clip);
    await dieAtTheEnd(job, 1);
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "processing", attempt: 1, result: null } });
    await presumeDead(service, job.id);
    await startWorker();
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2, error: null });
    expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
    await eventually("no file of the first attempt", async () =>
      (await storedFiles(service)).every((it) => !it.includes(`${job.id}-1/`) && !it.includes(`${job.id}/1/`)),
    );
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    await eventually("no file left", async () => (await storedFiles(service)).length === 0);
  }, 300_000);

  itNeeds(
    "ffmpeg",
    "is queued again after its worker was killed, while the other worker is busy",
    async () => {
      await using gate = await gatedFfmpeg();
      const job = await upload(ada, clip);
      const killed = await startWorker({ FFMPEG_PATH: gate.path });
      await gate.waiting(1);
      // Later in the queue, because the same owner has an unfinished upload.
      const next = await upload(ada, clip);
      await startWorker({ FFMPEG_PATH: gate.path });
      await gate.waiting(2);
      await kill(killed);
      await presumeDead(service, job.id);
      expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "processing", attempt: 1 } });
      const retries = () => service.db.$queryRaw<Body[]>`SELECT FROM pgboss.job WHERE id = ${job.id}::uuid AND state = 'retry'`;
      await eventually("a job that waits for its second attempt", async () => (await retries()).length === 1);
      // The job that the schedule creates every minute.
      await service.db.$executeRaw`INSERT INTO pgboss.job (name, policy) VALUES ('reconciliation', 'standard')`;
      expect(await reaches(ada, job, "queued")).toMatchObject({ attempt: 1, progress: { percent: 0, stage: null }, error: null });
      await gate.open();
      expect(await finished(ada, next)).toMatchObject({ status: "succeeded", attempt: 1 });
      expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(await notificationsOf(ada)).toEqual([
        ["video_upload.succeeded", job.id],
        ["video_upload.succeeded", next.id],
      ]);
    },
    180_000,
  );

  it("fails with internal_error and one notification if the worker of every attempt was killed", async () => {
    const job = await upload(ada, clip);
    for (let attempt = 1; attempt <= 3; attempt++) {
      await dieAtTheEnd(job, attempt);
      await presumeDead(service, job.id);
    }
    await startWorker();
    expect(await finished(ada, job)).toMatchObject({
      status: "failed",
      attempt: 3,
      result: null,
      error: { code: "internal_error", detail: expect.any(String) },
      progress: { stage: null },
      finished_at: expect.any(String),
    });
    expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
    await ada("DELETE", uploadPath(job));
    await eventually("no file left", async () => (await storedFiles(service)).length === 0);
  }, 180_000);

  itNeeds(
    "ffmpeg",
    "is queued again when its worker stops, and succeeds on the next worker",
    async () => {
      await using gate = await gatedFfmpeg();
      const job = await upload(ada, clip);
      const worker = await startWorker({ FFMPEG_PATH: gate.path });
      await gate.waiting(1);
      worker.child.kill("SIGTERM");
      expect({ code: await worker.exited, stderr: worker.stderr() }).toEqual({ code: 0, stderr: "" });
      expect(await reaches(ada, job, "queued")).toMatchObject({ attempt: 1, progress: { percent: 0, stage: null } });
      await gate.open();
      await startWorker({ FFMPEG_PATH: gate.path });
      expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
    },
    180_000,
  );

  itNeeds(
    "ffmpeg",
    "is not changed by a frozen attempt that continues after a later attempt has succeeded",
    async () => {
      await using gate = await gatedFfmpeg();
      const job = await upload(ada, clip);
      const frozen = await startWorker({ FFMPEG_PATH: gate.path });
      await gate.waiting(1);
      frozen.child.kill("SIGSTOP");
      await presumeDead(service, job.id);
      await gate.open();
      await startWorker();
      const ended = await finished(ada, job);
      expect(ended).toMatchObject({ status: "succeeded", attempt: 2 });
      frozen.child.kill("SIGCONT");
      // The first worker notices that it has lost the attempt, and removes its files. Another job then still works.
      await eventually("no file of the first attempt", async () =>
        (await storedFiles(service)).every((it) => !it.includes(`${job.id}-1/`) && !it.includes(`${job.id}/1/`)),
      );
      const next = await finished(ada, await upload(ada, clip));
      expect(next.status).toBe("succeeded");
      expect(await ada("GET", uploadPath(job))).toMatchObject({ body: ended });
      expect(await notificationsOf(ada)).toEqual([
        ["video_upload.succeeded", next.id],
        ["video_upload.succeeded", job.id],
      ]);
      expect((await queuedJobs(service)).filter((it) => it.state !== "completed")).toEqual([]);
    },
    300_000,
  );
});
