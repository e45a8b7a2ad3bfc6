import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { crowding } from "../support/cpu.ts";
import { eventually } from "../support/eventually.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { presumeDead } from "../support/jobs.ts";
import { makeClip } from "../support/media.ts";
import { notificationsOf } from "../support/notifications.ts";
import { processesNaming } from "../support/processes.ts";
import type { Running } from "../support/running.ts";
import { finished, reaches, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

/** Long enough for a test to find it while it is transcoded. */
const longClip = () => makeClip({ durationSeconds: 60, width: 854, height: 480, container: "mp4" });

const deployment = prepareForEach(createDeployment);

const children = () => processesNaming(join(deployment.dataDir, "scratch"));

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
  const job = await upload(client, await longClip());
  await eventually(
    "a rendition in the scratch folder",
    async () => {
      const { body } = await client("GET", uploadPath(job));
      if (body.status === "succeeded" || body.status === "failed")
        throw new Error(`It has ended before it was met: ${body.status}.`);
      return (
        body.progress.stage === "transcoding" &&
        (await storedFiles(deployment, "scratch")).some((it) => it.endsWith(".mp4")) &&
        (await halted())
      );
    },
    480_000,
  );
  expect(await children()).toHaveLength(1);
  return job;
}

/** Expects that no child process is left after a second, or after as much more as the machine is slower. */
async function childrenGone(what: string): Promise<void> {
  const slowdown = crowding();
  const beganMs = performance.now();
  await eventually("the end of the child process", async () => (await children()).length === 0, undefined, 5);
  const tookMs = performance.now() - beganMs;
  process.stderr.write(`${what}: the child process was dead after ${tookMs.toFixed(0)} ms\n`);
  expect(tookMs).toBeLessThan(1_000 * Math.max(slowdown, crowding()));
}

describe("DELETE of a video that another process transcodes", () => {
  itNeeds(
    "linux",
    "kills the child within a second, leaves no file, and notifies no user",
    async () => {
      await deployment.start("api");
      await deployment.start("worker");
      const ada = await deployment.as();
      const job = await uploadAndMeet(ada);
      const gone = childrenGone("DELETE while transcoding");
      expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
      await gone;
      await eventually("no byte left", async () => (await storedFiles(deployment)).length === 0);
      // After another job of the same worker, any late write of the first job would be visible.
      const next = await finished(ada, await upload(ada, await smallClip()));
      expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", next.id]]);
      expect((await storedFiles(deployment)).filter((it) => it.includes(job.id))).toEqual([]);
    },
    120_000,
  );
});

describe("a worker that is stopped during a job", () => {
  itNeeds(
    "linux",
    "kills the child and requeues the job at once, even during a request, and the job succeeds after a restart",
    async () => {
      const first = await deployment.start("all");
      const ada = await deployment.as();
      const job = await uploadAndMeet(ada);
      const slow = await slowUpload(first, ada);
      const gone = childrenGone("SIGTERM while transcoding");
      first.child.kill("SIGTERM");
      await gone;
      await eventually(
        "the job in the queue",
        async () => (await deployment.db.videoUpload.findUniqueOrThrow({ where: { id: job.id } })).status === "queued",
        2_000 * crowding(),
      );
      expect(first.child.exitCode).toBeNull();
      expect(await slow.end()).toBe(202);
      expect({ code: await first.exited, stderr: first.stderr() }).toEqual({ code: 0, stderr: "" });
      expect(await storedFiles(deployment, "scratch")).toEqual([]);
      await deployment.start("all");
      const back = deployment.asAgain(ada);
      expect(await finished(back, job)).toMatchObject({ status: "succeeded", attempt: 2 });
      expect(await notificationsOf(back)).toContainEqual(["video_upload.succeeded", job.id]);
    },
    180_000,
  );

  itNeeds(
    "ffmpeg",
    "does not use up an attempt: a job succeeds with one notification after three stops and two kills of its worker",
    async () => {
      await using gate = await gatedFfmpeg();
      await deployment.start("api");
      const ada = await deployment.as();
      const job = await upload(ada, await smallClip());
      for (let attempt = 1; attempt <= 5; attempt++) {
        const worker = await deployment.start("worker", { FFMPEG_PATH: gate.path });
        await gate.waiting(attempt);
        expect(await ada("GET", uploadPath(job))).toMatchObject({ body: { status: "processing", attempt } });
        const signal = attempt <= 3 ? "SIGTERM" : "SIGKILL";
        worker.child.kill(signal);
        expect(await worker.exited).toBe(signal === "SIGTERM" ? 0 : "SIGKILL");
        if (signal === "SIGTERM") await reaches(ada, job, "queued");
        else await presumeDead(deployment, job.id);
      }
      await gate.open();
      await deployment.start("worker", { FFMPEG_PATH: gate.path });
      expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 6 });
      expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
    },
    120_000,
  );

  itNeeds(
    "ffmpeg",
    "hands the job to another worker within three seconds",
    async () => {
      await using gate = await gatedFfmpeg();
      await deployment.start("api");
      const stopping = await deployment.start("worker", { FFMPEG_PATH: gate.path });
      const ada = await deployment.as();
      const job = await upload(ada, await smallClip());
      await gate.waiting(1);
      await deployment.start("worker");
      const slowdown = crowding();
      const beganMs = performance.now();
      stopping.child.kill("SIGTERM");
      await eventually("the second attempt", async () => (await ada("GET", uploadPath(job))).body.attempt === 2);
      const tookMs = performance.now() - beganMs;
      process.stderr.write(`a job whose worker was stopped began again after ${tookMs.toFixed(0)} ms\n`);
      expect(tookMs).toBeLessThan(3_000 * Math.max(slowdown, crowding()));
      expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 2 });
    },
    90_000,
  );
});

describe("a resumable upload that is cancelled while its bytes arrive", () => {
  it.each(["the process that receives them", "another process"])(
    "closes its connection, leaves no byte, and can't be resumed, when cancelled through %s",
    async (through) => {
      const receiving = await deployment.start("api");
      const ada = await deployment.as();
      const begun = await ada("POST", "/video-uploads", undefined, { headers: { "Upload-Complete": "?0" } });
      const location = begun.headers.get("location")!;
      const { url } = await receiving.ready();
      const outgoing = request(`${url}${location}`, {
        method: "PATCH",
        agent: false,
        headers: {
          Authorization: ada.authorization!,
          "Content-Type": "application/partial-upload",
          "Upload-Offset": "0",
          "Upload-Complete": "?1",
          "Transfer-Encoding": "chunked",
        },
      });
      const closed = new Promise((done) => {
        outgoing.on("error", done).on("close", done);
      });
      outgoing.write(Buffer.alloc(300_000, 1));
      await eventually("bytes in the store", async () => (await storedFiles(deployment)).length > 0);
      if (through === "another process") {
        await deployment.start("api");
        const elsewhere = deployment.asAgain(ada);
        expect(await elsewhere("DELETE", location)).toMatchObject({ status: 204 });
        // The first process gets no signal. It finds out at the end of the request.
        outgoing.end();
      } else {
        expect(await ada("DELETE", location)).toMatchObject({ status: 204 });
      }
      await closed;
      await eventually("no byte left", async () => (await storedFiles(deployment)).length === 0);
      expect((await ada("GET", location)).status).toBe(404);
      expect(await deployment.db.videoUpload.count()).toBe(0);
      outgoing.destroy();
    },
    60_000,
  );
});

/** Begins an upload that stays unfinished until `end`, which returns its status. */
async function slowUpload(service: Running, client: Client): Promise<{ end(): Promise<number> }> {
  const { url } = await service.ready();
  const before = (await storedFiles(deployment)).length;
  const outgoing = request(`${url}/video-uploads`, {
    method: "POST",
    agent: false,
    headers: { Authorization: client.authorization!, "Content-Type": "application/octet-stream", "Transfer-Encoding": "chunked" },
  });
  const status = new Promise<number>((resolve, reject) => {
    outgoing.on("response", (it) => resolve(it.resume().statusCode!)).on("error", reject);
  });
  outgoing.write("not a video");
  await eventually("an upload in progress", async () => (await storedFiles(deployment)).length > before);
  return {
    end: () => {
      outgoing.end();
      return status;
    },
  };
}
