/** Workers that are stopped, killed or frozen in the middle of a job, and what they leave. Each is a separate process. */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { openScratch, removeAbandonedScratch } from "../../src/video-uploads/worker/scratch.ts";
import type { Body, Client } from "../support/client.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg, type GatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { presumeDead } from "../support/jobs.ts";
import { hold } from "../support/locks.ts";
import { makeClip } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { crowding, PATIENT, processesNaming, run, type Running } from "../support/processes.ts";
import { finished, queuedJobs, reaches, removeVideos, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { chunkOf, openRequest, statusesIn } from "./support/open-request.ts";
import { beginUpload, idIn } from "./support/resumable.ts";

const log = pino({ level: "silent" });
const OCTETS = { "Content-Type": "application/octet-stream" };
const deployment = prepare(createDeployment);
const workers: Running[] = [];
let clip: Buffer;
let scratchDir: string;
beforeAll(async () => {
  await deployment.start("api");
  clip = await smallClip();
  scratchDir = join(deployment.dataDir, "scratch");
});
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker[Symbol.asyncDispose]();
  await removeVideos(deployment);
});

async function startWorker(gate?: GatedFfmpeg, at: Deployment = deployment): Promise<Running> {
  const settings = { VIDEO_CONCURRENCY: "2", ...(gate === undefined ? {} : { FFMPEG_PATH: gate.path }) };
  workers.push(await at.start("worker", settings));
  return workers.at(-1)!;
}
/** Another process with the API. The clients of the tests stay at the first one. */
const startApi = () =>
  run({ ...PATIENT, NODE_ENV: "test", ROLE: "api", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir });
async function kill(process: Running): Promise<void> {
  process.child.kill("SIGKILL");
  expect(await process.exited).toBe("SIGKILL");
}
const read = async (client: Client, job: Body) => (await client("GET", uploadPath(job))).body;
const folders = async () => (await readdir(scratchDir)).filter((it) => !it.endsWith(".lock")).sort();
const nothingIsLeft = () => eventually("no file left", async () => (await storedFiles(deployment)).length === 0);
const firstAttemptLeft = (job: Body) =>
  eventually("no file of the first attempt", async () =>
    (await storedFiles(deployment)).every((it) => !it.includes(`${job.id}-1/`) && !it.includes(`${job.id}/1/`)),
  );
/** The jobs that the schedule creates every minute and every hour. A worker polls for them when it starts. */
const timePasses = (queue: "reconciliation" | "maintenance") =>
  deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES (${queue})`;

async function makeFolders(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(scratchDir, name, "made"), { recursive: true });
    await writeFile(join(scratchDir, name, "made/480p.mp4"), "half a video");
  }
}
/** Makes folders as a killed process leaves them: each beside a lock file that no process holds. */
async function makeAbandoned(...names: readonly string[]): Promise<void> {
  await makeFolders(...names);
  for (const name of names) await writeFile(join(scratchDir, `${name}.lock`), "");
}

describe("the scratch folder", () => {
  it("loses only abandoned folders by two concurrent cleanups", async () => {
    const [atWork, over, old, young, lockAlone] = Array.from({ length: 5 }, () => randomUUID()) as [string, ...string[]];
    await mkdir(scratchDir);
    const working = await openScratch(scratchDir, { videoUploadId: atWork, attempt: 1 });
    await writeFile(join(working.path, "original"), "a video");
    await makeFolders(`${old}-1`, `${young}-1`, "lost+found", "notes", `${young}`);
    await makeAbandoned(`${over}-2`);
    await writeFile(join(scratchDir, `${lockAlone}-1.lock`), "");
    await utimes(join(scratchDir, `${old}-1`), new Date(0), new Date(0));
    await Promise.all([removeAbandonedScratch({ scratchDir, log }), removeAbandonedScratch({ scratchDir, log })]);
    const remaining = [`${atWork}-1`, `${young}-1`, "lost+found", "notes", `${young}`];
    expect(await folders()).toEqual(remaining.toSorted());
    expect(await readdir(working.path)).toEqual(["original"]);
    await expect(openScratch(scratchDir, { videoUploadId: atWork, attempt: 1 })).rejects.toThrow(/Another process is at work/);
    await working.remove();
    expect((await readdir(scratchDir)).toSorted()).toEqual(remaining.slice(1).toSorted());
  });

  itNeeds("ffmpeg", "keeps the folder of a running job when a worker of another database starts", async () => {
    await using gate = await gatedFfmpeg();
    await using other = await createDeployment({ dataDir: deployment.dataDir });
    const ada = await deployment.as();
    await startWorker(gate);
    const job = await upload(ada, clip);
    await gate.waiting(1);
    await makeAbandoned(`${randomUUID()}-1`);
    // Its database has no record of the work in the folder. It cleans up before it is ready.
    await startWorker(undefined, other);
    expect(await storedFiles(deployment, "scratch")).toEqual([`scratch/${job.id}-1.lock`, `scratch/${job.id}-1/original`]);
    await gate.open();
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
    await eventually("no folder left", async () => (await folders()).length === 0);
  });

  itNeeds("ffmpeg", "loses the folders of a killed worker, and the next attempt has a new one", async () => {
    await using gate = await gatedFfmpeg();
    const ada = await deployment.as();
    const killed = await startWorker(gate);
    const [deleted, retried] = [await upload(ada, clip), await upload(ada, clip)];
    await gate.waiting(2);
    await kill(killed);
    expect(await ada("DELETE", uploadPath(deleted))).toMatchObject({ status: 204 });
    expect(await folders()).toEqual([`${deleted.id}-1`, `${retried.id}-1`].sort());
    await startWorker(gate);
    expect((await folders()).filter((it) => it.endsWith("-1"))).toEqual([]);
    await presumeDead(deployment, retried.id);
    await gate.waiting(3);
    expect([await read(ada, retried), await folders()]).toMatchObject([{ attempt: 2 }, [`${retried.id}-2`]]);
    await gate.open();
    expect(await finished(ada, retried)).toMatchObject({ status: "succeeded", attempt: 2 });
    await eventually("no folder left", async () => (await folders()).length === 0);
    expect((await storedFiles(deployment)).filter((it) => it.includes(deleted.id))).toEqual([]);
  });
});

it("the hourly maintenance removes abandoned folders, uploads that were not resumed for a day, and what a dead process has reserved", async () => {
  const ada = await deployment.as();
  const used = async () =>
    Number((await deployment.db.storageUsage.findUnique({ where: { userId: ada.userId } }))?.sizeBytes ?? 0);
  const [forgotten, fresh] = [await beginUpload(ada, new Uint8Array(10)), await beginUpload(ada, new Uint8Array(10))];
  const reserved = await used();
  await deployment.db
    .$executeRaw`UPDATE partial_uploads SET created_at = created_at - interval '25 hours' WHERE id = ${idIn(forgotten)}::uuid`;
  await using dying = startApi();
  openRequest(
    ada,
    (await dying.ready()).url,
    ["POST", "/video-uploads", { ...OCTETS, "Content-Length": "900" }],
    Buffer.from("x"),
  );
  await eventually("its reservation", async () => (await used()) === reserved + 900);
  await kill(dying);
  await deployment.db
    .$executeRaw`UPDATE upload_reservations SET touched_at = touched_at - interval '1 day' WHERE size_bytes = 900`;
  await timePasses("maintenance");
  await using holder = await hold(deployment.databaseUrl, "LOCK TABLE partial_uploads IN EXCLUSIVE MODE");
  await startWorker();
  // The cleanup at startup is over, and the cleanup of the maintenance job has not begun.
  await holder.blocks(1);
  await makeAbandoned(`${randomUUID()}-1`);
  await holder.release();
  await eventually("the deletion of the abandoned upload", async () => (await ada("GET", forgotten)).status === 404);
  expect((await ada("GET", fresh)).status).toBe(204);
  await timePasses("reconciliation");
  await eventually("only the bytes of the fresh upload", async () => (await used()) === reserved / 2);
  await eventually("no folder left", async () => (await folders()).length === 0);
  const kept = (await storedFiles(deployment)).filter((it) => !it.startsWith("objects/incoming/"));
  expect(kept).toEqual([expect.stringContaining(idIn(fresh))]);
});

const children = () => processesNaming(scratchDir);

/** Stops the child, which a signal other than SIGKILL can't end from now on. Otherwise the job could end before it is interrupted. */
async function halted(): Promise<boolean> {
  const [child] = await children();
  if (child === undefined) return false;
  try {
    process.kill(child, "SIGSTOP");
  } catch {
    return false; // It has just ended; the next one is met instead.
  }
  return (await children()).includes(child);
}

/** Uploads a long video, waits until a child process writes one of its renditions, and stops that process in the middle. */
async function uploadAndMeet(client: Client): Promise<Body> {
  const job = await upload(client, await makeClip({ durationSeconds: 10, width: 854, height: 480, container: "mp4" }));
  const isMet = async () => {
    const { status, progress } = await read(client, job);
    if (status === "succeeded" || status === "failed") throw new Error(`It has ended before it was met: ${status}.`);
    const files = await storedFiles(deployment, "scratch");
    return progress.stage === "transcoding" && files.some((it) => it.endsWith(".mp4")) && (await halted());
  };
  await eventually("a rendition in the scratch folder", isMet, 480_000);
  expect(await children()).toHaveLength(1);
  return job;
}

/** Expects that no child process is left after a second, or after as much more as the machine is slower. */
async function childrenGone(what: string): Promise<void> {
  const [slowdown, beganMs] = [crowding(), performance.now()];
  await eventually("the end of the child process", async () => (await children()).length === 0, undefined, 5);
  const tookMs = performance.now() - beganMs;
  process.stderr.write(`${what}: the child process was dead after ${tookMs.toFixed(0)} ms\n`);
  expect(tookMs).toBeLessThan(1_000 * Math.max(slowdown, crowding()));
}

itNeeds("linux", "DELETE of a video kills its child in another process within a second, and leaves no file", async () => {
  await startWorker();
  const ada = await deployment.as();
  const job = await uploadAndMeet(ada);
  const gone = childrenGone("DELETE while transcoding");
  expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
  await gone;
  await nothingIsLeft();
  // After another job of the same worker, any late write of the first job would be visible.
  const next = await finished(ada, await upload(ada, clip));
  expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", next.id]]);
  expect((await storedFiles(deployment)).filter((it) => it.includes(job.id))).toEqual([]);
});

/** Blocks a worker at the transaction that ends a job, and kills it there. */
async function dieAtTheEnd(client: Client, job: Body, attempt: number): Promise<void> {
  await using holder = await hold(deployment.databaseUrl, "LOCK TABLE notifications IN EXCLUSIVE MODE");
  const worker = await startWorker();
  await eventually(`attempt ${attempt} at work`, async () => (await read(client, job)).attempt === attempt, 60_000);
  await holder.blocks(1);
  await kill(worker);
}

describe("the job of a video upload", () => {
  itNeeds("ffmpeg", "goes on within three seconds after its worker was stopped, which uses up no attempt", async () => {
    await using gate = await gatedFfmpeg();
    const ada = await deployment.as();
    const stopping = await startWorker(gate);
    const job = await upload(ada, clip);
    await gate.waiting(1);
    expect(await read(ada, job)).toMatchObject({ status: "processing", attempt: 1 });
    const next = await startWorker(gate);
    const [slowdown, beganMs] = [crowding(), performance.now()];
    stopping.child.kill("SIGTERM");
    await gate.waiting(2);
    const tookMs = performance.now() - beganMs;
    process.stderr.write(`a job whose worker was stopped began again after ${tookMs.toFixed(0)} ms\n`);
    expect(tookMs).toBeLessThan(3_000 * Math.max(slowdown, crowding()));
    expect([await stopping.exited, await read(ada, job)]).toMatchObject([0, { status: "processing", attempt: 2 }]);
    for (const [at, killed] of [next, await startWorker(gate)].entries()) {
      await gate.waiting(2 + at);
      await kill(killed);
      await presumeDead(deployment, job.id);
    }
    await gate.open();
    await startWorker(gate);
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 4 });
    expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
  });

  it("succeeds once after its worker was killed, with one notification and no file of the first attempt", async () => {
    const ada = await deployment.as();
    const job = await upload(ada, clip);
    await dieAtTheEnd(ada, job, 1);
    expect(await read(ada, job)).toMatchObject({ status: "processing", attempt: 1, result: null });
    await presumeDead(deployment, job.id);
    await startWorker();
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2, error: null });
    expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
    await firstAttemptLeft(job);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    await nothingIsLeft();
  });

  it("fails with internal_error and one notification if the worker of its last attempt was killed", async () => {
    const ada = await deployment.as();
    const job = await upload(ada, clip);
    // The state that the kills of two others leave.
    await deployment.db.$executeRaw`UPDATE pgboss.job SET retry_count = 2 WHERE id = ${job.id}::uuid`;
    await dieAtTheEnd(ada, job, 3);
    await presumeDead(deployment, job.id);
    await startWorker();
    const error = { code: "internal_error", detail: expect.any(String) };
    const ended = { status: "failed", attempt: 3, result: null, error, progress: { stage: null } };
    expect(await finished(ada, job)).toMatchObject({ ...ended, finished_at: expect.any(String) });
    expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
    await ada("DELETE", uploadPath(job));
    await nothingIsLeft();
  });

  itNeeds("ffmpeg", "is queued again after its worker was killed, while the other worker is busy", async () => {
    await using gate = await gatedFfmpeg();
    const ada = await deployment.as();
    const job = await upload(ada, clip);
    const killed = await startWorker(gate);
    await gate.waiting(1);
    await kill(killed);
    // Later in the queue, because the same owner has an unfinished upload.
    const next = await upload(ada, clip);
    workers.push(await deployment.start("worker", { FFMPEG_PATH: gate.path, VIDEO_CONCURRENCY: "1" }));
    await gate.waiting(2);
    await presumeDead(deployment, job.id);
    expect(await read(ada, job)).toMatchObject({ status: "processing", attempt: 1 });
    const isRetry = ({ id, state }: Body) => id === job.id && state === "retry";
    await eventually("a job that waits for its second attempt", async () => (await queuedJobs(deployment)).some(isRetry));
    await timePasses("reconciliation");
    expect(await reaches(ada, job, "queued")).toMatchObject({ attempt: 1, progress: { percent: 0, stage: null }, error: null });
    await gate.open();
    expect(await finished(ada, next)).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2 });
    expect((await notificationsOf(ada)).map(([, id]) => id)).toEqual([job.id, next.id]);
  });

  itNeeds("ffmpeg", "is not changed by a frozen attempt that continues after a later attempt has succeeded", async () => {
    await using gate = await gatedFfmpeg();
    const ada = await deployment.as();
    const job = await upload(ada, clip);
    const frozen = await startWorker(gate);
    await gate.waiting(1);
    frozen.child.kill("SIGSTOP");
    await presumeDead(deployment, job.id);
    await gate.open();
    await startWorker();
    const ended = await finished(ada, job);
    expect(ended).toMatchObject({ status: "succeeded", attempt: 2 });
    frozen.child.kill("SIGCONT");
    // The first worker notices that it has lost the attempt, and removes its files. Another job then still works.
    await firstAttemptLeft(job);
    const next = await finished(ada, await upload(ada, clip));
    expect(next.status).toBe("succeeded");
    expect(await read(ada, job)).toEqual(ended);
    expect((await notificationsOf(ada)).map(([, id]) => id)).toEqual([next.id, job.id]);
    expect((await queuedJobs(deployment)).filter((it) => it.state !== "completed")).toEqual([]);
  });
});

it("a resumable upload whose bytes another process receives leaves no byte after DELETE, and can't be resumed", async () => {
  const ada = await deployment.as();
  await using receiving = startApi();
  const location = await beginUpload(ada);
  const part = { "Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1" };
  const target = ["PATCH", location, { ...part, "Transfer-Encoding": "chunked", Connection: "close" }] as const;
  const sent = openRequest(ada, (await receiving.ready()).url, target, Buffer.concat(chunkOf(Buffer.alloc(300_000, 1))));
  await eventually("bytes in the store", async () => (await storedFiles(deployment)).length > 0);
  expect(await ada("DELETE", location)).toMatchObject({ status: 204 });
  // The other process gets no signal. It finds out at the end of the request.
  sent.socket.write("0\r\n\r\n");
  await sent.closed;
  await nothingIsLeft();
  expect((await ada("GET", location)).status).toBe(404);
  expect(await deployment.db.videoUpload.count()).toBe(0);
});

// Last, because its process has the API and a worker.
itNeeds("linux", "a service that is stopped kills the child and requeues the job at once, even during a request", async () => {
  const first = await deployment.start("all");
  const ada = await deployment.as();
  const job = await uploadAndMeet(ada);
  const before = (await storedFiles(deployment)).length;
  const target = ["POST", "/video-uploads", { ...OCTETS, "Transfer-Encoding": "chunked" }] as const;
  const slow = openRequest(ada, (await first.ready()).url, target, Buffer.concat(chunkOf(Buffer.from("not a video"))));
  await eventually("an upload in progress", async () => (await storedFiles(deployment)).length > before);
  const gone = childrenGone("SIGTERM while transcoding");
  first.child.kill("SIGTERM");
  await gone;
  const { db } = deployment;
  const isQueued = async () => (await db.videoUpload.findUniqueOrThrow({ where: { id: job.id } })).status === "queued";
  await eventually("the job in the queue", isQueued, 2_000 * crowding());
  expect(first.child.exitCode).toBeNull();
  slow.socket.write("0\r\n\r\n");
  await eventually("its response", () => statusesIn(slow.text()).includes(202));
  expect({ code: await first.exited, stderr: first.stderr() }).toEqual({ code: 0, stderr: "" });
  expect(await storedFiles(deployment, "scratch")).toEqual([]);
  await deployment.start("all");
  const back = deployment.asAgain(ada);
  expect(await finished(back, job)).toMatchObject({ status: "succeeded", attempt: 2 });
  expect(await notificationsOf(back)).toContainEqual(["video_upload.succeeded", job.id]);
});
