import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Body } from "../support/client.ts";
import { walk } from "../support/conversations.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { finished, smallClip, upload, uploadPath } from "../support/videos.ts";

const service = prepare(startTestService);
let clip: Buffer;
beforeAll(async () => {
  clip = await smallClip();
});

const ids = (items: readonly Body[]) => items.map((it) => it.id as string);

describe("GET /video-uploads", () => {
  it("returns 200 with the current state of all uploads of the caller and no others, newest first", async () => {
    const [ada, yuki] = [await service.as(), await service.as()];
    const jobs = [await upload(ada, clip, "?name=one"), await upload(ada, Buffer.from("not a video"), "?name=two")];
    await upload(yuki, Buffer.from("not a video"));
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
});
