import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";
import { eventually } from "../support/eventually.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { gatedFfmpeg } from "../support/gated-ffmpeg.ts";
import { endPauses } from "../support/jobs.ts";
import * as hostile from "./support/media-hostile.ts";
import { notificationsOf } from "../support/notifications.ts";
import { s3rver, type S3Server } from "../support/s3-server.ts";
import { finished, smallClip, upload, uploadPath } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

let server: S3Server;
beforeAll(async () => {
  server = await s3rver.start();
});
afterAll(() => server.stop());

type Setup = {
  readonly deployment: Deployment;
  readonly proxy: TcpProxy;
  startWorker(settings?: Readonly<Record<string, string>>): Promise<unknown>;
};

/** Sets up an API with a working bucket, and workers whose connection to the same bucket can be cut. */
async function settle(stack: AsyncDisposableStack): Promise<Setup> {
  const { bucket, prefix, region = "", credentials } = server.settings();
  const deployment = stack.use(await createDeployment());
  const proxy = stack.use(await startTcpProxy(server.endpoint));
  const settings = {
    OBJECT_STORE: `s3://${bucket}/${prefix}`,
    S3_REGION: region,
    S3_ACCESS_KEY_ID: credentials!.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  };
  await deployment.start("api", { ...settings, S3_ENDPOINT: server.endpoint });
  return {
    deployment,
    proxy,
    startWorker: (more = {}) => deployment.start("worker", { ...settings, S3_ENDPOINT: proxy.url, ...more }),
  };
}

/** Makes an upload whose worker has just lost its bucket. */
async function uploadCutOff(stack: AsyncDisposableStack) {
  const { deployment, proxy, startWorker } = await settle(stack);
  const ada = await deployment.as();
  await startWorker();
  await proxy.cut();
  const job = await upload(ada, await smallClip());
  const isQueuedAfter = async (attempt: number) => {
    const { body } = await ada("GET", uploadPath(job));
    return body.attempt === attempt && body.status === "queued";
  };
  return { deployment, proxy, ada, job, isQueuedAfter };
}

describe("a worker whose object store is unavailable", () => {
  it("postpones a job with growing pauses, beyond three attempts, and it succeeds when the store is available again", async () => {
    await using stack = new AsyncDisposableStack();
    const { deployment, proxy, ada, job, isQueuedAfter } = await uploadCutOff(stack);
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 5; attempt++) {
      await eventually(`attempt ${attempt} and its end`, () => isQueuedAfter(attempt), 60_000);
      const [row] = await deployment.db.$queryRaw<
        { seconds: number }[]
      >`SELECT extract(epoch FROM start_after - now())::float8 AS seconds FROM pgboss.job WHERE id = ${job.id}::uuid`;
      pauses.push(row!.seconds);
      if (attempt === 5) await proxy.mend();
      await endPauses(deployment);
    }
    for (const [index, seconds] of [10, 60, 300, 300, 300].entries()) {
      expect(pauses[index]).toBeGreaterThan(seconds - 10);
      expect(pauses[index]).toBeLessThanOrEqual(seconds);
    }
    expect(await finished(ada, job)).toMatchObject({ status: "succeeded", attempt: 6, error: null });
    expect(await notificationsOf(ada)).toEqual([["video_upload.succeeded", job.id]]);
  }, 180_000);

  it("stops postponing after ninety attempts, and fails the job after attempt 92", async () => {
    await using stack = new AsyncDisposableStack();
    const { deployment, ada, job, isQueuedAfter } = await uploadCutOff(stack);
    await eventually("its first postponement", () => isQueuedAfter(1));
    // The state that attempt 88 leaves.
    await deployment.db.$executeRaw`UPDATE pgboss.job SET retry_count = 87, retry_limit = 90 WHERE id = ${job.id}::uuid`;
    await deployment.db.$executeRaw`UPDATE video_uploads SET attempt = 88 WHERE id = ${job.id}::uuid`;
    const ended = await eventually(
      "the end",
      async () => {
        await endPauses(deployment);
        const { body } = await ada("GET", uploadPath(job));
        return body.status === "failed" && body;
      },
      60_000,
    );
    expect(ended).toMatchObject({ attempt: 92, error: { code: "internal_error" } });
    expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
  }, 180_000);

  itNeeds(
    "ffmpeg",
    "fails the job of a corrupt video in the first attempt, even if its files can't be deleted",
    async () => {
      await using stack = new AsyncDisposableStack();
      const gate = await gatedFfmpeg();
      stack.use(gate);
      const { deployment, proxy, startWorker } = await settle(stack);
      const ada = await deployment.as();
      await startWorker({ FFMPEG_PATH: gate.path });
      const job = await upload(ada, await hostile.clipWithEmptyIndex());
      await gate.waiting(1);
      await proxy.cut();
      await gate.open();
      expect(await finished(ada, job)).toMatchObject({ status: "failed", attempt: 1, error: { code: "corrupt_media" } });
      expect(await notificationsOf(ada)).toEqual([["video_upload.failed", job.id]]);
    },
    180_000,
  );
});
