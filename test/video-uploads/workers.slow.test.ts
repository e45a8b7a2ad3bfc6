/**
 * Workers that are stopped, killed or frozen in the middle of a job, and what they leave. Each of these is a separate process. What goes on
 * after them is in the process of the tests.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, expect, it } from "@jest/globals";
import { pino } from "pino";
import { openScratch, removeAbandonedScratch } from "../../src/video-uploads/worker/scratch.ts";
import type { Body, Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg, isAlive, type GatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { presumeDead } from "../support/jobs.ts";
import { hold } from "../support/locks.ts";
import { makeClip } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { crowding, PATIENT, processesNaming, run, type Running } from "../support/processes.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { finished, queuedJobs, removeVideos, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { chunkOf, openRequest, statusesIn } from "./support/open-request.ts";
import { beginUpload, idIn } from "./support/resumable.ts";

const log = pino({ level: "silent" });
const OCTETS = { "Content-Type": "application/octet-stream" };
const service = prepare(() => startTestService({ ROLE: "api" }));
let clip: Buffer;
let scratchDir: string;
beforeAll(async () => {
  clip = await smallClip();
  scratchDir = join(service.dataDir, "scratch");
});
/** What a test has started, the last first. */
const started: AsyncDisposable[] = [];
afterEach(async () => {
  for (const it of started.splice(0).toReversed()) await it[Symbol.asyncDispose]();
  await removeVideos(service);
});

const settingsFor = (gate?: GatedFfmpeg) => ({
  VIDEO_CONCURRENCY: "2",
  ...(gate === undefined ? {} : { FFMPEG_PATH: gate.path }),
});
/** A worker in this process. */
async function startWorker(gate?: GatedFfmpeg): Promise<void> {
  started.push(await startWorkerOf(service, settingsFor(gate)));
}
/** A process of its own, which is ready. */
async function startProcess(ROLE: "api" | "worker" | "all", gate?: GatedFfmpeg) {
  const { databaseUrl: DATABASE_URL, dataDir: DATA_DIR } = service;
  const process = run({ ...PATIENT, ...settingsFor(gate), NODE_ENV: "test", ROLE, DATABASE_URL, DATA_DIR });
  started.push(process);
  return Object.assign(process, await process.ready());
}
async function kill(process: Running): Promise<void> {
  process.child.kill("SIGKILL");
  expect(await process.exited).toBe("SIGKILL");
}
const read = async (client: Client, job: Body) => (await client("GET", uploadPath(job))).body;
const folders = async () => (await readdir(scratchDir)).filter((it) => !it.endsWith(".lock")).sort();
/** Neither a folder nor its lock, which is removed after it. */
const noFolderIsLeft = () => eventually("no folder left", async () => (await readdir(scratchDir)).length === 0);
const nothingIsLeft = () => eventually("no file left", async () => (await storedFiles(service)).length === 0);
const firstAttemptLeft = (job: Body) =>
  eventually("no file of the first attempt", async () =>
    (await storedFiles(service)).every((it) => !it.includes(`${job.id}-1/`) && !it.includes(`${job.id}/1/`)),
  );
/** The jobs that the schedule creates every minute and every hour. A worker polls for them when it starts. */
const timePasses = (queue: "reconciliation" | "maintenance") =>
  service.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES (${queue})`;

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

it("the scratch folder loses only abandoned folders by two concurrent cleanups", async () => {
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

it("the hourly maintenance removes abandoned folders, uploads that were not resumed for a day, and what a dead process has reserved", async () => {
  const ada = await service.as();
  const used = async () => Number((await service.db.storageUsage.findUnique({ where: { userId: ada.userId } }))?.sizeBytes ?? 0);
  const [forgotten, fresh] = [await beginUpload(ada, new Uint8Array(10)), await beginUpload(ada, new Uint8Array(10))];
  const reserved = await used();
  await service.db
    .$executeRaw`UPDATE partial_uploads SET created_at = created_at - interval '25 hours' WHERE id = ${idIn(forgotten)}::uuid`;
  const dying = await startProcess("api");
  const target = ["POST", "/video-uploads", { ...OCTETS, "Content-Length": "900" }] as const;
  openRequest(ada, dying.url, target, Buffer.from("x"));
  await eventually("its reservation", async () => (await used()) === reserved + 900);
  await kill(dying);
  await service.db.$executeRaw`UPDATE upload_reservations SET touched_at = touched_at - interval '1 day' WHERE size_bytes = 900`;
  await timePasses("maintenance");
  await using holder = await hold(service.databaseUrl, "LOCK TABLE partial_uploads IN EXCLUSIVE MODE");
  await startWorker();
  // The cleanup at startup is over, and the cleanup of the maintenance job has not begun.
  await holder.blocks(1);
  await makeAbandoned(`${randomUUID()}-1`);
  await holder.release();
  await eventually("the deletion of the abandoned upload", async () => (await ada("GET", forgotten)).status === 404);
  expect((await ada("GET", fresh)).status).toBe(204);
  await timePasses("reconciliation");
  await eventually("only the bytes of the fresh upload", async () => (await used()) === reserved / 2);
  await noFolderIsLeft();
  const kept = (await storedFiles(service)).filter((it) => !it.startsWith("objects/incoming/"));
  expect(kept).toEqual([expect.stringContaining(idIn(fresh))]);
});

itNeeds("ffmpeg", "a worker that starts removes the folders of a killed one, and the next attempt has a new one", async () => {
  await using gate = await gatedFfmpeg();
  const ada = await service.as();
  const killed = await startProcess("worker", gate);
  const [deleted, retried] = [await upload(ada, clip), await upload(ada, clip)];
  await gate.waiting(2);
  await kill(killed);
  expect(await ada("DELETE", uploadPath(deleted))).toMatchObject({ status: 204 });
  expect(await folders()).toEqual([`${deleted.id}-1`, `${retried.id}-1`].sort());
  await startWorker(gate);
  expect((await folders()).filter((it) => it.endsWith("-1"))).toEqual([]);
  await presumeDead(service, retried.id);
  await gate.waiting(3);
  expect([await read(ada, retried), await folders()]).toMatchObject([{ attempt: 2 }, [`${retried.id}-2`]]);
  await gate.open();
  expect(await finished(ada, retried)).toMatchObject({ status: "succeeded", attempt: 2 });
  expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", retried.id]]);
  await noFolderIsLeft();
  expect((await storedFiles(service)).filter((it) => it.includes(deleted.id))).toEqual([]);
});

it("a job whose worker was killed at its end succeeds once, or fails with internal_error if this was its last attempt, with one notification and no file of that attempt", async () => {
  const [ada, bob] = [await service.as(), await service.as()];
  const [job, last] = [await upload(ada, clip), await upload(bob, clip)];
  // The state that the kills of two others leave.
  await service.db.$executeRaw`UPDATE pgboss.job SET retry_count = 2 WHERE id = ${last.id}::uuid`;
  {
    await using holder = await hold(service.databaseUrl, "LOCK TABLE notifications IN EXCLUSIVE MODE");
    const worker = await startProcess("worker");
    await holder.blocks(2);
    await kill(worker);
  }
  expect(await read(ada, job)).toMatchObject({ status: "processing", attempt: 1, result: null });
  expect(await read(bob, last)).toMatchObject({ status: "processing", attempt: 3, result: null });
  for (const { id } of [job, last]) await presumeDead(service, id);
  await startWorker();
  expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2, error: null });
  const error = { code: "internal_error", detail: expect.any(String) };
  const failed = { status: "failed", attempt: 3, result: null, error, progress: { stage: null } };
  expect(await finished(bob, last)).toMatchObject({ ...failed, finished_at: expect.any(String) });
  expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
  expect(await notificationsOf(bob)).toEqual([["video_upload.failed", last.id]]);
  await firstAttemptLeft(job);
  expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
  expect(await bob("DELETE", uploadPath(last))).toMatchObject({ status: 204 });
  await nothingIsLeft();
});

itNeeds("ffmpeg", "a job is not changed by a frozen attempt that continues after a later attempt has succeeded", async () => {
  await using gate = await gatedFfmpeg();
  const ada = await service.as();
  const job = await upload(ada, clip);
  const frozen = await startProcess("worker", gate);
  await gate.waiting(1);
  frozen.child.kill("SIGSTOP");
  await presumeDead(service, job.id);
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
  expect((await queuedJobs(service)).filter((it) => it.state !== "completed")).toEqual([]);
});

it("a resumable upload whose bytes another process receives leaves no byte after DELETE, and can't be resumed", async () => {
  const ada = await service.as();
  await using receiving = await startTestService({ ROLE: "api", DATA_DIR: service.dataDir }, { url: service.databaseUrl });
  const location = await beginUpload(ada);
  const part = { "Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1" };
  const target = ["PATCH", location, { ...part, "Transfer-Encoding": "chunked", Connection: "close" }] as const;
  const sent = openRequest(ada, receiving.url, target, Buffer.concat(chunkOf(Buffer.alloc(300_000, 1))));
  await eventually("bytes in the store", async () => (await storedFiles(service)).length > 0);
  expect(await ada("DELETE", location)).toMatchObject({ status: 204 });
  // The other process gets no signal. It finds out at the end of the request.
  sent.socket.write("0\r\n\r\n");
  await sent.closed;
  await nothingIsLeft();
  expect((await ada("GET", location)).status).toBe(404);
  expect(await service.db.videoUpload.count()).toBe(0);
});

/** Stops the child, which a signal other than SIGKILL can't end from now on. Otherwise the job could end before it is interrupted. */
async function halted(): Promise<number | null> {
  const [child] = await processesNaming(scratchDir);
  if (child === undefined) return null;
  try {
    process.kill(child, "SIGSTOP");
  } catch {
    return null; // It has just ended; the next one is met instead.
  }
  return (await isAlive(child)) ? child : null;
}

/** Uploads a long video, waits until a child process writes one of its renditions, and stops that process in the middle. */
async function uploadAndMeet(client: Client): Promise<{ job: Body; child: number }> {
  const job = await upload(client, await makeClip({ durationSeconds: 10, width: 854, height: 480, container: "mp4" }));
  const child = await eventually(
    "a rendition in the scratch folder",
    async () => {
      const { status, progress } = await read(client, job);
      if (status === "succeeded" || status === "failed") throw new Error(`It has ended before it was met: ${status}.`);
      const files = await storedFiles(service, "scratch");
      return progress.stage === "transcoding" && files.some((it) => it.endsWith(".mp4")) && (await halted());
    },
    480_000,
  );
  return { job, child };
}

/** Does something that must end a process within a second, or within as much more as the machine is slower. */
async function ends(child: number, work: () => unknown): Promise<void> {
  const [slowdown, beganMs] = [crowding(), performance.now()];
  await work();
  await eventually("the end of the child process", async () => !(await isAlive(child)), undefined, 5);
  expect(performance.now() - beganMs).toBeLessThan(1_000 * Math.max(slowdown, crowding()));
}

itNeeds(
  "linux",
  "a service that is stopped kills its child at once, even during a request, and its job goes on within three seconds, which uses up no attempt",
  async () => {
    const first = await startProcess("all");
    const ada = await service.as();
    const { job, child } = await uploadAndMeet(ada);
    const before = (await storedFiles(service)).length;
    const target = ["POST", "/video-uploads", { ...OCTETS, "Transfer-Encoding": "chunked" }] as const;
    const slow = openRequest(ada, first.url, target, Buffer.concat(chunkOf(Buffer.from("not a video"))));
    await eventually("an upload in progress", async () => (await storedFiles(service)).length > before);
    await startWorker();
    const [slowdown, beganMs] = [crowding(), performance.now()];
    await ends(child, () => first.child.kill("SIGTERM"));
    await eventually("the next attempt", async () => (await read(ada, job)).attempt === 2);
    expect(performance.now() - beganMs).toBeLessThan(3_000 * Math.max(slowdown, crowding()));
    // Three are left, with this one.
    const [left] = await service.db.$queryRaw<
      Body[]
    >`SELECT retry_limit - retry_count AS more FROM pgboss.job WHERE id = ${job.id}::uuid`;
    expect(left).toEqual({ more: 2 });
    expect(first.child.exitCode).toBeNull();
    slow.socket.write("0\r\n\r\n");
    await eventually("its response", () => statusesIn(slow.text()).includes(202));
    expect({ code: await first.exited, stderr: first.stderr() }).toEqual({ code: 0, stderr: "" });
    expect(await folders()).not.toContain(`${job.id}-1`);
    // DELETE in another process than that of the job.
    const [next] = await eventually("the child of the next attempt", async () => {
      const found = await processesNaming(scratchDir);
      return found.length > 0 && found;
    });
    await ends(next!, () => ada("DELETE", uploadPath(job)));
    await noFolderIsLeft();
    expect((await storedFiles(service)).filter((it) => it.includes(job.id))).toEqual([]);
    expect((await notificationsOf(ada)).filter(([, id]) => id === job.id)).toEqual([]);
  },
);
