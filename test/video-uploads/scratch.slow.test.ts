import { randomUUID } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { pino } from "pino";
import { openScratch, removeAbandonedScratch } from "../../src/video-uploads/worker/scratch.ts";
import { eventually } from "../support/eventually.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { presumeDead } from "../support/jobs.ts";
import { hold } from "../support/locks.ts";
import { finished, reaches, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

const log = pino({ level: "silent" });
let deployment: Deployment;
let scratchDir: string;
beforeEach(async () => {
  deployment = await createDeployment();
  scratchDir = join(deployment.dataDir, "scratch");
  await deployment.start("api");
});
afterEach(async () => {
  await deployment[Symbol.asyncDispose]();
});

const folders = async () => (await readdir(scratchDir)).filter((it) => !it.endsWith(".lock")).sort();

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

it("two concurrent cleanups of the scratch folder remove only abandoned folders", async () => {
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

itNeeds(
  "ffmpeg",
  "a worker of another database with the same DATA_DIR removes the folder of a job only after its worker is killed",
  async () => {
    await using gate = await gatedFfmpeg();
    await using other = await createDeployment({ dataDir: deployment.dataDir });
    const ada = await deployment.as();
    const first = await deployment.start("worker", { FFMPEG_PATH: gate.path });
    const job = await upload(ada, await smallClip());
    await gate.waiting(1);
    // The other database has no record of the work in the folder.
    await other.start("worker");
    expect(await storedFiles(deployment, "scratch")).toEqual([`scratch/${job.id}-1.lock`, `scratch/${job.id}-1/original`]);
    first.child.kill("SIGKILL");
    await first.exited;
    await other.start("worker");
    expect(await storedFiles(deployment, "scratch")).toEqual([]);
  },
  180_000,
);

itNeeds(
  "ffmpeg",
  "another worker with the same DATA_DIR keeps the folder of a running job, which succeeds in its first attempt",
  async () => {
    await using gate = await gatedFfmpeg();
    const leftover = `${randomUUID()}-1`;
    const ada = await deployment.as();
    await deployment.start("worker", { FFMPEG_PATH: gate.path });
    const job = await upload(ada, await smallClip());
    await gate.waiting(1);
    await makeAbandoned(leftover);
    await deployment.start("worker");
    // The worker cleans up before it is ready.
    expect(await folders()).toEqual([`${job.id}-1`]);
    await gate.open();
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
    await eventually("no folder left", async () => (await folders()).length === 0);
  },
  180_000,
);

itNeeds(
  "ffmpeg",
  "the next worker removes the folders of a killed worker, and the next attempt has a new folder",
  async () => {
    await using gate = await gatedFfmpeg();
    const ada = await deployment.as();
    const killed = await deployment.start("worker", { FFMPEG_PATH: gate.path, VIDEO_CONCURRENCY: "2" });
    const [deleted, retried] = [await upload(ada, await smallClip()), await upload(ada, await smallClip())];
    await gate.waiting(2);
    killed.child.kill("SIGKILL");
    await killed.exited;
    expect(await ada("DELETE", uploadPath(deleted))).toMatchObject({ status: 204 });
    expect(await folders()).toEqual([`${deleted.id}-1`, `${retried.id}-1`].sort());
    await deployment.start("worker", { FFMPEG_PATH: gate.path });
    expect((await folders()).filter((it) => it.endsWith("-1"))).toEqual([]);
    await presumeDead(deployment, retried.id);
    await eventually("the second attempt", async () => (await reaches(ada, retried, "processing")).attempt === 2);
    await gate.waiting(3);
    expect(await folders()).toEqual([`${retried.id}-2`]);
    await gate.open();
    expect(await finished(ada, retried)).toMatchObject({ status: "succeeded", attempt: 2 });
    await eventually("no folder left", async () => (await folders()).length === 0);
    expect((await storedFiles(deployment)).filter((it) => it.includes(deleted.id as string))).toEqual([]);
  },
  180_000,
);

it("the hourly maintenance cleans up the scratch folder, and deletes uploads that were not resumed for a day", async () => {
  const ada = await deployment.as();
  const begin = async () =>
    (await ada("POST", "/video-uploads", new Uint8Array(10), { headers: { "Upload-Complete": "?0" } })).headers.get("location")!;
  const [forgotten, fresh] = [await begin(), await begin()];
  await deployment.db
    .$executeRaw`UPDATE partial_uploads SET created_at = created_at - interval '25 hours' WHERE id = ${forgotten.split("/")[2]}::uuid`;
  // The job that the schedule creates every hour. A worker polls for it when it starts.
  await deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('maintenance')`;
  await using holder = await hold(deployment.databaseUrl, "LOCK TABLE partial_uploads IN EXCLUSIVE MODE");
  await deployment.start("worker");
  // The cleanup at startup is over, and the cleanup of the maintenance job has not begun.
  await holder.blocks(1);
  await makeAbandoned(`${randomUUID()}-1`);
  await holder.release();
  await eventually("the deletion of the abandoned upload", async () => (await ada("GET", forgotten)).status === 404);
  expect((await ada("GET", fresh)).status).toBe(204);
  const [, , freshId] = fresh.split("/");
  const stored = async () => (await storedFiles(deployment, "objects")).map((it) => it.split("/")[3]);
  await eventually(
    "only the bytes of the fresh upload",
    async () => JSON.stringify(await stored()) === JSON.stringify([freshId]),
    // The job that removes what has ended runs every minute.
    90_000,
  );
  await eventually("no folder left", async () => (await folders()).length === 0);
}, 240_000);
