import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg, isAlive } from "../support/gated-ffmpeg.ts";
import { run } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { finished, queuedJobs, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

let clip: Buffer;
beforeAll(async () => {
  clip = await smallClip();
});

describe("DELETE /video-uploads/{job_id}", () => {
  let waiting: TestService;
  let working: TestService;
  beforeAll(async () => {
    [waiting, working] = [await startTestService({ ROLE: "api" }), await startTestService()];
  });
  afterAll(async () => {
    await waiting.close();
    await working.close();
  });

  it("returns 204 for a queued job, then 404, and removes the job from the queue and its file", async () => {
    const ada = await waiting.as();
    const job = await upload(ada, clip);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204, text: "" });
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await ada("GET", "/video-uploads")).body.data).toEqual([]);
    expect({ jobs: await queuedJobs(waiting), files: await storedFiles(waiting) }).toEqual({ jobs: [], files: [] });
  });

  it("returns 204 for a succeeded or failed job, and deletes all its files", async () => {
    const ada = await working.as();
    for (const [bytes, status] of [
      [clip, "succeeded"],
      [Buffer.from("not a video"), "failed"],
    ] as const) {
      const job = await finished(ada, await upload(ada, bytes));
      expect(job.status).toBe(status);
      expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
      expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    }
    await eventually("no file left", async () => (await storedFiles(working)).length === 0);
    // The notifications stay, although their resource is deleted.
    const { body } = await ada("GET", "/notifications");
    expect(body.data).toHaveLength(2);
    expect(await ada("GET", body.data[0].resource.href)).toMatchObject({ status: 404 });
  });

  it("returns 204 for one of five concurrent requests, and 404 for the others", async () => {
    const ada = await waiting.as();
    const job = await upload(ada, clip);
    const answers = await Promise.all(Array.from({ length: 5 }, () => ada("DELETE", uploadPath(job))));
    expect(answers.map((it) => it.status).toSorted()).toEqual([204, 404, 404, 404, 404]);
  });
});

describe("DELETE /video-uploads/{job_id} while the object store is unavailable", () => {
  it("returns 204, and a worker deletes the bytes when the store is available again", async () => {
    const service = await startTestService({ ROLE: "api" });
    try {
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
      await using worker = run({
        NODE_ENV: "test",
        ROLE: "worker",
        DATABASE_URL: service.databaseUrl,
        DATA_DIR: service.dataDir,
      });
      await worker.ready();
      await eventually("no file left", async () => (await storedFiles(service)).length === 0);
    } finally {
      await service.close();
    }
  }, 60_000);
});

describe("DELETE /video-uploads/{job_id} while the job is being processed", () => {
  itNeeds(
    "ffmpeg",
    "returns 204, stops the engine, and leaves no row, file or notification of the job",
    async () => {
      await using gate = await gatedFfmpeg();
      const service = await startTestService({ FFMPEG_PATH: gate.path });
      try {
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
      } finally {
        await service.close();
      }
    },
    180_000,
  );
});
