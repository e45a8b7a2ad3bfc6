import { expect, it, jest } from "@jest/globals";
import { makeClip } from "../support/media.ts";
import { startTestService } from "../support/service.ts";
import { storedFiles, upload, uploadPath } from "../support/videos.ts";

const real = await import("../../src/video-uploads/lanes.ts");
// So that no test has to wait for the 30 s after which an attempt leaves the lane of short videos.
jest.unstable_mockModule("../../src/video-uploads/lanes.ts", () => ({
  ...real,
  LANES: real.LANES.map((lane, at) => (at === 0 ? { ...lane, runningMaxSeconds: 0.1 } : lane)),
}));
const { attemptAt } = await import("./support/attempts.ts");

it("a video that takes longer than its lane allows moves to the next one, which counts as none of its attempts, and succeeds there", async () => {
  await using service = await startTestService({ ROLE: "api" });
  const ada = await service.as();
  const job = await upload(ada, await makeClip({ durationSeconds: 2, width: 640, height: 360, container: "mp4" }));
  const read = async () => (await ada("GET", uploadPath(job))).body;
  expect(await attemptAt(service, job)).toMatchObject([{ uncounted: true, startAfter: 0, position: { lane: 1 } }]);
  expect(await read()).toMatchObject({ status: "queued", attempt: 1, error: null });
  expect(await attemptAt(service, job, { execution: { attempt: 2, lane: 1 } })).toEqual(["completed"]);
  expect(await read()).toMatchObject({ status: "succeeded", attempt: 2 });
  expect((await storedFiles(service)).filter((it) => it.includes(`${job.id}/1/`))).toEqual([]);
});
