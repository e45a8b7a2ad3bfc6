import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { pino } from "pino";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { withWork } from "../../src/jobs/job.ts";
import { processVideo } from "../../src/video-uploads/jobs.ts";
import { runAttempt } from "../../src/video-uploads/worker/attempt.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import { loadResultCheck } from "../../src/video-uploads/worker/result-check.ts";
import type { Body, Client } from "../support/client.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { anyEngine } from "../support/media.ts";
import { notificationsOf } from "../support/notifications.ts";
import { plumblineJson } from "../support/plumbline.ts";
import { finished, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

const log = pino({ level: "silent" });
let deployment: Deployment;
let clip: Buffer;
beforeEach(async () => {
  [deployment, clip] = [await createDeployment(), await smallClip()];
});
afterEach(async () => {
  await deployment[Symbol.asyncDispose]();
});

const used = async ({ userId }: Client) =>
  Number((await deployment.db.storageUsage.findUnique({ where: { userId } }))?.sizeBytes ?? 0);
/** The bytes that the contract shows for an upload and its files. */
const shownBytes = ({ size_bytes, result }: Body): number =>
  [{ size_bytes }, result.poster, result.sprite, ...result.renditions].reduce((sum, it) => sum + it.size_bytes, 0);
const filesOf = async ({ id }: Body) => (await storedFiles(deployment)).filter((it) => it.includes(id));
const overQuota = { status: "failed", attempt: 1, result: null, error: { code: "storage_quota_exceeded" } };

it("results count with their upload until both are deleted, also while they are retained, in every count of operators", async () => {
  const settings = { KEEP_DELETED_HOURS: "1" };
  await deployment.start("all", settings);
  const ada = await deployment.as();
  const [first, second] = [await finished(ada, await upload(ada, clip)), await finished(ada, await upload(ada, clip))];
  const all = shownBytes(first) + shownBytes(second);
  expect(all).toBeGreaterThan(2 * clip.length);
  expect(await used(ada)).toBe(all);
  expect(await ada("DELETE", uploadPath(first))).toMatchObject({ status: 204 });
  expect(await used(ada)).toBe(all);
  expect(await deployment.db.retainedObject.findMany()).toMatchObject([{ sizeBytes: BigInt(shownBytes(first)) }]);
  const environment = { ...settings, NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
  expect((await plumblineJson(environment, "user", "show", ada.userId)).lines).toMatchObject([{ stored_bytes: all }]);
  expect((await plumblineJson(environment, "counts", "check")).lines).toMatchObject([
    { wrong: 0 },
    { count: "storage_usage", wrong: 0 },
  ]);
  await deployment.db.$executeRaw`UPDATE kept_objects SET keep_until = keep_until - interval '1 hour'`;
  await deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('reconciliation')`;
  await eventually("the end of the retained objects", async () => (await used(ada)) === shownBytes(second));
}, 120_000);

it("a video whose result does not fit into the quota fails once, and keeps only its original", async () => {
  await deployment.start("all", { MAX_STORED_BYTES_PER_USER: String(clip.length + 1_000) });
  const [ada, bob] = [await deployment.as(), await deployment.as()];
  const job = await upload(ada, clip);
  expect(await finished(ada, job)).toMatchObject(overQuota);
  expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
  // The attempt removes its scratch folder after it has failed the job.
  await eventually("no other file", async () => (await filesOf(job)).length === 1);
  expect([await used(ada), await filesOf(job)]).toEqual([clip.length, [`objects/objects/video-uploads/${job.id}/original`]]);
  const other = await upload(bob, clip);
  expect(await finished(bob, other)).toMatchObject(overQuota);
}, 120_000);

it("results that are made at the same time do not exceed the quota together", async () => {
  await deployment.start("api");
  const [ada, bob] = [await deployment.as(), await deployment.as()];
  await using jobs = await startJobs(deployment.databaseUrl, [processVideo.queue], { isWorker: true, log }).then((it) => ({
    ...it,
    [Symbol.asyncDispose]: () => it.close(),
  }));
  // Each attempt begins with all the free space.
  let quota = createStorageQuota(deployment.db, 1e9);
  const freeBytesOf: typeof quota.freeBytesOf = async (tx, id) => (tx === deployment.db ? 1e9 : quota.freeBytesOf(tx, id));
  await jobs.work([withWork(processVideo, runAttempt)], {
    concurrency: 2,
    db: deployment.db,
    objects: createFileStore(join(deployment.dataDir, "objects")),
    engine: anyEngine(),
    quota: { ...quota, freeBytesOf },
    minFreeBytes: 0,
    budgetSeconds: 60,
    checkResult: loadResultCheck(),
    scratchDir: await mkdtemp(join(deployment.dataDir, "scratch-")),
    keepOriginals: true,
    log,
  });
  const resultBytes = shownBytes(await finished(bob, await upload(bob, clip))) - clip.length;
  quota = createStorageQuota(deployment.db, 2 * clip.length + Math.floor(1.5 * resultBytes));
  const uploads = [await upload(ada, clip), await upload(ada, clip)];
  const ends = await Promise.all(uploads.map((job) => finished(ada, job)));
  const [made, refused] = [ends.filter((it) => it.status === "succeeded"), ends.filter((it) => it.status === "failed")];
  expect(refused).toMatchObject([overQuota]);
  expect(await used(ada)).toBe(shownBytes(made[0]) + clip.length);
  // The attempt removes its scratch folder after it has failed the job.
  await eventually("no other file", async () => (await filesOf(refused[0])).length === 1);
}, 120_000);
