/** Video uploads and their jobs, from the first byte to the deletion. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Input } from "../../src/contract/contract.ts";
import type { JobQueue } from "../../src/jobs/jobs.ts";
import { findEngine } from "../../src/media/engine.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { StorageFailure } from "../../src/storage/object-store.ts";
import { videoUploadHandlers } from "../../src/video-uploads/handlers.ts";
import { withIdleTimeout } from "../../src/video-uploads/receive-body.ts";
import { makeResult } from "../../src/video-uploads/worker/make-result.ts";
import type { Body, Client } from "../support/client.ts";
import { withKey } from "../support/conversations.ts";
import { contentDigestOf } from "../support/digests.ts";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg, isAlive } from "../support/gated-ffmpeg.ts";
import { makeClip, makeWith, temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { problem } from "../support/problem.ts";
import { repository } from "../support/processes.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, startWorkerOf, type TestService } from "../support/service.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import {
  append,
  finished,
  queuedJobs,
  sha256Of,
  smallClip,
  storedFiles,
  streamOf,
  upload,
  uploadPath,
} from "../support/videos.ts";
import { faultsOf } from "./support/clip-check.ts";
import { chunkOf, openRequest } from "./support/open-request.ts";

// The first service has no worker, so its jobs stay unfinished. The second one finishes its jobs.
const waiting = prepare(() => startTestService({ ROLE: "api" }));
const working = prepare(() => startTestService({ VIDEO_CONCURRENCY: "2" }));
let clip: Buffer;
beforeAll(async () => {
  clip = await smallClip();
});

/** All stored rows, jobs and files. A refused request must not change them. */
async function stored() {
  const [rows, jobs] = [await waiting.db.videoUpload.count(), (await queuedJobs(waiting)).length];
  return { rows, jobs, files: await storedFiles(waiting) };
}

describe("POST /video-uploads", () => {
  it("returns 202 with the job and its Location, stores the same bytes, and enqueues the job", async () => {
    const ada = await waiting.as();
    const accepted = await ada("POST", "/video-uploads?name=doors-rehung.mp4", clip);
    expect(accepted).toMatchObject({
      status: 202,
      body: {
        status: "queued",
        name: "doors-rehung.mp4",
        size_bytes: clip.length,
        sha256: sha256Of(clip),
        ...{ progress: { percent: 0, stage: null }, attempt: 0, error: null, result: null, started_at: null, finished_at: null },
      },
    });
    expect(accepted.headers.get("location")).toBe(`/video-uploads/${accepted.body.id}`);
    expect(Number(accepted.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect(await ada("GET", accepted.headers.get("location")!)).toMatchObject({ status: 200, body: accepted.body });
    const [file, ...others] = (await storedFiles(waiting)).filter((it) => it.includes(accepted.body.id));
    expect(others).toEqual([]);
    expect(sha256Of(await readFile(join(waiting.dataDir, file!)))).toBe(sha256Of(clip));
    expect(await queuedJobs(waiting)).toContainEqual(expect.objectContaining({ id: accepted.body.id, state: "created" }));
  });

  it(`${sentence("The SHA-256 of the bytes received, in hexadecimal.")} Of a body in chunks, too`, async () => {
    const ada = await waiting.as();
    const chunks = streamOf(clip.subarray(0, 1), clip.subarray(1, 5_000), clip.subarray(5_000));
    const answer = await ada("POST", "/video-uploads", chunks);
    expect(answer).toMatchObject({ status: 202, body: { size_bytes: clip.length, sha256: sha256Of(clip), name: null } });
  });

  it("returns 400 malformed_body for an empty body, with and without a Content-Length, and stores nothing", async () => {
    const [ada, before] = [await waiting.as(), await stored()];
    for (const empty of [new Uint8Array(), streamOf()])
      expect(await ada("POST", "/video-uploads", empty)).toMatchObject({ status: 400, body: { code: "malformed_body" } });
    expect(await stored()).toEqual(before);
  });

  it(`${sentence("any `video/*`")}, and no body without a Content-Type`, async () => {
    const ada = await waiting.as();
    for (const [type, status] of Object.entries({ "video/mp4": 202, "video/x-unknown": 202, "image/png": 415 }))
      expect(await ada("POST", "/video-uploads", clip, { headers: { "Content-Type": type } })).toMatchObject({ status });
    const headers = { Authorization: ada.authorization! };
    const untyped = { method: "POST", headers, body: new Blob([new Uint8Array(clip)]) };
    expect((await fetch(`${waiting.url}/video-uploads`, untyped)).status).toBe(415);
  });

  it("returns 422 digest_mismatch if they do not match it, and stores nothing", async () => {
    const [ada, before] = [await waiting.as(), await stored()];
    expect(
      await ada("POST", "/video-uploads", clip.subarray(1), { headers: { "Content-Digest": contentDigestOf(clip) } }),
    ).toMatchObject({ status: 422, body: { code: "digest_mismatch" } });
    expect(await stored()).toEqual(before);
  });

  it.each([
    "md5=:1B2M2Y8AsgTpgAmY7PhCfg==:",
    "sha-256=abc",
    "sha-256=::",
    "nonsense",
    `sha-512=:${"A".repeat(43)}=:`,
    `sha-256=:${"A".repeat(43)}=:, sha-256=:${"B".repeat(43)}=:`,
  ])(`${sentence("Send exactly one, `sha-256` or `sha-512`; other algorithms return 400.")} %s`, async (digest) => {
    expect(await (await waiting.as())("POST", "/video-uploads", clip, { headers: { "Content-Digest": digest } })).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        errors: expect.arrayContaining([expect.objectContaining({ in: "header", pointer: "/content-digest" })]),
      },
    });
  });
});

describe("POST /video-uploads with an Idempotency-Key", () => {
  const RETRY = sentence("A retry of a plain upload with the same bytes and `name` returns the first job;");
  it(`${RETRY} also in chunks, and after the deletion, and it stores nothing`, async () => {
    const ada = await waiting.as();
    const key = randomUUID();
    const first = await ada("POST", "/video-uploads?name=a", clip, withKey(key));
    const after = await stored();
    const again = await ada("POST", "/video-uploads?name=a", streamOf(clip), withKey(`"${key}"`));
    expect(again).toMatchObject({ status: 202, text: first.text });
    expect([again.headers.get("location"), again.headers.get("idempotency-replayed")]).toEqual([
      first.headers.get("location"),
      "true",
    ]);
    expect(await stored()).toEqual(after);
    await ada("DELETE", uploadPath(first.body));
    const deleted = await stored();
    expect(await ada("POST", "/video-uploads?name=a", clip, withKey(key))).toMatchObject({ status: 202, text: first.text });
    expect(await stored()).toEqual(deleted);
  });

  it(`${sentence("the same key with different bytes returns 422.")} So does another name, and nothing is stored`, async () => {
    const ada = await waiting.as();
    const key = randomUUID();
    await ada("POST", "/video-uploads?name=a", clip, withKey(key));
    const after = await stored();
    for (const [query, bytes] of [
      ["?name=a", clip.subarray(1)],
      ["?name=b", clip],
      ["", clip],
    ] as const) {
      expect(await ada("POST", `/video-uploads${query}`, bytes, withKey(key))).toMatchObject(
        problem(422, "idempotency_key_reused"),
      );
    }
    expect(await stored()).toEqual(after);
  });

  it("creates one job for five concurrent uploads with one key, and stores the bytes once", async () => {
    const ada = await waiting.as();
    const key = randomUUID();
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("POST", "/video-uploads", clip, withKey(key))));
    expect(answers.map((it) => it.status)).toEqual([202, 202, 202, 202, 202]);
    expect(new Set(answers.map((it) => it.text)).size).toBe(1);
    const after = await stored();
    const more = [after.rows - before.rows, after.jobs - before.jobs, after.files.length - before.files.length];
    expect(more).toEqual([1, 1, 1]);
  });
});

it.each<[string, Record<string, string>, (bytes: Buffer) => Buffer]>([
  ["a Content-Length that is never reached", { "Content-Length": "1000000" }, (bytes) => bytes],
  ["chunks without an end", { "Transfer-Encoding": "chunked" }, (bytes) => Buffer.concat(chunkOf(bytes))],
])(
  "POST /video-uploads over a connection that breaks leaves no row, no job and no file for an upload with %s",
  async (_what, framing, bodyOf) => {
    const [ada, before] = [await waiting.as(), await stored()];
    const headers = { "Content-Type": "application/octet-stream", ...framing };
    const { socket } = openRequest(ada, waiting.url, ["POST", "/video-uploads", headers], bodyOf(clip));
    await eventually("an unfinished file", async () => (await stored()).files.length > before.files.length);
    socket.resetAndDestroy();
    await eventually("no row, job or file of it", async () => JSON.stringify(await stored()) === JSON.stringify(before));
  },
);

/** Uploads bytes to a store that accepts them but is unavailable for their removal. */
function uploadWithKey(userId: string, key: string, bytes: string) {
  const deletePrefix = () => Promise.reject(new StorageFailure("unavailable", "the store does not answer"));
  const handlers = videoUploadHandlers({
    ...{ db: waiting.db, pool: waiting.db, objects: { ...createFileStore(join(waiting.dataDir, "objects")), deletePrefix } },
    ...{ cursors: createCursors(["a secret of these tests"]), maxStoredBytesPerUser: 2 ** 40, log: pino({ level: "silent" }) },
    ...{ queue: { enqueue: async () => undefined, remove: async () => undefined } as JobQueue },
    ...{ maxUploadBytes: 1_000, idleMs: 10_000, keepOriginals: true },
  });
  const input = {
    ...{ operation: "createVideoUpload", principal: { userId }, path: {}, query: {}, header: { "Idempotency-Key": key } },
    ...{ body: Readable.from([Buffer.from(bytes)]), checkResponse: () => undefined },
    ...{ announceUpload: () => undefined, announceOffset: () => undefined },
  } as unknown as Input<"createVideoUpload">;
  return handlers.createVideoUpload(input);
}

it("a replay and a refusal are returned even if the bytes of their request can't be deleted yet", async () => {
  const key = "the-store-is-away";
  const { userId } = await waiting.as();
  const first = await uploadWithKey(userId, key, "one video");
  expect(await uploadWithKey(userId, key, "one video")).toMatchObject({ status: 202, body: first.body });
  await expect(uploadWithKey(userId, key, "another video")).rejects.toMatchObject({ code: "idempotency_key_reused" });
});

it("GET /video-uploads/{job_id} returns 200 with the state of an unfinished job, its ETag and Retry-After", async () => {
  const ada = await waiting.as();
  const job = await upload(ada, clip);
  const answer = await ada("GET", uploadPath(job));
  expect(answer).toMatchObject({ status: 200, body: job });
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  const headers = { "If-None-Match": answer.headers.get("etag")! };
  const unchanged = await ada("GET", uploadPath(job), undefined, { headers });
  expect(unchanged).toMatchObject({ status: 304, text: "" });
  expect(Number(unchanged.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});

describe("GET /video-uploads", () => {
  const EVERY = sentence("Returns every video upload that you have not deleted, in whatever state.");
  it(`${EVERY} ${sentence("Return only uploads with this status.")}`, async () => {
    const [ada, yuki] = [await working.as(), await working.as()];
    const jobs = [await upload(ada, clip, "?name=one"), await upload(ada, Buffer.from("not a video"), "?name=two")];
    await upload(yuki, Buffer.from("not a video"));
    const ended = [await finished(ada, jobs[1]), await finished(ada, jobs[0])];
    expect(await ada("GET", "/video-uploads")).toMatchObject({
      status: 200,
      body: { data: ended, page: { limit: 20, next_cursor: null } },
    });
    for (const [status, found] of Object.entries({ succeeded: [ended[1]], failed: [ended[0]], queued: [] }))
      expect((await ada("GET", `/video-uploads?status=${status}`)).body.data).toEqual(found);
  });

  it(sentence("A resumable upload is not in the list until it is complete."), async () => {
    const ada = await waiting.as();
    const listed = async () => (await ada("GET", "/video-uploads")).body.data.map((it: Body) => it.id);
    const { headers } = await ada("POST", "/video-uploads", clip, { headers: { "Upload-Complete": "?0" } });
    const location = headers.get("location")!;
    expect(await listed()).toEqual([]);
    expect(await ada("GET", location.replace("/transfer", ""))).toMatchObject({ status: 404 });
    const { body } = await append(ada, location, clip.length, true, Buffer.from("!"));
    expect(await listed()).toEqual([body.id]);
  });
});

const small = { durationSeconds: 1, width: 160, height: 120 } as const;

describe("the job of a video upload", () => {
  const POLL = sentence("Poll `Location`, waiting for `Retry-After` between requests.");
  const FINISHED = sentence("Without `Retry-After`, the job is finished and doesn't change any more.");
  const NOTIFIED = sentence("when one of your video uploads succeeds or fails.");
  it(`${POLL} ${FINISHED} You get one notification ${NOTIFIED}`, async () => {
    const ada = await working.as();
    const video = await readFile(await makeClip({ ...small, container: "mp4" }));
    const accepted = await ada("POST", "/video-uploads?name=doors-rehung.mp4", video);
    expect(accepted).toMatchObject({ status: 202, body: { status: "queued" } });
    let answer = await ada("GET", accepted.headers.get("location")!);
    const etag = answer.headers.get("etag");
    while (answer.headers.has("retry-after")) {
      expect(["queued", "processing"]).toContain(answer.body.status);
      await new Promise((done) => setTimeout(done, Number(answer.headers.get("retry-after")) * 1_000));
      answer = await ada("GET", accepted.headers.get("location")!);
    }
    expect(answer.headers.get("etag")).not.toBe(etag);
    expect(answer.body).toMatchObject({
      ...{ id: accepted.body.id, status: "succeeded", attempt: 1 },
      progress: { percent: 100, stage: null },
      error: null,
      result: { container: "mp4", width: 160, height: 120, video_codec: "h264", audio_codec: "aac" },
    });
    expect(Math.abs(answer.body.result.duration_ms - 1_000)).toBeLessThanOrEqual(100);
    const { created_at: created, started_at: started, finished_at: ended } = answer.body;
    expect([created, started, ended].toSorted()).toEqual([created, started, ended]);
    expect((await ada("GET", "/notifications")).body).toMatchObject({
      data: [
        {
          kind: "video_upload.succeeded",
          status: "unread",
          title: "Your video doors-rehung.mp4 is ready",
          resource: { type: "video_upload", id: accepted.body.id, href: uploadPath(accepted.body) },
        },
      ],
      unread_count: 1,
    });
  });

  it("makes files without the title and the comment of the original", async () => {
    const ada = await working.as();
    const clip = await makeClip({ ...small, container: "mp4" });
    const named = ["-metadata", "title=A secret title", "-metadata", "comment=+47.4+008.5/"];
    const original = await readFile(await makeWith(["-i", `file:${clip}`, "-c", "copy", ...named, "-f", "mp4"], "mp4", [clip]));
    const secrets = (bytes: Uint8Array) =>
      ["A secret title", "+47.4"].filter((it) => Buffer.from(bytes).toString("latin1").includes(it));
    expect(secrets(original)).toHaveLength(2);
    const { result } = await finished(ada, await upload(ada, original));
    for (const { href } of [result.poster, ...result.renditions]) {
      const response = await fetch(`${working.url}${href}`, { headers: { Authorization: ada.authorization! } });
      expect([response.status, secrets(await response.bytes())]).toEqual([200, []]);
    }
  });

  const FAILED = sentence("A failed job returns 200 with `status: failed`.");
  const ONE_OF_TWO = sentence("`result` is set only when the job has succeeded, `error` only when it has failed.");
  it(`${FAILED} ${ONE_OF_TWO} The name is ignored`, async () => {
    const ada = await working.as();
    const found = { container: "webm", width: 160, height: 120, video_codec: "vp8", audio_codec: "opus" };
    const webm = await makeClip({ ...small, container: "webm" });
    expect(await finished(ada, await upload(ada, webm, "?name=clip.mp4"))).toMatchObject({
      ...{ status: "succeeded", result: found, error: null },
    });
    const failed = await finished(ada, await upload(ada, Buffer.from("Minutes of the meeting\n".repeat(100)), "?name=clip.mp4"));
    expect(failed).toMatchObject({ status: "failed", result: null, error: { code: "unsupported_media" } });
    const { body } = await ada("GET", "/notifications?kind=video_upload.failed");
    expect(body.data).toMatchObject([
      { title: "Your video clip.mp4 could not be processed", body: failed.error.detail, resource: { id: failed.id } },
    ]);
  });
});

it.each<[string, string, Uint8Array]>([
  ["unsupported_media", "one byte", Buffer.from("x")],
  ["unsupported_media", "a megabyte of zeros", Buffer.alloc(2 ** 20)],
  ["corrupt_media", "only the first bytes of an MP4", Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp42", "latin1")],
])(`${sentence("If it is not a video, its job fails.")} With %s: %s`, async (code, _what, bytes) => {
  const ada = await working.as();
  const job = await finished(ada, await upload(ada, bytes));
  expect(job).toMatchObject({ status: "failed", attempt: 1, progress: { stage: null }, result: null, error: { code } });
  expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
});

const idle = {
  attemptFolder: "upload/1",
  budget: { minFreeBytes: 0, quotaBytes: Infinity },
  progress: { stage: "probing", percent: 0 },
  limits: {},
  checkLane: () => undefined,
  signal: new AbortController().signal,
};

/** The files in a folder that this process has open. */
async function openFiles(folder: string): Promise<string[]> {
  const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return (await Promise.all(links)).filter((it) => it.startsWith(folder));
}

it("an original with other bytes than the uploaded file is not processed", async () => {
  await using scratch = await temporaryFolder();
  const objects = createFileStore(join(scratch.path, "store"));
  await objects.put("upload/original", Readable.from([Buffer.from("other bytes")]), { maxBytes: 100 });
  const folder = join(scratch.path, "work");
  await mkdir(folder);
  const context = { ...idle, objects, engine: findEngine({ mode: "auto" }), folder };
  const making = makeResult(context, { objectKey: "upload/original", sha256: "0".repeat(64) });
  await expect(making).rejects.toMatchObject({
    code: "internal_error",
    retryable: true,
    cause: { message: expect.stringContaining("has the SHA-256") },
  });
  expect(await readdir(folder)).toEqual(["original"]);
});

itNeeds("mount", "a result that does not fit in a store on another disk leaves no file open", async () => {
  await using scratch = await temporaryFolder();
  await using disk = await mountSmallDisk(8 * 1024 * 1024);
  const [root, folder] = [join(disk.path, "store"), join(scratch.path, "work")];
  await mkdir(folder);
  const clip = createReadStream(await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "mp4" }));
  const { sha256 } = await createFileStore(root).put("upload/original", clip, { maxBytes: 1e6 });
  const context = {
    objects: createFileStore(root, Number.MAX_SAFE_INTEGER),
    engine: findEngine({ mode: "auto" }),
    folder,
    ...idle,
  };
  const original = { objectKey: "upload/original", sha256 };
  await expect(makeResult(context, original)).rejects.toMatchObject({ kind: "store_full" });
  expect([...(await openFiles(scratch.path)), ...(await openFiles(disk.path))]).toEqual([]);
});

describe("DELETE /video-uploads/{job_id}", () => {
  it(`${sentence("Deleting it again returns 404.")} A queued job leaves the queue, with its file`, async () => {
    const ada = await waiting.as();
    const job = await upload(ada, clip);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204, text: "" });
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await ada("GET", "/video-uploads")).body.data).toEqual([]);
    const [jobs, files] = [await queuedJobs(waiting), await storedFiles(waiting)];
    expect([jobs.filter((it) => it.id === job.id), files.filter((it) => it.includes(job.id))]).toEqual([[], []]);
  });

  it(sentence("Deletes the video, its job, and all files of its result, in any state."), async () => {
    const ada = await working.as();
    const jobs: Body[] = [];
    for (const [bytes, status] of [
      [clip, "succeeded"],
      [Buffer.from("not a video"), "failed"],
    ] as const) {
      const job = await finished(ada, await upload(ada, bytes));
      expect(job.status).toBe(status);
      jobs.push(job);
      expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
      expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    }
    const isOfJob = (file: string) => jobs.some((it) => file.includes(it.id));
    await eventually("no file left", async () => !(await storedFiles(working)).some(isOfJob));
    // The notifications stay, although their resource is deleted.
    const { body } = await ada("GET", "/notifications");
    expect(body.data).toHaveLength(2);
    expect(await ada("GET", body.data[0].resource.href)).toMatchObject({ status: 404 });
  });
});

it("DELETE /video-uploads/{job_id} while the object store is unavailable returns 204, and a worker deletes the bytes when the store is available again", async () => {
  await using service = await startTestService({ ROLE: "api" });
  const ada = await service.as();
  const [job, begun] = [
    await upload(ada, clip),
    await ada("POST", "/video-uploads", clip, { headers: { "Upload-Complete": "?0" } }),
  ];
  expect(await storedFiles(service)).toHaveLength(2);
  // A file instead of the folder makes everything below it unreachable, even for root.
  const folder = join(service.dataDir, "objects/objects/video-uploads");
  await rename(folder, `${folder}-away`);
  await writeFile(folder, "");
  expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
  expect(await ada("DELETE", begun.headers.get("location")!)).toMatchObject({ status: 204 });
  for (const path of [uploadPath(job), begun.headers.get("location")!])
    expect(await ada("GET", path)).toMatchObject({ status: 404 });
  await rm(folder);
  await rename(`${folder}-away`, folder);
  expect(await storedFiles(service)).toHaveLength(2);
  // As the schedule does every minute.
  await service.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('reconciliation')`;
  await using _worker = await startWorkerOf(service);
  await eventually("no file left", async () => (await storedFiles(service)).length === 0);
});

itNeeds(
  "ffmpeg",
  `DELETE /video-uploads/{job_id} while the job is being processed: ${sentence("A running job is stopped, and you get no notification about it.")}`,
  async () => {
    await using gate = await gatedFfmpeg();
    await using service = await startTestService({ FFMPEG_PATH: gate.path });
    const ada = await service.as();
    const job = await upload(ada, clip);
    const [probe] = await gate.waiting(1);
    expect(await ada("GET", uploadPath(job))).toMatchObject({
      body: { status: "processing", attempt: 1, progress: { stage: expect.any(String) }, started_at: expect.any(String) },
    });
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    await eventually("the end of the process", async () => !(await isAlive(probe!)));
    await gate.open();
    await eventually("no file left", async () => (await storedFiles(service)).length === 0);
    // After another job of the same worker, any late write of the first job would be visible.
    const next = await finished(ada, await upload(ada, clip));
    expect(next.status).toBe("succeeded");
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    expect((await ada("GET", "/notifications")).body.data.map((it: { resource: { id: string } }) => it.resource.id)).toEqual([
      next.id,
    ]);
    expect((await storedFiles(service)).filter((it) => it.includes(job.id))).toEqual([]);
    expect(await service.db.videoUpload.count()).toBe(1);
  },
);

const IDLE_MS = 1_000;

it("a body that arrives slowly ends with 408, also after 64 KiB that came at once, and not while 64 KiB come in each period", async () => {
  const body = new PassThrough();
  const send = (bytes: number, everyMs: number, times: number) =>
    new Promise<void>((done) => {
      let left = times;
      const timer = setInterval(() => {
        body.write(Buffer.alloc(bytes));
        if (--left > 0) return;
        clearInterval(timer);
        done();
      }, everyMs);
    });
  let arrived = 0;
  const reading = (async () => {
    for await (const chunk of withIdleTimeout(body, IDLE_MS)) arrived += chunk.length;
  })();
  const refused = expect(reading).rejects.toMatchObject({ code: "request_timeout" });
  await send(65_536, 250, 6);
  const trickling = send(1, 50, 40);
  await refused;
  expect(arrived).toBeGreaterThanOrEqual(6 * 65_536);
  expect(arrived).toBeLessThan(6 * 65_536 + 40);
  await trickling;
});

/** Runs the command in the README through npm. */
async function uploadByNpm(service: TestService, client: Client): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn("npm", ["run", "-s", "plumbline", "--", "upload", "src/demo/clip.mp4", "--url", service.url], {
    cwd: repository,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...{ PATH: process.env["PATH"], HOME: process.env["HOME"], NO_COLOR: "1" },
      PLUMBLINE_KEY: client.authorization!.slice("Bearer ".length),
    },
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: code as number, stdout, stderr };
}

it("`npm run -s plumbline -- upload src/demo/clip.mp4` prints the URLs of a valid poster and valid renditions, with wasm too", async () => {
  await using service = await startTestService({ MEDIA_ENGINE: "wasm" });
  const ada = await service.as();
  await using folder = await temporaryFolder();
  const { code, stdout, stderr } = await uploadByNpm(service, ada);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const job = (await ada("GET", "/video-uploads")).body.data[0];
  const { poster, renditions, duration_ms } = job.result;
  expect(stdout.match(/http:\S+/g)).toEqual([poster, ...renditions].map((it) => `${service.url}${it.href}`));
  expect(Math.abs(duration_ms - 3_000)).toBeLessThanOrEqual(100);
  expect(await faultsOf(ada, service.url, job, null, folder.path)).toEqual([]);
});
