import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, upload, uploadPath } from "../support/videos.ts";

// The first service has no worker, so its jobs stay unfinished. The second one finishes its jobs.
const waiting = prepare(() => startTestService({ ROLE: "api" }));
const working = prepare(startTestService);
let clip: Buffer;
beforeAll(async () => {
  clip = await smallClip();
});

const ask = (client: Client, path: string, etag: string) =>
  client("GET", path, undefined, { headers: { "If-None-Match": etag } });

describe("GET /video-uploads/{job_id}", () => {
  it("returns 200 with the state of an unfinished job, its ETag and Retry-After", async () => {
    const ada = await waiting.as();
    const job = await upload(ada, clip);
    const answer = await ada("GET", uploadPath(job));
    expect(answer).toMatchObject({ status: 200, body: job });
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const unchanged = await ask(ada, uploadPath(job), answer.headers.get("etag")!);
    expect(unchanged).toMatchObject({ status: 304, text: "" });
    expect(Number(unchanged.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  });

  it("returns another ETag after the job has changed", async () => {
    const ada = await working.as();
    // A file that is no video can be refused before the first read.
    const job = await upload(ada, clip);
    const etags = new Set([(await ada("GET", uploadPath(job))).headers.get("etag")]);
    await finished(ada, job);
    expect(etags.has((await ada("GET", uploadPath(job))).headers.get("etag"))).toBe(false);
  });
});
