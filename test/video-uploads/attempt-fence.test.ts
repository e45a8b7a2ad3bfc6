import { describe, expect, it } from "@jest/globals";
import {
  beginAttempt,
  fail,
  failUnfinished,
  recordProgress,
  requeueAttempt,
  succeed,
  type Fence,
  type VideoUploadRow,
} from "../../src/video-uploads/store.ts";
import type { Body } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { upload, uploadPath } from "../support/videos.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());

const FILE = { objectKey: "video-uploads/x/2/file", width: 16, height: 16, sizeBytes: 1, sha256: "0".repeat(64) };
const RESULT = {
  container: "mp4",
  durationMs: 1_000,
  width: 16,
  height: 16,
  videoCodec: "h264",
  audioCodec: null,
  poster: { ...FILE, contentType: "image/jpeg" },
  renditions: [{ ...FILE, contentType: "video/mp4", name: "480p", durationMs: 1_000 }],
};

/** Makes a job with two attempts. The second one began after the first was abandoned. */
async function takenOver(): Promise<{ job: Body; first: Fence; second: Fence }> {
  const job = await upload(ada, Buffer.from("bytes"));
  const [first, second]: readonly [Fence, Fence] = [
    { videoUploadId: job.id, attempt: 1 },
    { videoUploadId: job.id, attempt: 2 },
  ];
  expect(await beginAttempt(service.db, first, "probing")).toMatchObject({ attempt: 1 });
  expect(await beginAttempt(service.db, second, "probing")).toMatchObject({ attempt: 2 });
  return { job, first, second };
}

/** Every write of an attempt to its row. */
const writes = (attempt: Fence) => [
  () => recordProgress(service.db, { ...attempt, stage: "late", percent: 99 }),
  () => requeueAttempt(service.db, attempt),
  () => succeed(service.db, attempt, RESULT),
  () => fail(service.db, attempt, "late", "late"),
  () => beginAttempt(service.db, attempt, "late"),
];

describe("a write of an attempt", () => {
  it("changes nothing after another attempt has taken over", async () => {
    const { job, first } = await takenOver();
    const before = await ada("GET", uploadPath(job));
    for (const write of writes(first)) expect(await write()).toBeFalsy();
    expect((await ada("GET", uploadPath(job))).text).toBe(before.text);
  });

  it("changes nothing after the job has succeeded, failed or become a dead letter, not even by the last attempt", async () => {
    const ends: readonly ((fence: Fence) => Promise<VideoUploadRow | null>)[] = [
      (fence) => succeed(service.db, fence, RESULT),
      (fence) => fail(service.db, fence, "corrupt_media", "over"),
      (fence) => failUnfinished(service.db, fence.videoUploadId, "internal_error", "over"),
    ];
    for (const end of ends) {
      const { job, first, second } = await takenOver();
      const row = await end(second);
      expect(row).not.toBeNull();
      const before = await ada("GET", uploadPath(job));
      expect(before).toMatchObject({ status: 200, body: { status: expect.stringMatching(/^(succeeded|failed)$/), attempt: 2 } });
      for (const attempt of [first, second, { ...second, attempt: 3 }])
        for (const write of writes(attempt)) expect(await write()).toBeFalsy();
      expect(await failUnfinished(service.db, job.id, "late", "late")).toBeNull();
      expect((await ada("GET", uploadPath(job))).text).toBe(before.text);
    }
  });

  it("never decreases the progress, and keeps it below 100 before the end", async () => {
    const { job, second } = await takenOver();
    const shown: number[] = [];
    for (const percent of [10, 5, 40.9, 40, 150, 0]) {
      await recordProgress(service.db, { ...second, stage: "transcoding", percent });
      shown.push((await ada("GET", uploadPath(job))).body.progress.percent);
    }
    expect(shown).toEqual([10, 10, 40, 40, 99, 99]);
  });

  it("changes nothing after the upload was deleted, and does not restore the upload", async () => {
    const { job, second } = await takenOver();
    await ada("DELETE", uploadPath(job));
    for (const write of writes(second)) expect(await write()).toBeFalsy();
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
  });
});
