import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Input } from "../../src/contract/contract.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ByteRange } from "../../src/storage/object-store.ts";
import { videoUploadHandlers } from "../../src/video-uploads/handlers.ts";
import { probe } from "../../src/media/probe.ts";
import type { Body, Client } from "../support/client.ts";
import { anyEngine, makeClip } from "../support/media.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { storeResult } from "../support/stored-result.ts";
import { finished, upload } from "../support/videos.ts";

const silent = pino({ level: "silent" });

describe("GET /video-uploads/{job_id}/renditions/{name}", () => {
  let service: TestService;
  let ada: Client;
  let job: Body;
  let href: string;
  beforeAll(async () => {
    service = await startTestService();
    ada = await service.as();
    const clip = await makeClip({ durationSeconds: 1, width: 1280, height: 720, container: "mp4" });
    job = await finished(ada, await upload(ada, clip));
    href = job.result.renditions[0].href as string;
  });
  afterAll(() => service.close());

  /** Sends a GET and returns the body of the response as bytes. */
  async function bytesOf(
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
    const response = await fetch(`${service.url}${path}`, { headers: { Authorization: ada.authorization!, ...headers } });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  it("returns 200 with an MP4 in H.264 and AAC with the size, dimensions and duration in the result of the job", async () => {
    expect(job).toMatchObject({ status: "succeeded" });
    expect(job.result.renditions.map((it: Body) => [it.name, it.width, it.height])).toEqual([
      ["480p", 854, 480],
      ["720p", 1280, 720],
    ]);
    for (const rendition of job.result.renditions) {
      const { status, headers, bytes } = await bytesOf(rendition.href);
      expect([status, headers.get("content-type"), bytes.length]).toEqual([200, "video/mp4", rendition.size_bytes]);
      const path = join(service.dataDir, `${rendition.name}.mp4`);
      await writeFile(path, bytes);
      const info = await probe(anyEngine(), path);
      expect(info).toMatchObject({
        container: "mp4",
        width: rendition.width,
        height: rendition.height,
        videoCodec: "h264",
        audioCodec: "aac",
      });
      expect(Math.abs(info.durationMs - job.result.duration_ms)).toBeLessThanOrEqual(100);
      // The index comes before the media data, so that a player can start before it has loaded the whole file.
      expect(bytes.indexOf("moov")).toBeLessThan(bytes.indexOf("mdat"));
    }
  });

  it("returns a poster, a JPEG with the size in the result", async () => {
    const { poster } = job.result;
    const { status, headers, bytes } = await bytesOf(poster.href);
    expect([status, headers.get("content-type"), bytes.length]).toEqual([200, "image/jpeg", poster.size_bytes]);
    expect([bytes.subarray(0, 3).toString("hex"), bytes.subarray(-2).toString("hex")]).toEqual(["ffd8ff", "ffd9"]);
    expect(await ada("GET", poster.href)).toMatchObject({ status: 200 });
    expect(await ada("GET", poster.href, undefined, { headers: { Range: "bytes=0-9" } })).toMatchObject({ status: 206 });
    expect(await ada("HEAD", poster.href)).toMatchObject({ status: 200, text: "" });
  });

  it("returns 206 with the bytes of the range, for every form of a single range", async () => {
    const { bytes: whole } = await bytesOf(href);
    const size = whole.length;
    expect(await ada("GET", href)).toMatchObject({ status: 200 });
    expect(await ada("GET", href, undefined, { headers: { Range: "bytes=0-9" } })).toMatchObject({ status: 206 });
    for (const [range, from, to] of [
      ["bytes=0-99", 0, 99],
      ["bytes=100-", 100, size - 1],
      ["bytes=-50", size - 50, size - 1],
      [`bytes=${size - 10}-${size + 1000}`, size - 10, size - 1],
    ] as const) {
      const { status, headers, bytes } = await bytesOf(href, { Range: range });
      expect([range, status, headers.get("content-range")]).toEqual([range, 206, `bytes ${from}-${to}/${size}`]);
      expect(bytes.equals(whole.subarray(from, to + 1))).toBe(true);
    }
  });

  it("returns 206 with the whole file for a range that is as long as the file or longer", async () => {
    const { size_bytes: size } = job.result.renditions[0];
    for (const range of [`bytes=-${size}`, `bytes=-${size + 1}`, "bytes=-99999999", "BYTES=0-99999999"]) {
      const { status, headers, bytes } = await bytesOf(href, { Range: range });
      expect([range, status, headers.get("content-range"), bytes.length]).toEqual([
        range,
        206,
        `bytes 0-${size - 1}/${size}`,
        size,
      ]);
    }
  });

  it("returns 416 with the size for a range outside the file, and 200 for an invalid range or several ranges", async () => {
    const { size_bytes: size } = job.result.renditions[0];
    for (const range of [`bytes=${size}-`, "bytes=99999999-", "bytes=99999999-99999999", "bytes=-0"]) {
      const outside = await ada("GET", href, undefined, { headers: { Range: range } });
      expect(outside).toMatchObject({ status: 416, body: { code: "range_not_satisfiable" } });
      expect(outside.headers.get("content-range")).toBe(`bytes */${size}`);
    }
    for (const range of [
      "bytes=a-b",
      "lines=1-2",
      "lines=99999999-",
      "bytes=0-1,5-9",
      "nonsense",
      "bytes=5-2",
      "bytes=99999999-2",
      "bytes=-",
      "bytes=0 - 1",
      "bytes",
      "bytes=+1-2",
      "bytes=1-2-3",
    ]) {
      const { status, headers, bytes } = await bytesOf(href, { Range: range });
      expect([range, status, headers.get("content-range"), bytes.length]).toEqual([range, 200, null, size]);
    }
  });

  it("evaluates If-None-Match before the range, and returns 304 even for a range outside the file", async () => {
    const etag = (await ada("HEAD", href)).headers.get("etag")!;
    for (const range of ["bytes=0-9", "bytes=99999999-", "bytes=5-2"]) {
      expect(await ada("GET", href, undefined, { headers: { "If-None-Match": etag, Range: range } })).toMatchObject({
        status: 304,
        text: "",
      });
    }
    expect(
      await ada("GET", href, undefined, { headers: { "If-None-Match": '"another"', Range: "bytes=99999999-" } }),
    ).toMatchObject({ status: 416 });
  });

  it("returns 304 for the current ETag, and ignores a range whose If-Range has another ETag", async () => {
    const { headers } = await bytesOf(href);
    const etag = headers.get("etag")!;
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(await ada("GET", href, undefined, { headers: { "If-None-Match": etag } })).toMatchObject({ status: 304, text: "" });
    expect(await ada("GET", href, undefined, { headers: { "If-None-Match": etag, Range: "bytes=0-9" } })).toMatchObject({
      status: 304,
      text: "",
    });
    expect((await bytesOf(href, { Range: "bytes=0-9", "If-Range": etag })).status).toBe(206);
    // A weak tag is never equal enough to continue a file (RFC 9110, 13.1.5).
    for (const other of ['"another"', `W/${etag}`])
      expect((await bytesOf(href, { Range: "bytes=0-9", "If-Range": other })).status).toBe(200);
  });

  it("has a small video as it is, never scaled up to the size in the name", async () => {
    const clip = await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "webm", audio: false });
    const { result } = await finished(ada, await upload(ada, clip));
    expect(result).toMatchObject({
      audio_codec: null,
      renditions: [{ name: "480p", width: 160, height: 120 }],
      poster: { width: 160, height: 120 },
    });
  });

  it("returns 404 for an unknown rendition and to another user, and ignores the Accept header", async () => {
    expect(await ada("GET", `/video-uploads/${job.id}/renditions/4320p`)).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
    const eve = await service.as();
    const { href: picture } = job.result.poster;
    const etag = (await ada("HEAD", picture)).headers.get("etag")!;
    expect(await ada("GET", picture, undefined, { headers: { "If-None-Match": etag } })).toMatchObject({ status: 304, text: "" });
    expect(await ada("GET", picture, undefined, { headers: { Range: "bytes=99999999-" } })).toMatchObject({ status: 416 });
    for (const path of [href, picture])
      expect(await eve("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
    for (const accept of ["image/*", "application/json"])
      expect(await ada("GET", href, undefined, { headers: { Accept: accept } })).toMatchObject({ status: 200 });
  });
});

describe("GET of a rendition that is deleted during the request", () => {
  it("returns 404, but 500 if only the bytes are missing", async () => {
    const service = await startTestService({ ROLE: "api" });
    const jobs = await startJobs(service.databaseUrl, [], { isWorker: false, log: silent });
    try {
      const ada = await service.as();
      const real = createFileStore(join(service.dataDir, "objects"));
      const deleteFirst = {
        ...real,
        get: async (key: string, range?: ByteRange) => {
          await ada("DELETE", `/video-uploads/${deleted}`);
          return real.get(key, range);
        },
      };
      const handlers = videoUploadHandlers({
        db: service.db,
        pool: service.db,
        cursors: createCursors(["a secret of these tests"]),
        queue: jobs.queue,
        objects: deleteFirst,
        log: silent,
        maxUploadBytes: 1,
        maxStoredBytesPerUser: 1,
        idleMs: 1_000,
        keepOriginals: true,
      });
      const [deleted, damaged] = [await storeResult(service, ada, real), await storeResult(service, ada, real)];
      const open = async (id: string) => {
        const input = { principal: { userId: ada.userId }, path: { job_id: id, name: "480p" }, header: {} };
        const { body } = await handlers.getVideoRendition(input as unknown as Input<"getVideoRendition">);
        return body.open();
      };
      await expect(open(deleted)).rejects.toMatchObject({ code: "not_found" });
      await real.deletePrefix(`video-uploads/${damaged}`);
      await expect(open(damaged)).rejects.toThrow(/is missing/);
      expect(await ada("GET", `/video-uploads/${damaged}/renditions/480p`)).toMatchObject({
        status: 500,
        body: { code: "internal_error" },
      });
    } finally {
      await jobs.close();
      await service.close();
    }
  });
});
