/** Attempts at videos: their fence, their watch, their ends, their turns and lanes, and what becomes of jobs without a worker. */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { pino } from "pino";
import type { Execution } from "../../src/jobs/job.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import { laneRange, priorityOf } from "../../src/jobs/priority.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { StorageFailure, type ObjectStore } from "../../src/storage/object-store.ts";
import { retryVideo } from "../../src/video-uploads/admin/service.ts";
import { processVideo, videoDeadLetters } from "../../src/video-uploads/jobs.ts";
import { laneOf, laneOfBytes } from "../../src/video-uploads/lanes.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import {
  addRunningTime,
  beginAttempt,
  fail,
  failUnfinished,
  ranSecondsOfOwner,
  recordProgress,
  requeueAttempt,
  succeed,
  type Fence,
  type StoredResult,
  type VideoUploadRow,
} from "../../src/video-uploads/store.ts";
import { watchAttempt, type Progress } from "../../src/video-uploads/worker/attempt-watch.ts";
import { expectedSecondsOf } from "../../src/video-uploads/worker/expected-work.ts";
import { failInterrupted, reconcileVideos } from "../../src/video-uploads/worker/outcome.ts";
import { countRunningTime } from "../../src/video-uploads/worker/running-time.ts";
import { loadResultCheck } from "../../src/video-uploads/worker/result-check.ts";
import { moveToLane, deferOverBudget, watchOverrun, WrongLane } from "../../src/video-uploads/worker/scheduling.ts";
import type { Body, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { hold } from "../support/locks.ts";
import { notificationsOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { crowding } from "../support/processes.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { queuedJobs, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { attemptAt } from "./support/attempts.ts";

const log = pino({ level: "silent" });
const service = prepare(() => startTestService({ ROLE: "api" }));
const ada = prepare(() => service.as());
// The process that writes to the queue.
prepare(() => startJobs(service.databaseUrl, [], { isWorker: false, log }));

const FILE = { objectKey: "a/b", contentType: "image/jpeg", width: 16, height: 65_535, sizeBytes: 1, sha256: "0".repeat(64) };
const RENDITION = { ...FILE, contentType: "video/mp4", name: "480p", durationMs: 1 };
const SPRITE = { ...FILE, tileWidth: 1, tileHeight: 65_535, tileCount: 100, intervalMs: 1 };
const RESULT: StoredResult = {
  ...{ container: "mp4", durationMs: 1, width: 65_535, height: 1, videoCodec: "h264", audioCodec: null },
  ...{ poster: FILE, sprite: SPRITE, renditions: [RENDITION] },
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

/** A store that does something when the last file of a result is stored. */
const afterLast =
  (work: (store: ObjectStore) => Promise<unknown>) =>
  (store: ObjectStore): Partial<ObjectStore> => ({
    async putFile(key, path, options) {
      const stored = await store.putFile(key, path, options);
      if (key.endsWith("/sprite.jpg")) await work(store);
      return stored;
    },
  });

const unavailable = () => Promise.reject(new StorageFailure("unavailable", "away"));
const away = () => ({ fetchToFile: unavailable });

/** A failed job has one notification, and only its original is stored. */
async function expectFailure(owner: Client, job: Body, code: string): Promise<void> {
  expect((await owner("GET", uploadPath(job))).body).toMatchObject({
    status: "failed",
    attempt: 1,
    error: { code },
    result: null,
  });
  expect(await notificationsOf(owner)).toEqual([["video_upload.failed", job.id]]);
  const files = (await storedFiles(service)).filter((it) => it.includes(job.id));
  expect(files).toEqual([`objects/objects/video-uploads/${job.id}/original`]);
}

it("an attempt that loses its upload in its last step ends no job, notifies no user, and deletes only its own files", async () => {
  const owner = await service.as();
  const job = await upload(owner, await smallClip());
  const folder = `video-uploads/${job.id}`;
  const changed = afterLast(async (store) => {
    expect(await beginAttempt(service.db, { videoUploadId: job.id, attempt: 2 }, "probing")).toMatchObject({ attempt: 2 });
    await store.create(`${folder}/2/480p.mp4`, Buffer.from("a rendition"));
  });
  const ends = await attemptAt(service, job, { changed });
  expect(ends).toEqual([]);
  const { body } = await owner("GET", uploadPath(job));
  expect(body).toMatchObject({ status: "processing", attempt: 2, result: null, error: null, finished_at: null });
  expect((await owner("GET", "/notifications")).body.data).toEqual([]);
  const files = (await storedFiles(service)).filter((it) => it.includes(job.id));
  expect(files).toEqual([`objects/objects/${folder}/2/480p.mp4`, `objects/objects/${folder}/original`]);
});

it("an attempt fails if its result and what its owner has stored meanwhile exceed the quota together", async () => {
  const owner = await service.as();
  const job = await upload(owner, await smallClip());
  const quotaBytes = 1e9;
  const changed = afterLast(() =>
    service.db.storageUsage.update({ where: { userId: owner.userId }, data: { sizeBytes: quotaBytes - 1 } }),
  );
  expect(await attemptAt(service, job, { quotaBytes, changed })).toEqual(["completed"]);
  await expectFailure(owner, job, "storage_quota_exceeded");
});

it("a video whose result does not fit into the quota fails, and keeps only its original", async () => {
  const owner = await service.as();
  const clip = await smallClip();
  const job = await upload(owner, clip);
  const changed = () => ({ putFile: () => Promise.reject(new Error("Nothing may be stored.")) });
  expect(await attemptAt(service, job, { quotaBytes: clip.length + 1_000, changed })).toEqual(["completed"]);
  await expectFailure(owner, job, "storage_quota_exceeded");
  expect((await service.db.storageUsage.findUnique({ where: { userId: owner.userId } }))?.sizeBytes).toBe(BigInt(clip.length));
});

it("results that are made at the same time do not exceed the quota together", async () => {
  const owner = await service.as();
  const clip = await smallClip();
  const used = async () =>
    Number((await service.db.storageUsage.findUniqueOrThrow({ where: { userId: owner.userId } })).sizeBytes);
  const [first, ...others] = [await upload(owner, clip), await upload(owner, clip), await upload(owner, clip)];
  await attemptAt(service, first, { env: { keepOriginals: true } });
  const resultBytes = (await used()) - 3 * clip.length;
  const quota = createStorageQuota(service.db, (await used()) + Math.floor(1.5 * resultBytes));
  // Each attempt begins with all the free space.
  const freeBytesOf: typeof quota.freeBytesOf = async (tx, id) => (tx === service.db ? 1e9 : quota.freeBytesOf(tx, id));
  const env = { quota: { ...quota, freeBytesOf }, keepOriginals: true };
  const whenBoth = Promise.withResolvers<void>();
  let ready = 0;
  const changed = afterLast(async () => {
    if (++ready === 2) whenBoth.resolve();
    await whenBoth.promise;
  });
  await Promise.all(others.map((job) => attemptAt(service, job, { env, changed })));
  const ends = await Promise.all(others.map(async (job) => (await owner("GET", uploadPath(job))).body.error?.code ?? null));
  expect(ends.toSorted()).toEqual([null, "storage_quota_exceeded"].toSorted());
  expect((await used()) - 3 * clip.length).toBe(2 * resultBytes);
});

it("an attempt whose result is invalid in the contract fails with internal_error, and keeps only the original", async () => {
  const owner = await service.as();
  const job = await upload(owner, await smallClip());
  // Stores each object, but reports a size of 0, which breaks the contract.
  const changed = (store: ObjectStore): Partial<ObjectStore> => ({
    putFile: async (...args) => ({ ...(await store.putFile(...args)), sizeBytes: 0 }),
  });
  expect(await attemptAt(service, job, { changed })).toEqual(["completed"]);
  await expectFailure(owner, job, "internal_error");
});

it("an attempt at a file that is no video fails at once, even if its files can't be deleted", async () => {
  const owner = await service.as();
  const job = await upload(owner, Buffer.from("not a video"));
  const changed = () => ({ deletePrefix: unavailable });
  expect(await attemptAt(service, job, { changed })).toEqual(["completed"]);
  await expectFailure(owner, job, "unsupported_media");
});

it.each([
  [0, 10],
  [1, 60],
  [2, 300],
  [88, 300],
])(
  "an attempt is postponed by pauses that grow while the store is unavailable: after %d postponements by %d s",
  async (earlier, startAfter) => {
    const job = await upload(ada, Buffer.from("bytes"));
    const postponed = { uncounted: true, startAfter, payload: { postponements: earlier + 1 } };
    expect(await attemptAt(service, job, { changed: away, payload: { postponements: earlier } })).toMatchObject([postponed]);
  },
);

const UNCOUNTED = sentence(
  "Attempts that end because a worker is shut down, because the video has to wait for another place (see below), or because disk space or storage is temporarily unavailable, don't count towards the three",
);
it.each([
  [1, true],
  [89, true],
  // The maximum of `attempt` is 100, so the last ones count.
  [90, false],
])(`${UNCOUNTED}: attempt %d; uncounted: %s`, async (attempt, uncounted) => {
  const owner = await service.as();
  const outcomeOf = async (execution: Partial<Execution>, fetchToFile: ObjectStore["fetchToFile"]) => {
    const job = await upload(owner, Buffer.from("bytes"));
    const numbers = { attempt, attemptsMax: attempt + 2 };
    const ends = await attemptAt(service, job, { changed: () => ({ fetchToFile }), execution: { ...numbers, ...execution } });
    expect((await owner("GET", uploadPath(job))).body).toMatchObject({ status: "queued", attempt, error: null });
    return ends;
  };
  const stop = new AbortController();
  const stopped = await outcomeOf({ stopping: stop.signal, signal: stop.signal }, async () => {
    stop.abort();
    stop.signal.throwIfAborted();
    return false;
  });
  expect(stopped).toEqual([{ uncounted }]);
  const postponed = await outcomeOf({}, unavailable);
  expect(postponed).toMatchObject([uncounted ? { uncounted, startAfter: 10, payload: { postponements: 1 } } : "retried"]);
});

const TWELVE =
  "An attempt can take 6 hours, and all attempts at a video 12 hours together. Then the job fails with `processing_timeout`.";
it.each([
  [12 * 3_600 - 1, "queued", null, away],
  [12 * 3_600, "failed", { code: "processing_timeout" }, away],
  // The rest is too short for the renditions.
  [12 * 3_600 - 0.05, "failed", { code: "processing_timeout" }, undefined],
])(`${sentence(TWELVE)} After %d s`, async (ranSeconds, status, error, changed) => {
  const owner = await service.as();
  const job = await upload(owner, await smallClip());
  await service.db.videoUpload.update({ where: { id: job.id }, data: { ranSeconds } });
  await attemptAt(service, job, changed === undefined ? {} : { changed });
  expect((await owner("GET", uploadPath(job))).body).toMatchObject({ status, error });
});

function fakeOnly(timer: "Interval" | "Timeout"): void {
  const doNotFake = "Date hrtime nextTick queueMicrotask setImmediate clearImmediate".split(" ");
  const other = timer === "Interval" ? "Timeout" : "Interval";
  jest.useFakeTimers({ doNotFake: [...doNotFake, `set${other}`, `clear${other}`] as "Date"[] });
}

it("an attempt records its running time while it runs, so that a killed worker loses 5 s of it at most", async () => {
  const { id } = await upload(await service.as(), Buffer.from("bytes"));
  const row = await beginAttempt(service.db, { videoUploadId: id, attempt: 1 }, "probing");
  fakeOnly("Interval");
  // It never ends, as if its worker was killed.
  countRunningTime(service.db, row!);
  await jest.advanceTimersByTimeAsync(5_000);
  jest.useRealTimers();
  const recorded = async () => (await ranSecondsOfOwner(service.db, { videoUploadId: id })).seconds;
  await eventually("5 s on record", async () => (await recorded()) === 5, 10_000);
});

it.each<Partial<StoredResult>>([
  ...[{ width: 65_536 }, { height: 0 }, { width: 1.5 }, { durationMs: 0 }, { durationMs: 2 ** 31 }, { container: "" }],
  ...[{ videoCodec: "H.264" }, { audioCodec: "" }, { renditions: [] }],
  ...[{ width: 65_536 }, { sizeBytes: 0 }, { contentType: "jpeg" }].map((it) => ({ poster: { ...FILE, ...it } })),
  ...[{ tileCount: 0 }, { sizeBytes: 0 }].map((it) => ({ sprite: { ...SPRITE, ...it } })),
  ...[{ height: 65_536 }, { durationMs: 0 }, { name: "a b" }].map((it) => ({ renditions: [{ ...RENDITION, ...it }] })),
])("the result check accepts only results that are valid in the contract: not %j", (change) => {
  const check = loadResultCheck();
  expect(() => check(randomUUID(), RESULT)).not.toThrow();
  const error = expect.objectContaining({ code: "internal_error", retryable: false });
  expect(() => check(randomUUID(), { ...RESULT, ...change })).toThrow(error);
});

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
    ["6 s in 720p", video(6, 1280, 720, 25), "native", 0],
    ["10 s of a browser in 720p", video(10, 1280, 720, 35), "native", 1],
    ["30 s of a phone", video(30, 1080, 1920, 30), "native", 1],
    ["a minute in 4K with 60 frames per second", video(60, 3840, 2160, 60), "native", 2],
    ["5 minutes in 720p", video(300, 1280, 720, 25), "native", 2],
    ["an hour in 720p", video(3_600, 1280, 720, 25), "native", 3],
    ["4 hours in 360p", video(14_400, 640, 360, 25), "native", 3],
    ["20 s of a phone at 240 frames per second, of which 60 remain", video(20, 1080, 1920, 240), "native", 1],
    ["30 s of a phone, with the slower engine", video(30, 1080, 1920, 30), "wasm", 2],
  ] as const)("follows from duration and pixels: %s", (_what, info, engine, lane) => {
    expect(laneOf(expectedSecondsOf(info, engine))).toBe(lane);
  });

  it("has priorities of its own, however long a job is deferred, and later lanes have lower ones", () => {
    for (const lane of [0, 1, 2, 3])
      for (const behindSeconds of [0, 1e5, 1e12]) {
        const priority = priorityOf({ lane, behindSeconds });
        expect(priority).toBeGreaterThanOrEqual(-(2 ** 31));
        expect(priority).toBeLessThan(2 ** 31);
        const lanes = [0, 1, 2, 3].filter((it) => {
          const { minPriority = -Infinity, maxPriority = Infinity } = laneRange(it, 4);
          return minPriority <= priority && priority <= maxPriority;
        });
        expect({ priority, lanes }).toEqual({ priority, lanes: [lane] });
      }
  });
});

const overrunAfter = (ms: number, lane: number, stage: string): unknown => {
  jest.useFakeTimers();
  using watch = watchOverrun(lane, { stage, percent: 50 });
  jest.advanceTimersByTime(ms);
  return watch.signal.aborted ? watch.signal.reason : null;
};

it("an attempt that runs longer than its lane allows moves to the next lane, unless it is finishing, and never leaves the last one", () => {
  for (const [lane, seconds] of [30, 60, 900].entries()) {
    expect(overrunAfter(seconds * 1_000 - 1, lane, "transcoding")).toBeNull();
    expect(overrunAfter(seconds * 1_000, lane, "transcoding")).toMatchObject({ lane: lane + 1 });
    expect(overrunAfter(seconds * 1_000, lane, "finishing")).toBeNull();
  }
  expect(overrunAfter(7 * 3_600_000, 3, "transcoding")).toBeNull();
});

it("an attempt that its lane ends goes to the next lane, and counts as none of the three", async () => {
  const job = await upload(ada, Buffer.from("bytes"));
  fakeOnly("Timeout");
  const fetchToFile: ObjectStore["fetchToFile"] = async (_key, _path, { signal } = {}) => {
    jest.advanceTimersByTime(30_000);
    signal!.throwIfAborted();
    return false;
  };
  const moved = { uncounted: true, startAfter: 0, position: { lane: 1 } };
  expect(await attemptAt(service, job, { changed: () => ({ fetchToFile }) })).toMatchObject([moved]);
  expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "queued", attempt: 1, error: null } });
});

/** An attempt of an upload, and what it does with its job. */
function attemptOf(id: string) {
  const puts: (string | object)[] = [];
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
    putBack: async (_tx: unknown, how: object) => void puts.push(how),
    retry: async () => void puts.push("retried"),
  };
  return { attempt, puts };
}

const uploadOf = async (client: Client): Promise<string> => (await upload(client, Buffer.from("bytes"))).id;
const deps = () => ({ db: service.db, log });
const DAY_SECONDS = 24 * 3_600;

describe("the turn of a video", () => {
  it(sentence("Users take turns: your next video waits for those of users who have less work in progress."), async () => {
    const [ada, bob] = [await service.as(), await service.as()];
    const ids = [await uploadOf(ada), await uploadOf(ada), await uploadOf(ada), await uploadOf(bob)] as const;
    const rows = await service.db.$queryRaw<{ id: string; priority: number }[]>`
      SELECT id, priority FROM pgboss.job WHERE id = ANY (${[...ids]}::uuid[]) ORDER BY priority DESC, id`;
    // Bob's comes right after Ada's first one, which began a moment earlier.
    expect(rows.map((it) => ids.indexOf(it.id))).toEqual([0, 3, 1, 2]);
    const behind = rows[0]!.priority - rows[2]!.priority;
    expect(behind).toBeGreaterThanOrEqual(300);
    expect(behind).toBeLessThan(400);
  });

  it("begins in the second lane for a file of more than 32 MiB, and in the third of more than 256", () => {
    expect([0, 32 * 2 ** 20, 32 * 2 ** 20 + 1, 256 * 2 ** 20, 256 * 2 ** 20 + 1].map(laneOfBytes)).toEqual([0, 0, 1, 1, 2]);
  });
});

describe("the budget of a user", () => {
  const BUDGET = sentence(
    "If the processing of your videos has taken 6 hours within 24 hours (by default), the next ones wait for those of all users who are below that.",
  );
  it.each([
    ["less than the budget in all", { 0: 45, 2: 44 }, false],
    ["the budget in two hours", { 0: 45, 23: 45 }, true],
    ["as much, but partly more than a day ago", { 0: 45, 24: 45 }, false],
  ])(`${BUDGET} Once, if it was %s`, async (_what, hours, isDeferred) => {
    const [ada, bob] = [await service.as(), await service.as()];
    const [id, ofBob] = [await uploadOf(ada), await uploadOf(bob)];
    for (const [ago, seconds] of Object.entries(hours)) {
      const hour = new Date((Math.floor(Date.now() / 3_600_000) - Number(ago)) * 3_600_000);
      await service.db.videoRunningTime.create({ data: { ownerId: ada.userId, hour, seconds } });
    }
    const { attempt, puts } = attemptOf(id);
    expect(await deferOverBudget({ ...deps(), budgetSeconds: 90 }, attempt)).toBe(isDeferred);
    const payload = { videoUploadId: id, isSetBack: true };
    const putBack = { uncounted: true, payload, position: { lane: 0, behindSeconds: DAY_SECONDS } };
    expect(puts).toEqual(isDeferred ? [putBack] : []);
    expect(await deferOverBudget({ ...deps(), budgetSeconds: 90 }, { ...attempt, payload })).toBe(false);
    expect(await deferOverBudget({ ...deps(), budgetSeconds: 90 }, attemptOf(ofBob).attempt)).toBe(false);
  });

  it(sentence("Deleting a video changes nothing."), async () => {
    const owner = await service.as();
    const [id, next] = [await uploadOf(owner), await uploadOf(owner)];
    for (const seconds of [40, 2.5]) await addRunningTime(service.db, { id, ownerId: owner.userId, seconds });
    expect(await service.db.videoUpload.findUnique({ where: { id } })).toMatchObject({ ranSeconds: 42.5 });
    expect(await owner("DELETE", uploadPath({ id }))).toMatchObject({ status: 204 });
    await addRunningTime(service.db, { id, ownerId: owner.userId, seconds: 10 });
    expect(await ranSecondsOfOwner(service.db, { videoUploadId: next })).toEqual({ seconds: 52.5 });
    expect(await service.db.videoUpload.findUnique({ where: { id: next } })).toMatchObject({ ranSeconds: 0 });
  });
});

describe("an attempt that moves to another lane", () => {
  it.each([false, true])("waits there for the videos of its owner, and for a day if it was deferred: %s", async (isSetBack) => {
    const [ada, bob] = [await service.as(), await service.as()];
    // What is expected to take 4 s stays in the first lane.
    for (const [owner, expectedSeconds] of [
      [ada, 4],
      [ada, 61],
      [ada, 100],
      [bob, 500],
    ] as const)
      await service.db.videoUpload.update({ where: { id: await uploadOf(owner) }, data: { expectedSeconds } });
    const id = await uploadOf(ada);
    const row = await beginAttempt(service.db, { videoUploadId: id, attempt: 1 }, "probing");
    const { attempt, puts } = attemptOf(id);
    const moving = { ...attempt, payload: { ...attempt.payload, isSetBack } };
    expect(await moveToLane(deps(), moving, row!, new WrongLane(1, 300))).toBe("moved");
    const behindSeconds = 10 * (61 + 100) + (isSetBack ? DAY_SECONDS : 0);
    expect(puts).toEqual([{ uncounted: true, startAfter: 0, position: { lane: 1, behindSeconds } }]);
    expect(await service.db.videoUpload.findUnique({ where: { id } })).toMatchObject({ status: "queued", expectedSeconds: 300 });
  });
});

it("an attempt that moves to another lane leaves its upload as it was if it dies before the move is committed", async () => {
  const { id } = await upload(ada, Buffer.from("bytes"));
  const row = await beginAttempt(service.db, { videoUploadId: id, attempt: 1 }, "probing");
  const before = await service.db.videoUpload.findUnique({ where: { id } });
  const putBack = () => Promise.reject(new Error("the worker dies"));
  const moving = moveToLane(deps(), { ...attemptOf(id).attempt, putBack }, row!, new WrongLane(1, 300));
  await expect(moving).rejects.toThrow("the worker dies");
  expect(await service.db.videoUpload.findUnique({ where: { id } })).toEqual(before);
});

it("an attempt that has lost its upload does not move it to another lane, and does not defer it", async () => {
  const owner = await service.as();
  const { id } = await upload(owner, Buffer.from("bytes"));
  const row = await beginAttempt(service.db, { videoUploadId: id, attempt: 1 }, "probing");
  await beginAttempt(service.db, { videoUploadId: id, attempt: 2 }, "probing");
  await service.db.videoRunningTime.create({ data: { ownerId: owner.userId, hour: new Date(), seconds: 90 } });
  const before = await service.db.videoUpload.findUnique({ where: { id } });
  const { attempt, puts } = attemptOf(id);
  const env = { ...deps(), budgetSeconds: 60 };
  expect(await moveToLane(env, attempt, row!, new WrongLane(2, 5_000))).toBe("lost");
  expect(await deferOverBudget(env, attempt)).toBe(false);
  expect(puts).toEqual([]);
  expect(await service.db.videoUpload.findUnique({ where: { id } })).toEqual(before);
});

/** Starts an upload again, as an operator does with a command. */
async function startAgain({ id }: Body): Promise<void> {
  const operator = await startJobs(service.databaseUrl, [videoDeadLetters.queue, processVideo.queue], { isWorker: false, log });
  const parts = { db: service.db, log, queue: operator.queue, quota: createStorageQuota(service.db, 1e9) };
  await retryVideo({ ...parts, objects: createFileStore(join(service.dataDir, "objects")) }, id).finally(() => operator.close());
}

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

const ENDED = {
  ...{ status: "failed", result: null, error: { code: "internal_error" } },
  ...{ progress: { stage: null }, finished_at: expect.any(String) },
};

describe("the reconciler", () => {
  type Row = [status: string, state: string | null, attempt: number, end: object];
  const LEFT = { error: null };
  it.each<Row>([
    ...["completed", "cancelled", "failed", null].map((state): Row => ["processing", state, 1, ENDED]),
    ["queued", null, 0, ENDED],
    ...["created", "retry"].map((state): Row => ["queued", state, 0, { status: "queued", ...LEFT }]),
    ["processing", "active", 1, { status: "processing", ...LEFT }],
    // Its worker was lost, and its job waits for a retry.
    ["processing", "retry", 1, { status: "queued", attempt: 1, progress: { percent: 0, stage: null }, ...LEFT }],
    // A later attempt than the lost worker's.
    ["processing", "retry", 2, { status: "processing", attempt: 2, ...LEFT }],
  ])("finds a %s upload whose job is %s, attempt %d, also by two at once", async (status, state, attempt, end) => {
    const owner = await service.as();
    const job = await uploadWithJob(owner, status, state);
    await service.db.videoUpload.update({ where: { id: job.id }, data: { attempt } });
    await Promise.all([reconcile(), reconcile()]);
    await reconcile();
    expect(await owner("GET", uploadPath(job))).toMatchObject({ body: end });
    expect(await notificationsOf(owner)).toEqual(end === ENDED ? [["video_upload.failed", job.id]] : []);
  });

  it("finds one upload without a job behind 600 uploads with jobs, more than one batch", async () => {
    const owner = await service.as();
    const living = 600;
    await service.db.$executeRaw`
      WITH upload AS (
        INSERT INTO video_uploads (id, owner_id, object_key, size_bytes, sha256, created_at)
        SELECT gen_random_uuid(), ${owner.userId}::uuid, 'video-uploads/x/original', 1, repeat('0', 64), now() - interval '1 hour' FROM generate_series(1, ${living}) RETURNING id
      ) INSERT INTO pgboss.job (id, name, data, policy) SELECT id, 'video-uploads', '{}', 'standard' FROM upload`;
    const job = await uploadWithJob(owner, "queued", null);
    await reconcile();
    expect(await owner("GET", uploadPath(job))).toMatchObject({ body: ENDED });
    expect(await notificationsOf(owner)).toEqual([["video_upload.failed", job.id]]);
    expect(await service.db.videoUpload.count({ where: { ownerId: owner.userId, status: "queued" } })).toBe(living);
  });

  it("does not change an upload of the last minute and an upload that has ended", async () => {
    const owner = await service.as();
    const [young, over] = [await upload(owner, await smallClip()), await uploadThatFailed(owner)];
    await service.db.$executeRaw`DELETE FROM pgboss.job WHERE id = ${young.id}::uuid`;
    await reconcile();
    expect(await owner("GET", uploadPath(young))).toMatchObject({ body: { status: "queued" } });
    expect(await owner("GET", uploadPath(over))).toMatchObject({ body: { status: "failed", error: { code: "too_long" } } });
    expect(await notificationsOf(owner)).toEqual([]);
  });

  it("is scheduled by every worker once a minute, and the maintenance once an hour", async () => {
    await using _worker = await startWorkerOf(service);
    const timetable = await service.db.$queryRaw`SELECT name, cron FROM pgboss.schedule ORDER BY name`;
    expect(timetable).toEqual([
      { name: "maintenance", cron: "17 * * * *" },
      { name: "reconciliation", cron: "* * * * *" },
    ]);
  });
});

describe("giving up an upload", () => {
  it("fails it once with one notification, also concurrently, and never changes an ended or deleted upload", async () => {
    const owner = await service.as();
    const job = await uploadWithJob(owner, "processing", "failed");
    await Promise.all(Array.from({ length: 5 }, () => giveUp(job.id)));
    const { body } = await owner("GET", uploadPath(job));
    expect(body).toMatchObject(ENDED);
    const over = await uploadThatFailed(owner);
    await giveUp(over.id);
    await giveUp(randomUUID());
    expect(await owner("GET", uploadPath(over))).toMatchObject({ body: { status: "failed", error: { code: "too_long" } } });
    expect(await owner("GET", uploadPath(job))).toMatchObject({ body });
    expect(await notificationsOf(owner)).toEqual([["video_upload.failed", job.id]]);
  });

  it("leaves an upload that an operator has started again, which is tried up to three times more, by attempts with new numbers", async () => {
    const owner = await service.as();
    const job = await uploadWithJob(owner, "processing", "failed");
    await service.db.videoUpload.update({ where: { id: job.id }, data: { attempt: 2 } });
    await startAgain(job);
    // The dead letter of the earlier job comes now.
    await giveUp(job.id);
    expect((await owner("GET", uploadPath(job))).body).toMatchObject({ status: "queued", attempt: 2, error: null });
    expect(await notificationsOf(owner)).toEqual([]);
    // The number of the next attempt is one more than `retry_count`, and that of the last one is one more than `retry_limit`.
    const [next] = await service.db.$queryRaw<object[]>`
      SELECT state::text, retry_count, retry_limit FROM pgboss.job WHERE id = ${job.id}::uuid`;
    expect(next).toEqual({ state: "created", retry_count: 2, retry_limit: 4 });
  });
});
