import { expect } from "@jest/globals";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { makeClip } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { childrenOf } from "../support/processes.ts";
import type { Running } from "../support/running.ts";
import { startSteadyLoad } from "./support/steady-load.ts";
import { finished, smallClip, storedFiles, upload } from "../support/videos.ts";

const WORKERS = 2;
const ROUNDS = 2;
const LONG_VIDEOS = 3;
const SHORT_VIDEOS = 6;
/** The bar of the service for the time from SIGTERM to the end of a worker. */
const EXIT_MAX_MS = 10_000;

itNeeds(
  ["linux", "ffmpeg"],
  `${ROUNDS} rolling restarts of ${WORKERS} workers under load: each stops within ${EXIT_MAX_MS / 1_000} s, every video succeeds once, and no request fails`,
  async () => {
    await using stack = new AsyncDisposableStack();
    const deployment = stack.use(await createDeployment());
    const { url } = await (await deployment.start("api")).ready();
    const ada = await deployment.as();
    const workers: Running[] = [];
    for (let n = 0; n < WORKERS; n++) workers.push(await deployment.start("worker"));
    const load = startSteadyLoad(url, { user: await deployment.as(), other: await deployment.as(), clients: 2, requests: 2_000 });

    const long = await makeClip({ durationSeconds: 30, width: 854, height: 480, container: "mp4" });
    const jobs = [];
    for (let n = 0; n < LONG_VIDEOS; n++) jobs.push(await upload(ada, long));
    for (let n = 0; n < SHORT_VIDEOS; n++) jobs.push(await upload(ada, await smallClip()));

    const tookMs: number[] = [];
    let interrupted = 0;
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, worker] of workers.entries()) {
        await eventually(
          "a transcode, or the end of all jobs",
          async () =>
            (await childrenOf(worker.pid)).length > 0 ||
            (await deployment.db.videoUpload.count({ where: { status: { in: ["queued", "processing"] } } })) === 0,
          60_000,
        );
        if ((await childrenOf(worker.pid)).length > 0) interrupted++;
        const startedMs = performance.now();
        worker.child.kill("SIGTERM");
        expect({ exit: await worker.exited, stderr: worker.stderr() }).toEqual({ exit: 0, stderr: "" });
        tookMs.push(Math.round(performance.now() - startedMs));
        workers[index] = await deployment.start("worker");
      }
    }
    const { sent, failures } = await load.stop();
    const ended = await Promise.all(jobs.map((job) => finished(ada, job)));
    const attempts = ended.reduce((sum, it) => sum + (it.attempt as number), 0);
    process.stderr.write(
      `worker restarts: ${interrupted} of ${tookMs.length} during a transcode, SIGTERM to exit in ${Math.min(...tookMs)} to ${Math.max(...tookMs)} ms; ${jobs.length} videos in ${attempts} attempts; ${failures.length} of ${sent} requests failed\n`,
    );
    expect(Math.max(...tookMs)).toBeLessThan(EXIT_MAX_MS);
    // The fault has happened: workers were stopped in the middle of jobs, and other workers continued them.
    expect(interrupted).toBeGreaterThanOrEqual(WORKERS);
    expect(attempts).toBeGreaterThan(jobs.length);
    expect(ended.map((it) => it.status)).toEqual(jobs.map(() => "succeeded"));
    // One notification and one set of files for each video, however many attempts it took.
    const notified = await eventually("all notifications", async () => {
      const all = await notificationsOf(ada);
      return all.length >= jobs.length ? all : null;
    });
    expect(notified.map(([, id]) => id).toSorted()).toEqual(jobs.map((it) => it.id as string).toSorted());
    // An attempt removes its folder after it has said how it ended.
    await eventually("no scratch folder", async () => (await storedFiles(deployment, "scratch")).length === 0);
    const files = await storedFiles(deployment);
    for (const it of ended) {
      const own = files.filter((file) => file.includes(it.id as string) && !file.endsWith("/original"));
      expect(own.length).toBeGreaterThan(1);
      expect(own.filter((file) => !file.includes(`${it.id}/${it.attempt}/`))).toEqual([]);
    }
    expect(failures.slice(0, 10)).toEqual([]);
  },
  600_000,
);
