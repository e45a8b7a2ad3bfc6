import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAD_LIMITS } from "../support/common-refusals.ts";
import type { Body } from "../support/client.ts";
import { tampered, walk } from "../support/conversations.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { finished, smallClip, upload, uploadPath } from "../support/videos.ts";

let service: TestService;
let clip: Buffer;
beforeAll(async () => {
  [service, clip] = [await startTestService(), await smallClip()];
});
afterAll(() => service.close());

const ids = (items: readonly Body[]) => items.map((it) => it.id as string);

describe("GET /video-uploads", () => {
  it("returns 200 with the current state of all uploads of the caller and no others, newest first", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const jobs = [await upload(ada, clip, "?name=one"), await upload(ada, Buffer.from("not a video"), "?name=two")];
    await upload(yuki, clip);
    const ended = [await finished(ada, jobs[1]), await finished(ada, jobs[0])];
    expect(await ada("GET", "/video-uploads")).toMatchObject({
      status: 200,
      body: { data: ended, page: { limit: 20, next_cursor: null } },
    });
    expect(await (await service.as())("GET", "/video-uploads")).toMatchObject({
      status: 200,
      body: { data: [], page: { next_cursor: null } },
    });
  });

  it("filters by status", async () => {
    const ada = await service.as();
    const good = await finished(ada, await upload(ada, clip));
    const bad = await finished(ada, await upload(ada, Buffer.from("not a video")));
    const found = async (status: string) => ids((await ada("GET", `/video-uploads?status=${status}`)).body.data);
    expect({
      succeeded: await found("succeeded"),
      failed: await found("failed"),
      queued: await found("queued"),
      processing: await found("processing"),
    }).toEqual({ succeeded: [good.id], failed: [bad.id], queued: [], processing: [] });
  });

  it("pages through each upload once in both orders, while others are added and the last one of a page is deleted", async () => {
    const ada = await service.as();
    const jobs: Body[] = [];
    for (let index = 0; index < 7; index++) jobs.push(await upload(ada, Buffer.from(`not a video either: ${index}`)));
    expect(ids(await walk(ada, "/video-uploads?sort=created_at&limit=3"))).toEqual(ids(jobs));
    const first = await ada("GET", "/video-uploads?limit=3");
    await ada("DELETE", uploadPath(first.body.data[2]));
    await upload(ada, Buffer.from("meanwhile"));
    const rest = await walk(ada, `/video-uploads?limit=2&after=${first.body.page.next_cursor}`);
    expect(ids([...first.body.data, ...rest])).toEqual(ids(jobs.toReversed()));
  });

  it.each([
    "status=done",
    "status=",
    "status=queued&status=failed",
    "sort=name",
    "sort=",
    "name=x",
    "before=x",
    ...BAD_LIMITS.map((it) => `limit=${it}`),
  ])("returns 400 for ?%s", async (query) => {
    expect(await (await service.as())("GET", `/video-uploads?${query}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it("returns 400 for a cursor of 600 characters", async () => {
    expect(await (await service.as())("GET", `/video-uploads?after=${"A".repeat(600)}`)).toMatchObject({
      status: 400,
      body: { code: "validation_failed" },
    });
  });

  it("returns 400 invalid_cursor for a changed cursor and for a cursor of another filter or order", async () => {
    const ada = await service.as();
    await upload(ada, Buffer.from("one"));
    await upload(ada, Buffer.from("two"));
    const cursor: string = (await ada("GET", "/video-uploads?limit=1")).body.page.next_cursor;
    for (const query of [`after=${tampered(cursor)}`, `after=${cursor}&status=failed`, `after=${cursor}&sort=created_at`]) {
      expect({ query, answer: await ada("GET", `/video-uploads?${query}`) }).toMatchObject({
        query,
        answer: { status: 400, body: { code: "invalid_cursor" } },
      });
    }
  });
});
