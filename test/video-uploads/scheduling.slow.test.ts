import { readFile } from "node:fs/promises";
import { afterEach, beforeAll, beforeEach, describe, expect } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { crowding } from "../support/cpu.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { presumeDead } from "../support/jobs.ts";
import { hold } from "../support/locks.ts";
import { makeClip, makeWith } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { finished, reaches, sha256Of, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

/** A still picture that lasts: a few megabytes, and minutes or hours of work, although it is made in seconds. */
async function longClip(minutes: number, size: string): Promise<string> {
  const minute = await makeWith(
    [
      ...["-f", "lavfi", "-i", `color=gray:size=${size}:rate=25:duration=60`],
      ...["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-f", "mp4"],
    ],
    "mp4",
  );
  const loop = ["-stream_loop", String(minutes - 1), "-i", `file:${minute}`, "-c", "copy", "-f", "mp4"];
  return makeWith(loop, "mp4", [minute]);
}

let [fourHours, fiveMinutes, twoSeconds] = ["", "", ""];
let deployment: Deployment;
beforeAll(async () => {
  [fourHours, fiveMinutes] = [await longClip(240, "640x360"), await longClip(5, "1280x720")];
  twoSeconds = await makeClip({ durationSeconds: 2, width: 640, height: 360, container: "mp4" });
}, 120_000);
beforeEach(async () => {
  deployment = await createDeployment();
  await deployment.start("api");
}, 60_000);
afterEach(async () => {
  await deployment[Symbol.asyncDispose]();
});

const startWorker = (settings: Readonly<Record<string, string>> = {}) =>
  deployment.start("worker", { VIDEO_CONCURRENCY: "1", MEDIA_ENGINE: "native", ...settings });

const read = async (client: Client, job: Body) => (await client("GET", uploadPath(job))).body;
/** Resolves with a job when its renditions are in work, after it has moved to its lane. */
const isAtWork = (client: Client, job: Body, attempt = 2) =>
  eventually(
    `attempt ${attempt} at the renditions of ${job.id}`,
    async () => {
      const body = await read(client, job);
      return body.attempt === attempt && body.progress.stage === "transcoding" ? body : null;
    },
    60_000,
  );
const jobsOf = (job: Body) =>
  deployment.db.$queryRaw<Body[]>`SELECT state::text FROM pgboss.job WHERE id = ${job.id}::uuid AND name NOT LIKE '%dead'`;
/** How long jobs of a user have run, as the budget counts it. */
async function ranSeconds({ userId }: Client): Promise<number> {
  const rows = await deployment.db.videoRunningTime.findMany({ where: { ownerId: userId } });
  return rows.reduce((sum, it) => sum + it.seconds, 0);
}
const ranBefore = ({ userId }: Client, seconds: number) =>
  deployment.db.videoRunningTime.create({ data: { ownerId: userId, hour: new Date(Date.now() - 3_600_000), seconds } });
/** The uploads in the order in which their attempts began. */
async function begun(): Promise<string[]> {
  const rows = await deployment.db.videoUpload.findMany({ where: { attempt: { gt: 0 } }, orderBy: { startedAt: "asc" } });
  return rows.map(({ id }) => id);
}

describe("one worker with a video of four hours", () => {
  itNeeds(
    "ffmpeg",
    "finishes another user's clip of 2 s within 30 s, while it also processes a third user's video of 5 minutes",
    async () => {
      await startWorker();
      const [ada, bob, cy] = [await deployment.as(), await deployment.as(), await deployment.as()];
      const long = await upload(ada, fourHours);
      await isAtWork(ada, long);
      const timed = async () => {
        const [slowdown, beganMs] = [crowding(), performance.now()];
        expect(await finished(bob, await upload(bob, twoSeconds))).toMatchObject({ status: "succeeded", attempt: 1 });
        const tookMs = performance.now() - beganMs;
        process.stderr.write(`the clip of 2 s was done ${Math.round(tookMs)} ms after its upload began\n`);
        expect(tookMs).toBeLessThan(30_000 * Math.max(slowdown, crowding()));
      };
      await timed();
      const medium = await upload(cy, fiveMinutes);
      await isAtWork(cy, medium);
      await timed();
      await eventually("progress of the five minutes", async () => (await read(cy, medium)).progress.percent > 5, 60_000);
      const beside = await read(ada, long);
      expect(beside).toMatchObject({ status: "processing", attempt: 2 });
      process.stderr.write(`the four hours are at ${beside.progress.percent} %\n`);

      // Both are deleted in their lanes, and leave nothing.
      expect(await ada("DELETE", uploadPath(long))).toMatchObject({ status: 204 });
      expect(await cy("DELETE", uploadPath(medium))).toMatchObject({ status: 204 });
      for (const job of [long, medium]) {
        expect(await jobsOf(job)).toEqual([]);
        await eventually("no file", async () => (await storedFiles(deployment)).every((it) => !it.includes(job.id as string)));
      }
      expect(await ranSeconds(ada)).toBeGreaterThan(0);
    },
    300_000,
  );
});

describe("fairness in the lane of long videos", () => {
  itNeeds(
    "ffmpeg",
    "runs one video of a user before the rest of another user's twenty, across two workers",
    async () => {
      await startWorker();
      await startWorker();
      const [ada, bob] = [await deployment.as(), await deployment.as()];
      const many: Body[] = [];
      for (let sent = 0; sent < 20; sent++) many.push(await upload(ada, fourHours));
      const movedOn = (count: number) =>
        eventually(
          `${count} videos that have moved`,
          async () => (await deployment.db.videoUpload.count({ where: { expectedSeconds: { not: null } } })) === count,
          90_000,
        );
      await movedOn(20);
      const one = await upload(bob, fourHours);
      await movedOn(21);
      const running = () => deployment.db.videoUpload.findMany({ where: { status: "processing", ownerId: ada.userId } });
      await eventually("two at work", async () => (await running()).length === 2);
      expect(await read(bob, one)).toMatchObject({ status: "queued", attempt: 1, progress: { percent: 0, stage: null } });
      const [first, second] = await running();
      await ada("DELETE", uploadPath(first!));
      await isAtWork(bob, one);
      expect((await running()).map((it) => it.id)).toEqual([second!.id]);
      await ada("DELETE", uploadPath(second!));
      await eventually("the start of another one", async () => (await running()).length === 1);
      for (const job of many) await ada("DELETE", uploadPath(job));
    },
    240_000,
  );
});

describe("the budget of a user", () => {
  itNeeds(
    "ffmpeg",
    "lets videos of other users run first, and defers no video if no other user waits",
    async () => {
      const [ada, bob] = [await deployment.as(), await deployment.as()];
      await ranBefore(ada, 61);
      const clip = await smallClip();
      const first = await upload(ada, clip);
      const mine = [first, await upload(ada, clip)];
      const others = [await upload(bob, clip), await upload(bob, clip)];
      await startWorker({ VIDEO_MINUTES_PER_USER: "1" });
      for (const job of mine) expect(await finished(ada, job)).toMatchObject({ status: "succeeded", error: null });
      for (const job of others) expect(await finished(bob, job)).toMatchObject({ status: "succeeded", attempt: 1 });
      expect(await begun()).toEqual([...others, ...mine].map((it) => it.id));

      const ran = await ranSeconds(ada);
      expect(ran).toBeGreaterThan(61);
      for (const job of mine) await ada("DELETE", uploadPath(job));
      // The attempt that the deletion ends still adds what it has run.
      expect(await ranSeconds(ada)).toBeGreaterThanOrEqual(ran);
    },
    120_000,
  );

  itNeeds(
    "ffmpeg",
    "counts the running time of a worker that was killed, to 5 s",
    async () => {
      const worker = await startWorker();
      const ada = await deployment.as();
      const job = await upload(ada, fourHours);
      await isAtWork(ada, job);
      const beganMs = performance.now();
      await eventually("seconds of running", async () => (await ranSeconds(ada)) > 8);
      worker.child.kill("SIGKILL");
      await worker.exited;
      const elapsed = (performance.now() - beganMs) / 1_000;
      const counted = await ranSeconds(ada);
      process.stderr.write(`counted ${counted.toFixed(1)} s, of which ${elapsed.toFixed(1)} s have passed at the renditions\n`);
      // A write can be late on a busy machine, but less than the time to the next one.
      expect(counted).toBeGreaterThan(elapsed - 9);
      const { ranSeconds: ofUpload } = await deployment.db.videoUpload.findUniqueOrThrow({ where: { id: job.id as string } });
      expect(ofUpload).toBeCloseTo(counted, 3);
    },
    120_000,
  );
});

describe("a video whose attempts have run for 12 hours together", () => {
  itNeeds(
    "ffmpeg",
    "fails with processing_timeout and one notification, at once or when its time is used up",
    async () => {
      const ada = await deployment.as();
      const jobs = [await upload(ada, await smallClip()), await upload(ada, fourHours)];
      for (const [index, job] of jobs.entries())
        await deployment.db.videoUpload.update({
          where: { id: job.id as string },
          data: { ranSeconds: 12 * 3600 - index * 10 },
        });
      await startWorker();
      for (const job of jobs)
        expect(await finished(ada, job)).toMatchObject({ status: "failed", error: { code: "processing_timeout" } });
      expect((await notificationsOf(ada)).length).toBe(2);
    },
    120_000,
  );
});

describe("a video that moves to its lane", () => {
  itNeeds(
    "ffmpeg",
    "is neither lost nor doubled if its worker is killed before the move is committed",
    async () => {
      await using gate = await gatedFfmpeg();
      const worker = await startWorker({ FFMPEG_PATH: gate.path });
      const ada = await deployment.as();
      const job = await upload(ada, fourHours);
      await gate.waiting(1);
      await using holder = await hold(deployment.databaseUrl, "SELECT FROM pgboss.job WHERE id = $1 FOR UPDATE", [job.id]);
      await gate.open();
      await eventually("a move that has changed the row and waits for the job", async () => {
        const waiting = await deployment.db.$queryRaw<Body[]>`
          SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()
            AND strpos(query, 'state = ''cancelled''') > 0`;
        return waiting.length === 1;
      });
      worker.child.kill("SIGKILL");
      await worker.exited;
      await holder.release();
      expect(await read(ada, job)).toMatchObject({ status: "processing", attempt: 1 });
      await presumeDead(deployment, job.id as string);
      await startWorker();
      await isAtWork(ada, job, 3);
      expect(await jobsOf(job)).toEqual([{ state: "active" }]);
    },
    120_000,
  );

  itNeeds(
    "ffmpeg",
    "is neither lost nor doubled if its worker is killed while it waits there, and its bytes stay the same",
    async () => {
      const worker = await startWorker();
      const [ada, bob] = [await deployment.as(), await deployment.as()];
      const running = await upload(ada, fourHours);
      await isAtWork(ada, running);
      const waiting = await upload(bob, fourHours);
      await eventually("a move", async () => (await read(bob, waiting)).attempt === 1);
      await reaches(bob, waiting, "queued");
      worker.child.kill("SIGKILL");
      await worker.exited;
      expect(await jobsOf(waiting)).toEqual([{ state: "created" }]);
      await presumeDead(deployment, running.id as string);
      await startWorker();
      // Whichever is first, the other one begins when it is deleted.
      const [own, other] = await eventually("one of the two at work", async () => {
        if ((await read(ada, running)).attempt === 3)
          return [
            [ada, running],
            [bob, waiting],
          ] as const;
        if ((await read(bob, waiting)).attempt === 2)
          return [
            [bob, waiting],
            [ada, running],
          ] as const;
        return null;
      });
      expect(await other[0]("GET", uploadPath(other[1]))).toMatchObject({ body: { error: null, result: null } });
      await own[0]("DELETE", uploadPath(own[1]));
      await isAtWork(other[0], other[1], other[1] === running ? 3 : 2);
      expect(await jobsOf(other[1])).toEqual([{ state: "active" }]);
      expect(other[1].sha256).toBe(sha256Of(await readFile(fourHours)));
      expect([...(await notificationsOf(ada)), ...(await notificationsOf(bob))]).toEqual([]);
    },
    120_000,
  );
});
