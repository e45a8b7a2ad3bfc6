import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { videoDeadLetters, processVideo } from "../../src/video-uploads/jobs.ts";
import { retryVideo } from "../../src/video-uploads/admin/service.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import { failInterrupted, reconcileVideos } from "../../src/video-uploads/worker/outcome.ts";
import type { Body, Client } from "../support/client.ts";
import { createDeployment } from "../support/deployment.ts";
import { notificationsOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { queuedJobs, smallClip, upload, uploadPath } from "../support/videos.ts";

const log = pino({ level: "silent" });
const service = prepare(() => startTestService({ ROLE: "api" }));
// The process that writes to the queue.
prepare(() => startJobs(service.databaseUrl, [], { isWorker: false, log }));

const giveUp = (id: string) => failInterrupted({ db: service.db, log }, id);
const reconcile = () => reconcileVideos({ db: service.db, log });
/** Makes an upload that is two minutes old, with the status that a worker has left and a job in `state`; null: no job. */
async function uploadWithJob(client: Client, status: string, state: string | null): Promise<Body> {
  const job = await upload(client, await smallClip());
  await service.db
    .$executeRaw`UPDATE video_uploads SET created_at = created_at - interval '2 minutes', status = ${status}, attempt = ${status === "queued" ? 0 : 1} WHERE id = ${job.id}::uuid`;
  if (state === null) await service.db.$executeRaw`DELETE FROM pgboss.job WHERE id = ${job.id}::uuid`;
  else await service.db.$executeRaw`UPDATE pgboss.job SET state = ${state}::pgboss.job_state WHERE id = ${job.id}::uuid`;
  expect((await queuedJobs(service)).filter((it) => it.id === job.id).map((it) => it.state)).toEqual(
    state === null ? [] : [state],
  );
  return job;
}

/** Makes an upload that has failed with another error and has no job. */
async function uploadThatFailed(client: Client): Promise<Body> {
  const job = await uploadWithJob(client, "failed", null);
  await service.db.videoUpload.update({
    where: { id: job.id },
    data: { errorCode: "too_long", errorDetail: "The video is too long.", finishedAt: new Date() },
  });
  return job;
}

const ended = {
  status: "failed",
  result: null,
  error: { code: "internal_error" },
  progress: { stage: null },
  finished_at: expect.any(String),
};

describe("the reconciler", () => {
  it.each(["queued", "processing"])(
    "fails a %s upload whose job is missing, with one notification, even if two reconcilers run at once",
    async (status) => {
      const ada = await service.as();
      const job = await uploadWithJob(ada, status, null);
      await Promise.all([reconcile(), reconcile()]);
      expect(await ada("GET", uploadPath(job))).toMatchObject({ body: ended });
      await reconcile();
      expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
    },
  );

  it.each(["completed", "cancelled", "failed"])("fails an upload whose job is %s and does not run again", async (state) => {
    const ada = await service.as();
    const job = await uploadWithJob(ada, "processing", state);
    await reconcile();
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: ended });
    expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
  });

  it.each([
    ["queued", "created"],
    ["queued", "retry"],
    ["processing", "active"],
  ])("does not change a %s upload whose job is %s", async (status, state) => {
    const ada = await service.as();
    const job = await uploadWithJob(ada, status, state);
    await reconcile();
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status, error: null } });
    expect(await notificationsOf(ada)).toEqual([]);
  });

  it("requeues an upload whose worker was lost and whose job waits for a retry, and notifies no user", async () => {
    const ada = await service.as();
    const job = await uploadWithJob(ada, "processing", "retry");
    await Promise.all([reconcile(), reconcile()]);
    expect(await ada("GET", uploadPath(job))).toMatchObject({
      body: { status: "queued", attempt: 1, progress: { percent: 0, stage: null }, error: null },
    });
    expect(await notificationsOf(ada)).toEqual([]);
  });

  it("does not change an upload with a later attempt than the lost worker's", async () => {
    const ada = await service.as();
    const job = await uploadWithJob(ada, "processing", "retry");
    await service.db.videoUpload.update({ where: { id: job.id }, data: { attempt: 2 } });
    await reconcile();
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "processing", attempt: 2 } });
  });

  it("finds one upload without a job behind 600 uploads with jobs, more than one batch", async () => {
    const ada = await service.as();
    const living = 600;
    await service.db.$executeRaw`
      WITH upload AS (
        INSERT INTO video_uploads (id, owner_id, object_key, size_bytes, sha256, created_at)
        SELECT gen_random_uuid(), ${ada.userId}::uuid, 'video-uploads/x/original', 1, repeat('0', 64), now() - interval '1 hour' FROM generate_series(1, ${living}) RETURNING id
      ) INSERT INTO pgboss.job (id, name, data, policy) SELECT id, 'video-uploads', '{}', 'standard' FROM upload`;
    const job = await uploadWithJob(ada, "queued", null);
    await reconcile();
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: ended });
    expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
    expect(await service.db.videoUpload.count({ where: { ownerId: ada.userId, status: "queued" } })).toBe(living);
  });

  it("does not change an upload of the last minute and an upload that has ended", async () => {
    const ada = await service.as();
    const [young, over] = [await upload(ada, await smallClip()), await uploadThatFailed(ada)];
    await service.db.$executeRaw`DELETE FROM pgboss.job WHERE id = ${young.id}::uuid`;
    await reconcile();
    expect(await ada("GET", uploadPath(young))).toMatchObject({ body: { status: "queued" } });
    expect(await ada("GET", uploadPath(over))).toMatchObject({ body: { status: "failed", error: { code: "too_long" } } });
    expect(await notificationsOf(ada)).toEqual([]);
  });

  it("is scheduled by every worker once a minute, and the maintenance once an hour", async () => {
    await using deployment = await createDeployment();
    await deployment.start("worker");
    const timetable = await deployment.db.$queryRaw`SELECT name, cron FROM pgboss.schedule ORDER BY name`;
    expect(timetable).toEqual([
      { name: "maintenance", cron: "17 * * * *" },
      { name: "reconciliation", cron: "* * * * *" },
    ]);
  }, 60_000);
});

describe("giving up an upload", () => {
  it("fails it once with one notification, also concurrently, and never changes an ended or deleted upload", async () => {
    const ada = await service.as();
    const job = await uploadWithJob(ada, "processing", "failed");
    await Promise.all(Array.from({ length: 5 }, () => giveUp(job.id)));
    const { body } = await ada("GET", uploadPath(job));
    expect(body).toMatchObject(ended);
    const over = await uploadThatFailed(ada);
    await giveUp(over.id);
    await giveUp(randomUUID());
    expect(await ada("GET", uploadPath(over))).toMatchObject({ body: { status: "failed", error: { code: "too_long" } } });
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body });
    expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
  });

  it("does not fail an upload that an operator has started again since its last worker died", async () => {
    const ada = await service.as();
    const job = await uploadWithJob(ada, "processing", "failed");
    const operator = await startJobs(service.databaseUrl, [videoDeadLetters.queue, processVideo.queue], { isWorker: false, log });
    const parts = { db: service.db, log, queue: operator.queue, quota: createStorageQuota(service.db, 1e9) };
    await retryVideo({ ...parts, objects: createFileStore(join(service.dataDir, "objects")) }, job.id);
    await operator.close();
    // The dead letter of the earlier job comes now.
    await giveUp(job.id);
    expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "queued", error: null } });
    expect(await notificationsOf(ada)).toEqual([]);
  });
});
