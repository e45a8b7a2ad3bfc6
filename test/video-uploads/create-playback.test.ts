import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { Client } from "../support/client.ts";
import { playbackOf } from "../support/playback.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { storeResult } from "../support/stored-result.ts";
import { upload, uploadPath } from "../support/videos.ts";

const ERROR = { in: "body", pointer: "/expires_in_seconds" };
const BYTES = Buffer.from("a rendition");

describe("POST /video-uploads/{job_id}/playback", () => {
  let service: TestService;
  let ada: Client;
  let jobId: string;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api" });
    ada = await service.as();
    jobId = await storeResult(service, ada, createFileStore(join(service.dataDir, "objects")), BYTES);
  });
  afterAll(() => service.close());

  const linksFor = (body: unknown) => ada("POST", `/video-uploads/${jobId}/playback`, body);

  it("returns links, which need no header, to the poster, the sprite and every rendition, with their fields in the result", async () => {
    const { result } = (await ada("GET", `/video-uploads/${jobId}`)).body;
    const { poster, sprite, renditions } = await playbackOf(ada, jobId);
    const withoutLink = ({ href: _, ...file }: { readonly href: string }) => file;
    expect(withoutLink(poster)).toEqual(withoutLink(result.poster));
    const { href, webvtt: _, ...spriteFacts } = sprite!;
    expect(spriteFacts).toEqual(result.sprite);
    expect(renditions.map(withoutLink)).toEqual(result.renditions.map(withoutLink));
    for (const link of [poster.href, href, ...renditions.map((it) => it.href)]) {
      const response = await fetch(`${service.url}${link}`);
      expect([response.status, await response.text()]).toEqual([200, BYTES.toString()]);
    }
  });

  it("sets expires_at to an hour from now, or to the seconds asked for", async () => {
    for (const [body, seconds] of [
      [{}, 3_600],
      [{ expires_in_seconds: 60 }, 60],
      [{ expires_in_seconds: 86_400 }, 86_400],
    ] as const) {
      const before = Date.now();
      const { expires_at } = (await linksFor(body)).body;
      const after = Date.now();
      expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(before + seconds * 1_000);
      expect(Date.parse(expires_at)).toBeLessThanOrEqual(after + seconds * 1_000);
    }
  });

  it.each([59, 86_401, 0, -3_600, 3_600.5, 1e300, "3600", null, true, [3_600]])(
    "returns 400 for expires_in_seconds: %j",
    async (value) => {
      expect(await linksFor({ expires_in_seconds: value })).toMatchObject({
        status: 400,
        body: { code: "validation_failed", errors: expect.arrayContaining([expect.objectContaining(ERROR)]) },
      });
    },
  );

  it("doesn't change the video upload, and returns other links each time, which all work", async () => {
    const etagOf = async () => (await ada("HEAD", `/video-uploads/${jobId}`)).headers.get("etag");
    const before = await etagOf();
    const answers = [await playbackOf(ada, jobId, 60), await playbackOf(ada, jobId, 61)];
    const hrefs = answers.map((it) => it.renditions[0]!.href);
    expect(new Set(hrefs).size).toBe(2);
    for (const href of hrefs) expect((await service.anonymous()("GET", href)).status).toBe(200);
    expect(await etagOf()).toBe(before);
  });

  it("returns 409 not_ready until the job has succeeded, and for a failed one", async () => {
    const job = await upload(ada, Buffer.from("not a video"));
    const refused = { status: 409, body: { code: "not_ready" } };
    expect(await ada("POST", `${uploadPath(job)}/playback`, {})).toMatchObject(refused);
    await service.db.videoUpload.update({
      where: { id: job.id },
      data: { status: "failed", errorCode: "unsupported_media", errorDetail: "x", finishedAt: new Date() },
    });
    expect(await ada("POST", `${uploadPath(job)}/playback`, {})).toMatchObject(refused);
  });
});

it("links have the prefix of PUBLIC_URL, and work behind a proxy that strips it", async () => {
  const service = await startTestService({ ROLE: "api", PUBLIC_URL: "https://plumb.example/media/v" });
  try {
    const ada = await service.as();
    const jobId = await storeResult(service, ada, createFileStore(join(service.dataDir, "objects")), BYTES);
    const { poster, sprite, renditions } = await playbackOf(ada, jobId);
    const webvtt = await service.anonymous()("GET", sprite!.webvtt.href.replace("/media/v", ""));
    const tile = new URL(/^sprite.*$/m.exec(webvtt.text)![0], `${service.url}${sprite!.webvtt.href}`);
    for (const href of [poster.href, sprite!.href, tile.pathname + tile.search, ...renditions.map((it) => it.href)]) {
      expect(href).toMatch(/^\/media\/v\/playback\//);
      expect((await service.anonymous()("GET", href.replace("/media/v", ""))).status).toBe(200);
    }
  } finally {
    await service.close();
  }
});
