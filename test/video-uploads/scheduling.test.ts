import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { pino } from "pino";
import { laneRange, priorityOf } from "../../src/jobs/priority.ts";
import { laneOf } from "../../src/video-uploads/lanes.ts";
import { beginAttempt } from "../../src/video-uploads/store.ts";
import { expectedSecondsOf } from "../../src/video-uploads/worker/expected-work.ts";
import { moveToLane, deferOverBudget, watchOverrun, WrongLane } from "../../src/video-uploads/worker/scheduling.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { upload } from "../support/videos.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));
afterEach(() => void jest.useRealTimers());

const video = (seconds: number, width: number, height: number, framesPerSecond: number) => ({
  durationMs: seconds * 1_000,
  width,
  height,
  framesPerSecond,
});

describe("the lane of a video", () => {
  it.each([
    ["a clip of 2 s", video(2, 640, 360, 25), "native", 0],
    ["30 s of a phone", video(30, 1080, 1920, 30), "native", 0],
    ["a minute in 4K with 60 frames per second", video(60, 3840, 2160, 60), "native", 1],
    ["5 minutes in 720p", video(300, 1280, 720, 25), "native", 1],
    ["an hour in 720p", video(3_600, 1280, 720, 25), "native", 2],
    ["4 hours in 360p", video(14_400, 640, 360, 25), "native", 2],
    ["30 s of a phone, with the slower engine", video(30, 1080, 1920, 30), "wasm", 1],
  ] as const)("follows from duration and pixels: %s", (_what, info, engine, lane) => {
    expect(laneOf(expectedSecondsOf(info, engine))).toBe(lane);
  });

  it("has priorities of its own, however long a job is deferred, and later lanes have lower ones", () => {
    for (const lane of [0, 1, 2])
      for (const behindSeconds of [0, 1e5, 1e12]) {
        const priority = priorityOf({ lane, behindSeconds });
        expect(priority).toBeGreaterThanOrEqual(-(2 ** 31));
        const lanes = [0, 1, 2].filter((it) => {
          const { minPriority = -Infinity, maxPriority = Infinity } = laneRange(it, 3);
          return minPriority <= priority && priority <= maxPriority;
        });
        expect({ priority, lanes }).toEqual({ priority, lanes: [lane] });
      }
  });
});

describe("an attempt that runs longer than its lane allows", () => {
  const overrunAfter = (ms: number, lane: number, stage: string): unknown => {
    jest.useFakeTimers();
    using watch = watchOverrun(lane, { stage, percent: 50 });
    jest.advanceTimersByTime(ms);
    return watch.signal.aborted ? watch.signal.reason : null;
  };

  it("moves to the next lane, unless it is finishing, and never leaves the last one", () => {
    expect(overrunAfter(179_000, 0, "transcoding")).toBeNull();
    expect(overrunAfter(181_000, 0, "transcoding")).toMatchObject({ lane: 1 });
    expect(overrunAfter(181_000, 0, "finishing")).toBeNull();
    expect(overrunAfter(46 * 60_000, 1, "transcoding")).toMatchObject({ lane: 2 });
    expect(overrunAfter(7 * 3_600_000, 2, "transcoding")).toBeNull();
  });
});

describe("an attempt that has lost its upload", () => {
  it("does not move it to another lane, and does not defer it", async () => {
    const ada = await service.as();
    const { id } = await upload(ada, Buffer.from("bytes"));
    const row = await beginAttempt(service.db, { videoUploadId: id, attempt: 1 }, "probing");
    await beginAttempt(service.db, { videoUploadId: id, attempt: 2 }, "probing");
    await service.db.videoRunningTime.create({ data: { ownerId: ada.userId, hour: new Date(), seconds: 90 } });
    const before = await service.db.videoUpload.findUnique({ where: { id } });
    const puts: string[] = [];
    const never = new AbortController().signal;
    const attempt = {
      id,
      videoUploadId: id,
      payload: { videoUploadId: id },
      attempt: 1,
      attemptsMax: 3,
      lane: 0,
      signal: never,
      stopping: never,
      complete: async () => void puts.push("completed"),
      putBack: async () => void puts.push("put back"),
      retry: async () => void puts.push("retried"),
    };
    const env = { db: service.db, log: pino({ level: "silent" }), budgetSeconds: 60 };
    expect(await moveToLane(env, attempt, row!, new WrongLane(2, 5_000))).toBe("lost");
    expect(await deferOverBudget(env, attempt)).toBe(false);
    expect(puts).toEqual([]);
    expect(await service.db.videoUpload.findUnique({ where: { id } })).toEqual(before);
  });
});
