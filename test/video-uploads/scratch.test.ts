import { randomUUID } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { sweepScratch } from "../../src/video-uploads/scratch.ts";
import { eventually } from "../support/eventually.ts";
import { createFleet, type Fleet } from "../support/fleet.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { hold } from "../support/locks.ts";
import { finished, reaches, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

let fleet: Fleet;
let scratchDir: string;
beforeEach(async () => {
  fleet = await createFleet();
  scratchDir = join(fleet.dataDir, "scratch");
  await fleet.start("api");
});
afterEach(async () => {
  await fleet[Symbol.asyncDispose]();
});

const folders = async () => (await readdir(scratchDir)).sort();

async function makeFolders(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(scratchDir, name, "made"), { recursive: true });
    await writeFile(join(scratchDir, name, "made/480p.mp4"), "half a video");
  }
}

it("is swept of the folders of attempts that are not the present ones, and of nothing else", async () => {
  const { userId } = await fleet.as();
  const row = async (status: string, attempt: number) => {
    const id = randomUUID();
    await fleet.db.videoUpload.create({
      data: {
        id,
        ownerId: userId,
        objectKey: `video-uploads/${id}/original`,
        sizeBytes: 1,
        sha256: "0".repeat(64),
        status,
        attempt,
      },
    });
    return id;
  };
  const [processing, queued, succeeded, failed] = [
    await row("processing", 2),
    await row("queued", 1),
    await row("succeeded", 1),
    await row("failed", 3),
  ];
  const kept = [`${processing}-2`, "lost+found", "notes", processing];
  await makeFolders(
    ...kept,
    `${processing}-1`,
    `${processing}-3`,
    `${queued}-1`,
    `${succeeded}-1`,
    `${failed}-3`,
    `${randomUUID()}-1`,
  );
  await Promise.all([sweepScratch(fleet.db, scratchDir), sweepScratch(fleet.db, scratchDir)]);
  expect(await folders()).toEqual(kept.toSorted());
});

itNeeds(
  "ffmpeg",
  "keeps the folder of a job at work when another worker starts on the same data directory: the job is done in its first attempt",
  async () => {
    await using gate = await gatedFfmpeg();
    const leftover = `${randomUUID()}-1`;
    const ada = await fleet.as();
    await fleet.start("worker", { FFMPEG_PATH: gate.path });
    const job = await upload(ada, await smallClip());
    await gate.waiting(1);
    await makeFolders(leftover);
    await fleet.start("worker");
    // It has swept before it says that it works.
    expect(await folders()).toEqual([`${job.id}-1`]);
    await gate.open();
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 1 });
    await eventually("no folder left", async () => (await folders()).length === 0);
  },
  180_000,
);

itNeeds(
  "ffmpeg",
  "does not keep what a killed worker has left: the next worker's start removes it when the upload was deleted, the next attempt when it was not",
  async () => {
    await using gate = await gatedFfmpeg();
    const ada = await fleet.as();
    const killed = await fleet.start("worker", { FFMPEG_PATH: gate.path, VIDEO_CONCURRENCY: "2" });
    const [deleted, retried] = [await upload(ada, await smallClip()), await upload(ada, await smallClip())];
    await gate.waiting(2);
    killed.child.kill("SIGKILL");
    await killed.exited;
    expect(await ada("DELETE", uploadPath(deleted))).toMatchObject({ status: 204 });
    expect(await folders()).toEqual([`${deleted.id}-1`, `${retried.id}-1`].sort());
    await fleet.start("worker", { FFMPEG_PATH: gate.path });
    // This one may still be alive, for all that anybody knows.
    expect(await folders()).toEqual([`${retried.id}-1`]);
    await eventually("the second attempt", async () => (await reaches(ada, retried, "processing")).attempt === 2, 30_000);
    await gate.waiting(3);
    expect(await folders()).toEqual([`${retried.id}-2`]);
    await gate.open();
    expect(await finished(ada, retried)).toMatchObject({ status: "succeeded", attempt: 2 });
    await eventually("no folder left", async () => (await folders()).length === 0);
    expect((await storedFiles(fleet)).filter((it) => it.includes(deleted.id as string))).toEqual([]);
  },
  180_000,
);

it("is swept by the hourly maintenance too, which also ends uploads that nobody has resumed for a day, and has their bytes removed", async () => {
  const ada = await fleet.as();
  const begin = async () =>
    (await ada("POST", "/video-uploads", new Uint8Array(10), { headers: { "Upload-Complete": "?0" } })).headers.get("location")!;
  const [forgotten, fresh] = [await begin(), await begin()];
  await fleet.db
    .$executeRaw`UPDATE partial_uploads SET created_at = created_at - interval '25 hours' WHERE id = ${forgotten.split("/")[2]}::uuid`;
  // As the timetable does at seventeen past; a worker looks for it when it starts.
  await fleet.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('maintenance')`;
  await using holder = await hold(fleet.databaseUrl, "LOCK TABLE partial_uploads IN EXCLUSIVE MODE");
  await fleet.start("worker");
  // The sweep at the start is over, and the one of the maintenance is still to come.
  await holder.blocks(1);
  await makeFolders(`${randomUUID()}-1`);
  await holder.release();
  await eventually("the end of the forgotten upload", async () => (await ada("GET", forgotten)).status === 404, 20_000);
  expect((await ada("GET", fresh)).status).toBe(204);
  const [, , freshId] = fresh.split("/");
  const stored = async () => (await storedFiles(fleet, "objects")).map((it) => it.split("/")[3]);
  await eventually("the bytes of the fresh one alone", async () => JSON.stringify(await stored()) === JSON.stringify([freshId]));
  await eventually("no folder left", async () => (await folders()).length === 0);
}, 180_000);
