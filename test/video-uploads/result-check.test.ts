import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { withWork } from "../../src/jobs/job.ts";
import { processVideo } from "../../src/video-uploads/jobs.ts";
import { runAttempt } from "../../src/video-uploads/worker/attempt.ts";
import { loadResultCheck } from "../../src/video-uploads/worker/result-check.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import type { StoredFile, StoredResult } from "../../src/video-uploads/store.ts";
import { eventually } from "../support/eventually.ts";
import { anyEngine } from "../support/media.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, storedFiles, upload } from "../support/videos.ts";

const log = pino({ level: "silent" });
const id = "00000000-0000-7000-8000-000000000000";
const file: StoredFile = {
  objectKey: "a/b",
  contentType: "image/jpeg",
  width: 16,
  height: 65_535,
  sizeBytes: 1,
  sha256: "0".repeat(64),
};
const rendition = { ...file, contentType: "video/mp4", name: "480p", durationMs: 1 };
const sprite = { ...file, tileWidth: 1, tileHeight: 65_535, tileCount: 100, intervalMs: 1 };
const result: StoredResult = {
  container: "mp4",
  durationMs: 1,
  width: 65_535,
  height: 1,
  videoCodec: "h264",
  audioCodec: null,
  poster: file,
  sprite,
  renditions: [rendition],
};

it("the result check accepts only results that are valid in the contract", async () => {
  const check = loadResultCheck();
  expect(() => check(id, result)).not.toThrow();
  const wrong: readonly Partial<StoredResult>[] = [
    { width: 65_536 },
    { height: 0 },
    { width: 1.5 },
    { durationMs: 0 },
    { durationMs: 2 ** 31 },
    { container: "" },
    { videoCodec: "H.264" },
    { audioCodec: "" },
    { poster: { ...file, width: 65_536 } },
    { poster: { ...file, sizeBytes: 0 } },
    { poster: { ...file, contentType: "jpeg" } },
    { sprite: { ...sprite, tileCount: 0 } },
    { sprite: { ...sprite, sizeBytes: 0 } },
    { renditions: [] },
    { renditions: [{ ...rendition, height: 65_536 }] },
    { renditions: [{ ...rendition, durationMs: 0 }] },
    { renditions: [{ ...rendition, name: "a b" }] },
  ];
  for (const change of wrong) {
    expect({ change, error: thrownBy(() => check(id, { ...result, ...change })) }).toMatchObject({
      change,
      error: { code: "internal_error", retryable: false },
    });
  }
});

it("a job whose result is invalid in the contract fails with internal_error and keeps only the original", async () => {
  await using stack = new AsyncDisposableStack();
  const service = stack.adopt(await startTestService({ ROLE: "api" }), (it) => it.close());
  const jobs = stack.adopt(await startJobs(service.databaseUrl, [processVideo.queue], { isWorker: true, log }), (it) =>
    it.close(),
  );
  const store = createFileStore(join(service.dataDir, "objects"));
  // Stores each object, but reports a size of 0, which breaks the contract.
  const objects: ObjectStore = { ...store, putFile: async (...args) => ({ ...(await store.putFile(...args)), sizeBytes: 0 }) };
  await jobs.work([withWork(processVideo, runAttempt)], {
    concurrency: 1,
    db: service.db,
    objects,
    engine: anyEngine(),
    checkResult: loadResultCheck(),
    scratchDir: await mkdtemp(join(service.dataDir, "scratch-")),
    quota: createStorageQuota(service.db, 1e9),
    minFreeBytes: 0,
    keepOriginals: true,
    budgetSeconds: 60,
    log,
  });
  const ada = await service.as();
  const job = await finished(ada, await upload(ada, await smallClip()));
  expect(job).toMatchObject({ status: "failed", attempt: 1, result: null, error: { code: "internal_error" } });
  expect(await ada("GET", "/video-uploads")).toMatchObject({ status: 200 });
  const original = JSON.stringify([`objects/objects/video-uploads/${job.id}/original`]);
  await eventually("no other file", async () => JSON.stringify(await storedFiles(service)) === original);
});

function thrownBy(work: () => void): unknown {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
}
