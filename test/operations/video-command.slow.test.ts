import { randomUUID } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { plumbline, plumblineJson } from "../support/processes.ts";
import { prepareForEach } from "../support/prepare.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { finished, sha256Of, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

const service = prepareForEach(() => startTestService({ ROLE: "api" }));

const settings = () => ({ NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir });
const video = (...args: readonly string[]) => plumblineJson(settings(), "video", ...args);
const refused = async (...args: readonly string[]) => (await plumbline(settings(), "video", ...args)).stderr;

describe("plumbline video", () => {
  itNeeds(
    "ffmpeg",
    "shows a video that is stuck, and retries it while its worker still processes it: it succeeds once",
    async () => {
      await using gate = await gatedFfmpeg();
      const ada = await service.as();
      const job = await upload(ada, await smallClip(), "?name=stuck.mp4");
      expect((await video("list", "--older-than", "0s")).lines).toMatchObject([{ id: job.id, status: "queued", job: "created" }]);
      await using _gated = await startWorkerOf(service, { FFMPEG_PATH: gate.path });
      await gate.waiting(1);
      const shown = { id: job.id, owner_id: ada.userId, status: "processing", attempt: 1, job: "active", name: "stuck.mp4" };
      expect((await video("list", "--older-than", "0s")).lines).toMatchObject([shown]);
      expect((await video("list", "--state", "processing", "--older-than", "0s")).lines).toHaveLength(1);
      expect((await video("list")).lines).toEqual([]);
      // Another worker takes the new job at once, while the first one still holds its attempt.
      await using _worker = await startWorkerOf(service);
      expect((await video("retry", job.id)).lines).toEqual([{ id: job.id, queued_id: job.id }]);
      expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2 });
      await gate.open();
      const answer = await ada("GET", uploadPath(job));
      expect(answer.body).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
      await eventually("the end of the first attempt", async () =>
        (await storedFiles(service)).every((it) => !it.includes(`${job.id}/1/`) && !it.startsWith("scratch/")),
      );
      expect(await refused("retry", job.id)).toMatch(/has succeeded/);
    },
  );

  itNeeds(
    "ffmpeg",
    "cancels a video while a worker processes it: it has failed permanently, and its owner sees why",
    async () => {
      await using gate = await gatedFfmpeg();
      const ada = await service.as();
      const job = await upload(ada, await smallClip());
      await using _gated = await startWorkerOf(service, { FFMPEG_PATH: gate.path });
      await gate.waiting(1);
      expect(await refused("cancel", job.id)).toMatch(/permanently.*Nothing was changed\. Add --yes/);
      expect((await ada("GET", uploadPath(job))).body.status).toBe("processing");
      await video("cancel", job.id, "--yes");
      const cancelled = (await ada("GET", uploadPath(job))).body;
      expect(cancelled).toMatchObject({
        status: "failed",
        error: { code: "internal_error", detail: expect.stringMatching(/operator/) },
      });
      await gate.open();
      // After another job of the same worker, any late write of the first would be visible.
      const next = await finished(ada, await upload(ada, await smallClip()));
      expect(next.status).toBe("succeeded");
      expect((await ada("GET", uploadPath(job))).body).toEqual(cancelled);
      expect(await notificationsOf(ada)).toEqual([
        ["video_upload.succeeded", next.id],
        ["video_upload.failed", job.id],
      ]);
      expect((await storedFiles(service)).filter((it) => it.includes(`${job.id}/1/`))).toEqual([]);
      expect(await refused("cancel", job.id, "--yes")).toMatch(/ended already: it has failed/);
    },
  );

  it("processes a video that has lost its job, and the file of a failed one as a new upload", async () => {
    const ada = await service.as();
    const clip = await smallClip();
    const [lost, failed] = [await upload(ada, clip), await upload(ada, clip, "?name=again.mp4")];
    await service.db.$executeRaw`DELETE FROM pgboss.job WHERE id = ${lost.id}::uuid`;
    expect((await video("list", "--older-than", "0s")).lines).toMatchObject([
      { id: lost.id, job: null },
      { id: failed.id, job: "created" },
    ]);
    await video("cancel", failed.id, "--yes");
    const end = (await ada("GET", uploadPath(failed))).body;
    expect((await video("retry", lost.id)).lines[0].queued_id).toBe(lost.id);
    const again = { id: (await video("retry", failed.id)).lines[0].queued_id as string };
    expect(again.id).not.toBe(failed.id);
    await using _worker = await startWorkerOf(service);
    expect(await finished(ada, lost)).toMatchObject({ status: "succeeded", attempt: 1 });
    expect(await finished(ada, again)).toMatchObject({ status: "succeeded", name: "again.mp4", sha256: sha256Of(clip) });
    expect((await ada("GET", uploadPath(failed))).body).toEqual(end);
    expect((await video("list", "--state", "failed", "--older-than", "0s")).lines).toMatchObject([
      { id: failed.id, error_code: "internal_error" },
    ]);
  });

  it("refuses an unknown video, with exit code 1", async () => {
    for (const args of [
      ["retry", randomUUID()],
      ["cancel", randomUUID(), "--yes"],
    ])
      expect(await plumbline(settings(), "video", ...args)).toMatchObject({
        ...{ exit: 1, stdout: "" },
        stderr: expect.stringMatching(/^There is no video/),
      });
  });
});
