import { afterEach, beforeAll, describe, expect } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { crowding } from "../support/processes.ts";
import { eventually } from "../support/eventually.ts";
import { derive, makeClip, makeWith } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, startWorkerOf, type TestService } from "../support/service.ts";
import { finished, removeVideos, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";
import { declaring } from "./support/clip-bytes.ts";

/** A still picture that lasts: a few megabytes, and minutes or hours of work, although it is made in seconds. */
async function longClip(minutes: number, framesPerSecond: number): Promise<string> {
  const picture = `color=gray:size=1280x720:rate=${framesPerSecond}:duration=60`;
  const coding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-f", "mp4"];
  const minute = await makeWith(["-f", "lavfi", "-i", picture, ...coding], "mp4");
  const loop = ["-stream_loop", String(minutes - 1), "-i", `file:${minute}`, "-c", "copy", "-f", "mp4"];
  return makeWith(loop, "mp4", [minute]);
}

let [fourHours, fiveMinutes, sixSeconds] = ["", "", ""];
const service = prepare(() => startTestService({ ROLE: "api" }));
const workers: TestService[] = [];
beforeAll(async () => {
  // It declares half a second, because no lane may follow from what a file declares.
  fourHours = await derive(await longClip(240, 5), "half-a-second", declaring(0.5));
  fiveMinutes = await longClip(5, 25);
  sixSeconds = await makeClip({ durationSeconds: 6, width: 640, height: 360, container: "mp4" });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((it) => it.close()));
  await removeVideos(service);
});

async function startWorker(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  workers.push(await startWorkerOf(service, { VIDEO_CONCURRENCY: "1", MEDIA_ENGINE: "native", ...settings }));
}

const read = async (client: Client, job: Body) => (await client("GET", uploadPath(job))).body;
/** Resolves with a job when its renditions are in work, after it has moved to its lane. */
const isAtWork = (client: Client, job: Body, attempt = 2) =>
  eventually(`attempt ${attempt} at the renditions of ${job.id}`, async () => {
    const body = await read(client, job);
    return body.attempt === attempt && body.progress.stage === "transcoding" ? body : null;
  });
const jobsOf = (job: Body) =>
  service.db.$queryRaw<Body[]>`SELECT state::text FROM pgboss.job WHERE id = ${job.id}::uuid AND name NOT LIKE '%dead'`;
/** How long jobs of a user have run, as the budget counts it. */
async function ranSeconds({ userId }: Client): Promise<number> {
  const rows = await service.db.videoRunningTime.findMany({ where: { ownerId: userId } });
  return rows.reduce((sum, it) => sum + it.seconds, 0);
}
const ranBefore = ({ userId }: Client, seconds: number) =>
  service.db.videoRunningTime.create({ data: { ownerId: userId, hour: new Date(Date.now() - 3_600_000), seconds } });
/** The uploads in the order in which their attempts began. */
async function begun(): Promise<string[]> {
  const rows = await service.db.videoUpload.findMany({ where: { attempt: { gt: 0 } }, orderBy: { startedAt: "asc" } });
  return rows.map(({ id }) => id);
}

const LANE_PROMISE = "lets another user's clip of 6 s take at most twice its time alone, and 5 s, beside ten others";
itNeeds("ffmpeg", `one worker ${LANE_PROMISE}`, async () => {
  await startWorker();
  const [ada, bob] = [await service.as(), await service.as()];
  const timed = async () => {
    const beganMs = performance.now();
    expect(await finished(bob, await upload(bob, sixSeconds))).toMatchObject({ status: "succeeded", attempt: 1 });
    return Math.round(performance.now() - beganMs);
  };
  const before = await timed();
  const many: Body[] = [];
  for (let sent = 0; sent < 10; sent++) many.push(await upload(ada, [fourHours, fiveMinutes][sent % 2]!));
  const [long, medium] = [many[0]!, many[1]!];
  for (const job of [long, medium]) await isAtWork(ada, job);
  const beside = await timed();
  await eventually("progress of the five minutes", async () => (await read(ada, medium)).progress.percent > 5);
  expect(await read(ada, long)).toMatchObject({ status: "processing", attempt: 2 });
  // They are deleted in their lanes, and leave nothing.
  for (const job of many) expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
  expect(await Promise.all(many.map(jobsOf))).toEqual(many.map(() => []));
  const isOfMany = (file: string) => many.some((it) => file.includes(it.id));
  await eventually("no file", async () => !(await storedFiles(service)).some(isOfMany));
  expect(await ranSeconds(ada)).toBeGreaterThan(0);
  // The machine can become busy with something else between the two.
  const alone = Math.max(before, await timed());
  expect(beside).toBeLessThan(2 * alone + 5_000);
});

itNeeds(
  "ffmpeg",
  "fairness in the lane of long videos runs one video of a user before the rest of another user's four, across two workers",
  async () => {
    await startWorker();
    await startWorker();
    const [ada, bob] = [await service.as(), await service.as()];
    const many: Body[] = [];
    for (let sent = 0; sent < 4; sent++) many.push(await upload(ada, fourHours));
    const movedOn = (count: number) =>
      eventually(
        `${count} videos that have moved`,
        async () => (await service.db.videoUpload.count({ where: { expectedSeconds: { not: null } } })) === count,
        90_000,
      );
    await movedOn(4);
    const one = await upload(bob, fourHours);
    await movedOn(5);
    const running = () => service.db.videoUpload.findMany({ where: { status: "processing", ownerId: ada.userId } });
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
);

itNeeds(
  "ffmpeg",
  "the budget of a user lets videos of other users run first, and defers no video if no other user waits",
  async () => {
    const [ada, bob] = [await service.as(), await service.as()];
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
);

type Start = { readonly id: string; readonly startedMs: number; readonly waitedMs: number };

/** Every started upload, in order of the start, with the time from its row to its start by the clock of the database. */
async function starts(): Promise<readonly Start[]> {
  return service.db.$queryRaw<Start[]>`
    SELECT id, extract(epoch FROM started_at)::float8 * 1000 AS "startedMs",
      extract(epoch FROM started_at - created_at)::float8 * 1000 AS "waitedMs"
    FROM video_uploads WHERE started_at IS NOT NULL ORDER BY started_at`;
}

const allEnded = (count: number) =>
  eventually(
    `the end of ${count} jobs`,
    async () => (await service.db.videoUpload.count({ where: { status: { in: ["succeeded", "failed"] } } })) === count,
    60_000,
  );

/** Its job fails in a few milliseconds, so the test measures the time to the start of jobs. */
const notAVideo = Buffer.from("not a video");

describe("the start of a job", () => {
  itNeeds("ffmpeg", "is fair to a user with one upload after ten of another user, and without pauses", async () => {
    const [ada, bob] = [await service.as(), await service.as()];
    for (let sent = 0; sent < 10; sent++) await upload(ada, notAVideo);
    const last = await upload(bob, notAVideo);
    expect(await starts()).toEqual([]);
    await startWorker();
    await allEnded(11);
    const order = await starts();
    expect(order).toHaveLength(11);
    expect(order.findIndex((it) => it.id === last.id)).toBeLessThanOrEqual(1);
    const pauses = order.slice(1).map((it, index) => it.startedMs - order[index]!.startedMs);
    const median = pauses.sort((a, b) => a - b)[5]!;
    // Polling would pause for a second after each job.
    expect(median).toBeLessThan(900);
  });

  itNeeds("ffmpeg", "is immediate on an idle worker: half of 40 start within 100 ms, and 39 within a second", async () => {
    const ada = await service.as();
    await startWorker();
    const slowdowns: number[] = [];
    for (let sent = 0; sent < 40; sent++) {
      if (sent % 10 === 0) slowdowns.push(crowding());
      await finished(ada, await upload(ada, notAVideo));
    }
    slowdowns.sort((a, b) => a - b);
    const waits = (await starts()).map((it) => it.waitedMs).sort((a, b) => a - b);
    expect(waits).toHaveLength(40);
    expect(waits[19]).toBeLessThan(100 * slowdowns[2]!);
    expect(waits[38]).toBeLessThan(1_000 * slowdowns[3]!);
  });
});
