import { describe, expect, it } from "@jest/globals";
import { waitingReach } from "../support/metrics.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService, startWorkerOf } from "../support/service.ts";
import { smallClip, upload, uploadPath } from "../support/videos.ts";

const LONG = 30;
const service = prepare(() => startTestService({ ROLE: "api", METRICS_PORT: "0" }));
/** A worker is another process, and it processes nothing before its test. */
const worker = () => startWorkerOf(service);

describe("GET /video-uploads/{job_id} with wait", () => {
  it("returns as soon as the job is finished, and its owner gets the notification", async () => {
    const ada = await service.as();
    const job = await upload(ada, await smallClip());
    const waiting = [ada("GET", `${uploadPath(job)}?wait=${LONG}`), ada("GET", `/notifications?wait=${LONG}`)] as const;
    await waitingReach(service, 2);
    await using _worker = await worker();
    let [answer] = await Promise.all(waiting);
    // On a busy machine, it can take longer than one wait.
    while (answer.headers.has("retry-after")) answer = await ada("GET", `${uploadPath(job)}?wait=${LONG}`);
    expect(answer.body).toMatchObject({ status: "succeeded" });
    let { body } = await waiting[1];
    while (body.data.length === 0) ({ body } = await ada("GET", `/notifications?wait=${LONG}`));
    expect(body.data).toMatchObject([{ kind: "video_upload.succeeded" }]);
  });

  it("with If-None-Match, returns each state in order without a request that returns 304 at once", async () => {
    const ada = await service.as();
    const job = await upload(ada, await smallClip());
    let answer = await ada("GET", uploadPath(job));
    const waiting = ada("GET", `${uploadPath(job)}?wait=${LONG}`, undefined, {
      headers: { "If-None-Match": answer.headers.get("etag")! },
    });
    await waitingReach(service, 1);
    await using _worker = await worker();
    answer = await waiting;
    const states: string[] = [];
    for (;;) {
      if (answer.status === 200) states.push(answer.body.status);
      if (answer.status === 200 && !answer.headers.has("retry-after")) break;
      const headers = { "If-None-Match": answer.headers.get("etag")! };
      answer = await ada("GET", `${uploadPath(job)}?wait=${LONG}`, undefined, { headers });
    }
    expect(states[0]).toBe("processing");
    expect(states.at(-1)).toBe("succeeded");
  });

  it("returns the current state after the timeout, and 304 with If-None-Match", async () => {
    const ada = await service.as();
    const job = await upload(ada, await smallClip());
    const answer = await ada("GET", `${uploadPath(job)}?wait=1`);
    expect(answer).toMatchObject({ status: 200, body: { status: "queued" } });
    const headers = { "If-None-Match": answer.headers.get("etag")! };
    expect((await ada("GET", `${uploadPath(job)}?wait=1`, undefined, { headers })).status).toBe(304);
  });

  it("returns 404 as soon as the upload is deleted, and at once for one of another user", async () => {
    const [ada, bo] = [await service.as(), await service.as()];
    const job = await upload(ada, await smallClip());
    expect((await bo("GET", `${uploadPath(job)}?wait=${LONG}`)).status).toBe(404);
    const waiting = ada("GET", `${uploadPath(job)}?wait=${LONG}`);
    await waitingReach(service, 1);
    expect((await ada("DELETE", uploadPath(job))).status).toBe(204);
    expect((await waiting).status).toBe(404);
  });
});
