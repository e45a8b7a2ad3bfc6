import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, jest } from "@jest/globals";
import { pino } from "pino";
import { withWork } from "../../src/jobs/job.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { AttemptEnv } from "../../src/video-uploads/worker/attempt.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { anyEngine, makeClip } from "../support/media.ts";
import { finished, storedFiles, upload } from "../support/videos.ts";

const real = await import("../../src/video-uploads/lanes.ts");
// So that no test has to wait for the three minutes after which an attempt leaves the lane of short videos.
jest.unstable_mockModule("../../src/video-uploads/lanes.ts", () => ({
  ...real,
  LANES: real.LANES.map((lane, at) => (at === 0 ? { ...lane, expectedMaxSeconds: 0.1 } : lane)),
}));
const { processVideo } = await import("../../src/video-uploads/jobs.ts");
const { createStorageQuota } = await import("../../src/video-uploads/objects/storage-quota.ts");
const { runAttempt } = await import("../../src/video-uploads/worker/attempt.ts");
const { loadResultCheck } = await import("../../src/video-uploads/worker/result-check.ts");

it("a video that takes longer than its lane allows, whatever it declares, starts again in the next lane, which counts as none of its three attempts, and succeeds there", async () => {
  await using deployment = await createDeployment();
  await deployment.start("api");
  const { databaseUrl, dataDir, db } = deployment;
  const log = pino({ level: "silent" });
  const outcomes: string[] = [];
  const begun: (readonly [attempt: number, attemptsMax: number])[] = [];
  const jobs = await startJobs(databaseUrl, [processVideo.queue], { isWorker: true, log });
  await using _ = { [Symbol.asyncDispose]: () => jobs.close() };
  const counted = withWork(processVideo, (env: AttemptEnv, payload, execution) => {
    begun.push([execution.attempt, execution.attemptsMax]);
    return runAttempt(env, payload, execution);
  });
  await jobs.work([counted], {
    concurrency: 1,
    db,
    objects: createFileStore(join(dataDir, "objects")),
    engine: anyEngine(),
    quota: createStorageQuota(db, 1e9),
    minFreeBytes: 0,
    budgetSeconds: 1e6,
    checkResult: loadResultCheck(),
    scratchDir: await mkdtemp(join(dataDir, "scratch-")),
    keepOriginals: true,
    log,
    onAttemptEnd: (outcome) => void outcomes.push(outcome),
  });
  const ada = await deployment.as();
  const clip = await makeClip({ durationSeconds: 10, width: 1280, height: 720, container: "mp4" });
  const job = await finished(ada, await upload(ada, clip));
  expect(job).toMatchObject({ status: "succeeded", attempt: 2 });
  // An attempt reports its end after it has ended the job.
  await eventually("the end of the last attempt", async () => outcomes.includes("succeeded"));
  expect(outcomes).toEqual(["moved", "succeeded"]);
  // The attempt that ended with the move doesn't count: three more can follow.
  expect(begun).toEqual([
    [1, 3],
    [2, 4],
  ]);
  expect((await storedFiles(deployment, "objects")).filter((it) => it.includes(`${job.id}/1/`))).toEqual([]);
}, 120_000);
