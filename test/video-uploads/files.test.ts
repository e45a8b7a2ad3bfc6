/** The files of a video: the original, the renditions, the images, and the links with which a page plays them. */
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Input } from "../../src/contract/contract.ts";
import type { JobQueue } from "../../src/jobs/jobs.ts";
import { createCursors } from "../../src/pagination/cursor.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ByteRange } from "../../src/storage/object-store.ts";
import { videoUploadHandlers } from "../../src/video-uploads/handlers.ts";
import { openConversation, withKey } from "../support/conversations.ts";
import { eventually, usedBeforeExpiry } from "../support/eventually.ts";
import { LINK_SECRET, linkWith, playbackOf } from "../support/playback.ts";
import { prepare } from "../support/prepare.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { exchange } from "../support/socket.ts";
import { storeResult } from "../support/stored-result.ts";
import { upload, uploadPath } from "../support/videos.ts";

const BYTES = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
const IN_A_MINUTE = () => new Date(Date.now() + 60_000);
const service = prepare(() => startTestService({ ROLE: "api", CURSOR_SECRETS: LINK_SECRET }));
const ada = prepare(() => service.as());
const anonymous = prepare(async () => service.anonymous());
const storeOf = ({ dataDir }: TestService = service) => createFileStore(join(dataDir, "objects"));
const storeVideo = (owner = ada, bytes: Buffer = BYTES) => storeResult(service, owner, storeOf(), bytes);
const get = (path: string, headers: Record<string, string> = {}, client = ada) => client("GET", path, undefined, { headers });

const HTML = Buffer.from("<script>alert(1)</script>");
const originalOf = async (bytes: Buffer, query = "") => `${uploadPath(await upload(ada, bytes, query))}/original`;

describe("GET /video-uploads/{job_id}/original", () => {
  it(sentence("Returns the bytes that you uploaded, whatever the state of the job."), async () => {
    const job = await upload(ada, BYTES);
    const path = `${uploadPath(job)}/original`;
    for (const status of ["queued", "processing", "failed", "succeeded"]) {
      await service.db.videoUpload.update({ where: { id: job.id }, data: { status } });
      const response = await fetch(`${service.url}${path}`, { headers: { Authorization: ada.authorization! } });
      expect([status, response.status]).toEqual([status, 200]);
      expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
    }
  });

  const ANOTHER = sentence("If the file has another one, you get 412, whatever you send as `If-None-Match` and `Range`.");
  const NONE = sentence("`*` matches any file. A weak tag or a malformed value matches none.");
  it(`${ANOTHER} ${NONE} The order of RFC 9110, 13.2.2`, async () => {
    const path = await originalOf(BYTES);
    const etag = (await ada("HEAD", path)).headers.get("etag")!;
    const [other, part, outside] = ['"another"', { Range: "bytes=0-9" }, { Range: "bytes=1000-" }];
    for (const [ifMatch, headers, status] of [
      [etag, {}, 200],
      [`${other}, ${etag}`, {}, 200],
      ["*", {}, 200],
      [other, {}, 412],
      [`W/${etag}`, {}, 412],
      [`${etag} x`, {}, 412],
      [etag, part, 206],
      [other, part, 412],
      [etag, outside, 416],
      [other, outside, 412],
      [etag, { "If-None-Match": etag }, 304],
      [other, { "If-None-Match": etag }, 412],
      [other, { "If-None-Match": "*" }, 412],
      [etag, { ...part, "If-Range": etag }, 206],
      [etag, { ...part, "If-Range": other }, 200],
      [other, { ...part, "If-Range": etag }, 412],
      [etag, { ...outside, "If-Range": other }, 200],
      [etag, { ...part, "If-None-Match": etag }, 304],
    ] as const) {
      const sent = { "If-Match": ifMatch, ...headers };
      expect([sent, (await get(path, sent)).status]).toEqual([sent, status]);
      // HEAD has no ranges.
      const { status: ofHead, text } = await ada("HEAD", path, undefined, { headers: sent });
      expect([sent, ofHead, text]).toEqual([sent, [206, 416].includes(status) ? 200 : status, ""]);
    }
  });

  it("is saved and never shown, whatever was uploaded, under the name of the upload", async () => {
    for (const [query, expected] of [
      ["?name=page.html", "attachment; filename=page.html"],
      [`?name=${encodeURIComponent('a "b".mov')}`, 'attachment; filename="a \\"b\\".mov"'],
      [`?name=${encodeURIComponent("föhn.mov")}`, "attachment; filename=\"f?hn.mov\"; filename*=UTF-8''f%C3%B6hn.mov"],
      ["", "attachment; filename=video"],
    ]) {
      const { headers } = await get(await originalOf(HTML, query));
      expect(headers.get("content-disposition")).toBe(expected);
      expect(headers.get("content-type")).toBe("application/octet-stream");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    }
  });

  it("returns 404 to another user, and for an upload that is not complete or was deleted", async () => {
    const eve = await service.as();
    const path = await originalOf(BYTES);
    const missing = { status: 404, body: { code: "not_found" } };
    expect(await get(path, {}, eve)).toMatchObject(missing);
    await ada("DELETE", path.replace("/original", ""));
    for (const headers of [{}, { "If-Match": "*" }, { "If-Match": '"another"' }])
      expect(await get(path, headers)).toMatchObject(missing);
    const begun = await ada("POST", "/video-uploads", BYTES, { headers: { "Upload-Complete": "?0" } });
    expect(await get(begun.headers.get("location")!.replace("/transfer", "/original"))).toMatchObject(missing);
  });
});

describe("an original that the operator doesn't keep", () => {
  const statuses = async (path: string, at: TestService) => {
    const client = at === service ? ada : at.anonymous(ada.authorization);
    const answers = [await client("GET", path), await client("HEAD", path), await get(path, { "If-None-Match": "*" }, client)];
    return answers.map((it) => it.status);
  };

  const NOT_KEPT = "If the operator doesn't keep uploaded files, it returns 404 as soon as the job has succeeded.";
  it(`${sentence(NOT_KEPT)} Though its bytes stay for backups, but not before`, async () => {
    const job = await upload(ada, BYTES);
    const path = `${uploadPath(job)}/original`;
    const settings = { ROLE: "api", DATA_DIR: service.dataDir, KEEP_ORIGINALS: "false", KEEP_DELETED_HOURS: "1" };
    await using other = await startTestService(settings, { url: service.databaseUrl });
    expect(await statuses(path, other)).toEqual([200, 200, 304]);
    await service.db.videoUpload.update({ where: { id: job.id }, data: { status: "succeeded" } });
    expect(await statuses(path, other)).toEqual([404, 404, 404]);
  });

  it("returns 404 with GET and HEAD if it was removed before the operator began to keep originals", async () => {
    const job = await upload(ada, BYTES);
    await service.db.videoUpload.update({ where: { id: job.id }, data: { status: "succeeded" } });
    await storeOf().delete(`video-uploads/${job.id}/original`);
    expect(await statuses(`${uploadPath(job)}/original`, service)).toEqual([404, 404, 404]);
  });
});

describe("GET /video-uploads/{job_id}/renditions/{name}", () => {
  const size = BYTES.length;
  let [jobId, href, picture] = ["", "", ""];
  beforeAll(async () => {
    jobId = await storeVideo();
    [href, picture] = [`/video-uploads/${jobId}/renditions/480p`, `/video-uploads/${jobId}/poster`];
  });

  /** Sends a GET and returns the body of the response as bytes. */
  async function bytesOf(path: string, more: Record<string, string> = {}) {
    const response = await fetch(`${service.url}${path}`, { headers: { Authorization: ada.authorization!, ...more } });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  }

  it(`${sentence("Returns a still image of the video as JPEG.")} And each rendition as an MP4`, async () => {
    for (const [path, type] of Object.entries({ [picture]: "image/jpeg", [href]: "video/mp4" })) {
      const { status, headers, bytes } = await bytesOf(path);
      expect([status, headers.get("content-type"), bytes.equals(BYTES)]).toEqual([200, type, true]);
      expect(await get(path, { Range: "bytes=0-9" })).toMatchObject({ status: 206 });
      expect(await ada("HEAD", path)).toMatchObject({ status: 200, text: "" });
    }
  });

  it(`${sentence("`Content-Range` says which part of the file it is.")} For every form of a single range`, async () => {
    for (const [range, from, to] of [
      ["bytes=0-99", 0, 99],
      ["bytes=100-", 100, size - 1],
      ["bytes=-50", size - 50, size - 1],
      [`bytes=${size - 10}-${size + 1000}`, size - 10, size - 1],
    ] as const) {
      const { status, headers, bytes } = await bytesOf(href, { Range: range });
      expect([range, status, headers.get("content-range")]).toEqual([range, 206, `bytes ${from}-${to}/${size}`]);
      expect(bytes.equals(BYTES.subarray(from, to + 1))).toBe(true);
    }
  });

  it("returns 206 with the whole file for a range that is as long as the file or longer", async () => {
    for (const range of [`bytes=-${size}`, `bytes=-${size + 1}`, "bytes=-99999999", "BYTES=0-99999999"]) {
      const { status, headers, bytes } = await bytesOf(href, { Range: range });
      expect([range, status, headers.get("content-range")]).toEqual([range, 206, `bytes 0-${size - 1}/${size}`]);
      expect(bytes.length).toBe(size);
    }
  });

  const WITHIN = sentence("Request a range within the size in `Content-Range`.");
  it(`${WITHIN} ${sentence("several ranges return the whole file, and HEAD ignores ranges.")}`, async () => {
    for (const range of [`bytes=${size}-`, "bytes=99999999-", "bytes=99999999-99999999", "bytes=-0"]) {
      const outside = await get(href, { Range: range });
      expect(outside).toMatchObject({ status: 416, body: { code: "range_not_satisfiable" } });
      expect(outside.headers.get("content-range")).toBe(`bytes */${size}`);
    }
    const ignored =
      "bytes=a-b lines=1-2 lines=99999999- bytes=0-1,5-9 nonsense bytes=5-2 bytes=99999999-2 bytes=- bytes bytes=+1-2";
    for (const range of [...ignored.split(" "), "bytes=0 - 1", "bytes=1-2-3"]) {
      const { status, headers, bytes } = await bytesOf(href, { Range: range });
      expect([range, status, headers.get("content-range"), bytes.length]).toEqual([range, 200, null, size]);
      expect((await ada("HEAD", href, undefined, { headers: { Range: "bytes=0-1" } })).status).toBe(200);
    }
  });

  const CACHED = sentence("A rendition never changes, so you can cache it by its `ETag`.");
  it(`${CACHED} Any range gets 304 for it, and is ignored if its If-Range has another one`, async () => {
    const { headers } = await bytesOf(href);
    const etag = headers.get("etag")!;
    expect(etag).toMatch(/^"[^"]+"$/);
    expect(await get(href, { "If-None-Match": etag })).toMatchObject({ status: 304, text: "" });
    for (const Range of ["bytes=0-9", "bytes=99999999-", "bytes=5-2"])
      expect(await get(href, { "If-None-Match": etag, Range })).toMatchObject({ status: 304, text: "" });
    const another = { "If-None-Match": '"another"', Range: "bytes=99999999-" };
    expect(await get(href, another)).toMatchObject({ status: 416 });
    expect((await bytesOf(href, { Range: "bytes=0-9", "If-Range": etag })).status).toBe(206);
    // A weak tag is never equal enough to continue a file (RFC 9110, 13.1.5).
    for (const other of ['"another"', `W/${etag}`])
      expect((await bytesOf(href, { Range: "bytes=0-9", "If-Range": other })).status).toBe(200);
  });

  it(`${sentence("A name that is not in `result` returns 404.")} To another user, too, and with any Accept`, async () => {
    const missing = { status: 404, body: { code: "not_found" } };
    expect(await get(`/video-uploads/${jobId}/renditions/4320p`)).toMatchObject(missing);
    const eve = await service.as();
    const etag = (await ada("HEAD", picture)).headers.get("etag")!;
    expect(await get(picture, { "If-None-Match": etag })).toMatchObject({ status: 304, text: "" });
    expect(await get(picture, { Range: "bytes=99999999-" })).toMatchObject({ status: 416 });
    for (const path of [href, picture]) expect(await eve("GET", path)).toMatchObject(missing);
    for (const accept of ["image/*", "application/json"])
      expect(await get(href, { Accept: accept })).toMatchObject({ status: 200 });
  });
});

it("GET of a rendition that is deleted during the request returns 404, but 500 if only the bytes are missing", async () => {
  const real = storeOf();
  const [deleted, damaged] = [await storeVideo(), await storeVideo()];
  const get = async (key: string, range?: ByteRange) => {
    await ada("DELETE", `/video-uploads/${deleted}`);
    return real.get(key, range);
  };
  const handlers = videoUploadHandlers({
    ...{ db: service.db, pool: service.db, cursors: createCursors(["a secret of these tests"]), objects: { ...real, get } },
    ...{ queue: { enqueue: async () => undefined, remove: async () => undefined } as JobQueue, log: pino({ level: "silent" }) },
    ...{ maxUploadBytes: 1, maxStoredBytesPerUser: 1, idleMs: 1_000, keepOriginals: true },
  });
  const openVideo = async (id: string) => {
    const input = { principal: { userId: ada.userId }, path: { job_id: id, name: "480p" }, header: {} };
    const { body } = await handlers.getVideoRendition(input as unknown as Input<"getVideoRendition">);
    return body.open();
  };
  await expect(openVideo(deleted)).rejects.toMatchObject({ code: "not_found" });
  await real.deletePrefix(`video-uploads/${damaged}`);
  await expect(openVideo(damaged)).rejects.toThrow(/is missing/);
  const answer = await ada("GET", `/video-uploads/${damaged}/renditions/480p`);
  expect(answer).toMatchObject({ status: 500, body: { code: "internal_error" } });
});

describe("POST /video-uploads/{job_id}/playback", () => {
  let jobId: string;
  beforeAll(async () => {
    jobId = await storeVideo();
  });

  const linksFor = (body: unknown) => ada("POST", `/video-uploads/${jobId}/playback`, body);

  const NO_HEADER = sentence("They need no header until `expires_at`, so a page can use them in `<video>` and `<img>`.");
  it(`${NO_HEADER} The poster, the sprite and every rendition have the fields of the result`, async () => {
    const { result } = (await ada("GET", `/video-uploads/${jobId}`)).body;
    const size_bytes = BYTES.length;
    const image = { content_type: "image/jpeg", width: 4, height: 2, size_bytes };
    const tiles = { tile_width: 3, tile_height: 2, tile_count: 3, interval_ms: 400 };
    expect(result).toMatchObject({
      ...{ width: 8, height: 6, duration_ms: 1_000, poster: image },
      sprite: { content_type: "image/jpeg", width: 6, height: 4, size_bytes, ...tiles },
      renditions: [{ ...image, content_type: "video/mp4", name: "480p", duration_ms: 1_000 }],
    });
    const { poster, sprite, renditions } = await playbackOf(ada, jobId);
    const withoutLink = ({ href: _, ...file }: { readonly href: string }) => file;
    expect(withoutLink(poster)).toEqual(withoutLink(result.poster));
    const { href, webvtt: _, ...spriteFacts } = sprite!;
    expect(spriteFacts).toEqual(result.sprite);
    expect(renditions.map(withoutLink)).toEqual(result.renditions.map(withoutLink));
    for (const link of [poster.href, href, ...renditions.map((it) => it.href)]) {
      const response = await fetch(`${service.url}${link}`);
      expect([response.status, Buffer.from(await response.arrayBuffer()).equals(BYTES)]).toEqual([200, true]);
      expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
    }
  });

  it("sets expires_at to an hour from now, or to the seconds asked for", async () => {
    for (const [body, seconds] of [
      [undefined, 3_600],
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

  it("doesn't change the video upload, and returns other links each time, which all work", async () => {
    const etagOf = async () => (await ada("HEAD", `/video-uploads/${jobId}`)).headers.get("etag");
    const before = await etagOf();
    const answers = [await playbackOf(ada, jobId, 60), await playbackOf(ada, jobId, 61)];
    const hrefs = answers.map((it) => it.renditions[0]!.href);
    expect(new Set(hrefs).size).toBe(2);
    for (const href of hrefs) expect((await service.anonymous()("GET", href)).status).toBe(200);
    expect(await etagOf()).toBe(before);
  });

  it("returns the links of the first response to a retry with its key, and not after the deletion of the video", async () => {
    const id = await storeVideo();
    const path = `/video-uploads/${id}/playback`;
    const ask = (body: unknown) => ada("POST", path, body, withKey("the-links"));
    const first = await ask(undefined);
    expect(first.status).toBe(201);
    const again = await ask({});
    expect([again.headers.get("idempotency-replayed"), again.body]).toEqual(["true", first.body]);
    expect(await ask({ expires_in_seconds: 60 })).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    await ada("DELETE", `/video-uploads/${id}`);
    expect((await ask({})).status).toBe(404);
  });

  const NO_POSTER = sentence("A failed job has no poster and always returns 409.");
  it(`${sentence("A failed job has nothing to play and always returns 409.")} ${NO_POSTER} Until it succeeds, too`, async () => {
    const job = await upload(ada, Buffer.from("not a video"));
    const refused = { status: 409, body: { code: "not_ready" } };
    const ask = () => [ada("POST", `${uploadPath(job)}/playback`, {}), ada("GET", `${uploadPath(job)}/poster`)];
    for (const answer of ask()) expect(await answer).toMatchObject(refused);
    await service.db.videoUpload.update({
      where: { id: job.id },
      data: { status: "failed", errorCode: "unsupported_media", errorDetail: "x", finishedAt: new Date() },
    });
    for (const answer of ask()) expect(await answer).toMatchObject(refused);
  });
});

it("links have the prefix of PUBLIC_URL, and work behind a proxy that strips it", async () => {
  await using other = await startTestService({ ROLE: "api", PUBLIC_URL: "https://plumb.example/media/v" });
  const owner = await other.as();
  const jobId = await storeResult(other, owner, storeOf(other), BYTES);
  const { poster, sprite, renditions } = await playbackOf(owner, jobId);
  const webvtt = await other.anonymous()("GET", sprite!.webvtt.href.replace("/media/v", ""));
  const tile = new URL(/^sprite.*$/m.exec(webvtt.text)![0], `${other.url}${sprite!.webvtt.href}`);
  for (const href of [poster.href, sprite!.href, tile.pathname + tile.search, ...renditions.map((it) => it.href)]) {
    expect(href).toMatch(/^\/media\/v\/playback\//);
    expect((await other.anonymous()("GET", href.replace("/media/v", ""))).status).toBe(200);
  }
});

/** A stored video with the links to its files. */
async function linked(owner = ada, bytes: Buffer = BYTES) {
  const jobId = await storeVideo(owner, bytes);
  const { poster, sprite, renditions } = await playbackOf(owner, jobId);
  return { jobId, href: renditions[0]!.href, poster: poster.href, sprite: sprite!.href, webvtt: sprite!.webvtt.href };
}

describe("GET /playback/{job_id}/{file}", () => {
  it("returns the file without a credential, for a page of any origin, and tells the browser not to send the link on", async () => {
    const { jobId, href, poster, sprite } = await linked();
    const response = await fetch(`${service.url}${href}`, { headers: { Origin: "https://films.example" } });
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "video/mp4",
      "content-length": String(BYTES.length),
      "accept-ranges": "bytes",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.has("ratelimit")).toBe(false);
    const etag = (await ada("HEAD", `/video-uploads/${jobId}/renditions/480p`)).headers.get("etag")!;
    expect([response.headers.get("etag"), (await get(href, { "If-None-Match": etag }, anonymous)).status]).toEqual([etag, 304]);
    for (const image of [poster, sprite]) {
      const { status, headers } = await anonymous("GET", image);
      expect([status, headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    }
  });

  it("returns WebVTT with a cue for each tile, whose link works without a credential for as long as its own", async () => {
    const { jobId } = await linked();
    const permission = { ownerId: ada.userId, expiresAt: IN_A_MINUTE() };
    const href = linkWith({ jobId, file: "sprite.vtt" }, permission);
    const { status, headers, text } = await anonymous("GET", href, undefined, { headers: { Origin: "https://films.example" } });
    expect([status, headers.get("content-type"), headers.get("access-control-allow-origin")]).toEqual([200, "text/vtt", "*"]);
    const sprite = linkWith({ jobId, file: "sprite.jpg" }, permission);
    const tiles = [...text.matchAll(/^(\S+) --> (\S+)\n(\S+)#xywh=(\S+)$/gm)].map(([, from, to, link, tile]) => {
      const { pathname, search } = new URL(link!, `${service.url}${href}`);
      return [from, to, pathname + search === sprite, tile];
    });
    expect(tiles).toEqual([
      ["00:00:00.000", "00:00:00.400", true, "0,0,3,2"],
      ["00:00:00.400", "00:00:00.800", true, "3,0,3,2"],
      ["00:00:00.800", "00:00:01.000", true, "0,2,3,2"],
    ]);
    expect(text.split("\n\n")).toHaveLength(1 + tiles.length);
    expect(text).toMatch(/^WEBVTT\n\n/);
    expect((await anonymous("GET", sprite)).status).toBe(200);
    expect((await get(href, { "If-None-Match": headers.get("etag")! }, anonymous)).status).toBe(304);
    expect(await get(href, { Range: "bytes=0-5" }, anonymous)).toMatchObject({ status: 206, text: "WEBVTT" });
  });

  it("names the time and the place of each tile of a video of more than an hour, and ends with the longest rendition", async () => {
    const { jobId, webvtt } = await linked();
    const { result } = await service.db.videoUpload.findUniqueOrThrow({ where: { id: jobId } });
    const { sprite, renditions, ...facts } = result as unknown as { sprite: object; renditions: readonly object[] };
    // Three columns and two rows of tiles, of which the last has one.
    const fourTiles = { ...sprite, width: 9, tileCount: 4, intervalMs: 3_661_005 };
    const longer = { renditions: renditions.map((it) => ({ ...it, durationMs: 11_103_250 })) };
    await service.db.videoUpload.update({
      where: { id: jobId },
      data: { result: { ...facts, ...longer, durationMs: 11_103_000, sprite: fourTiles } },
    });
    const { text } = await anonymous("GET", webvtt);
    expect([...text.matchAll(/^(\S+ --> \S+)\n\S+#xywh=(\S+)$/gm)].map(([, ...cue]) => cue)).toEqual([
      ["00:00:00.000 --> 01:01:01.005", "0,0,3,2"],
      ["01:01:01.005 --> 02:02:02.010", "3,0,3,2"],
      ["02:02:02.010 --> 03:03:03.015", "6,0,3,2"],
      ["03:03:03.015 --> 03:05:03.250", "0,2,3,2"],
    ]);
  });

  it("has no sprite for a video that was processed before there were any", async () => {
    const { jobId, sprite, webvtt } = await linked();
    await service.db.$executeRaw`UPDATE video_uploads SET result = result - 'sprite' WHERE id = ${jobId}::uuid`;
    expect((await ada("GET", `/video-uploads/${jobId}`)).body.result.sprite).toBeNull();
    expect((await playbackOf(ada, jobId)).sprite).toBeNull();
    for (const href of [sprite, webvtt]) expect((await anonymous("GET", href)).status).toBe(404);
  });

  it("can be cached until the link expires, and not a second longer", async () => {
    const { jobId } = await linked();
    for (const seconds of [60, 86_400]) {
      const { expires_at, sprite, renditions } = await playbackOf(ada, jobId, seconds);
      for (const href of [renditions[0]!.href, sprite!.webvtt.href]) {
        const { headers } = await anonymous("GET", href);
        const [, maxAge] = /^private, max-age=(\d+)$/.exec(headers.get("cache-control")!)!;
        expect(Date.now() + Number(maxAge) * 1_000).toBeLessThanOrEqual(Date.parse(expires_at) + 1_000);
        expect(Number(maxAge)).toBeGreaterThan(seconds - 30);
      }
    }
  });

  it.each([
    ["doors-rehung.mov", "inline; filename=doors-rehung.480p.mp4"],
    ["CLIP.MOV", "inline; filename=CLIP.480p.mp4"],
    ["The roof. Part two", 'inline; filename="The roof. Part two.480p.mp4"'],
    ["übergabe.mp4", "inline; filename=\"?bergabe.480p.mp4\"; filename*=UTF-8''%C3%BCbergabe.480p.mp4"],
    ['say "hi"; x=y.mp4', 'inline; filename="say \\"hi\\"; x=y.480p.mp4"'],
    // Shown, it would end in exe.
    ["roof\u202Eexe.mp4", "inline; filename=roofexe.480p.mp4"],
    [".hidden", "inline; filename=.hidden.480p.mp4"],
    [null, "inline; filename=video.480p.mp4"],
  ])(
    `has the name ${sentence("that of the upload with that of the rendition.")} It is shown, or saved under a safe name: %j`,
    async (name, expected) => {
      const { jobId, href } = await linked();
      await service.db.videoUpload.update({ where: { id: jobId }, data: { name } });
      expect((await anonymous("HEAD", href)).headers.get("content-disposition")).toBe(expected);
    },
  );
});

describe("a link ends", () => {
  it("at its expiry: then GET and HEAD, with a range or an entity tag, return 403 link_expired", async () => {
    const { jobId } = await linked();
    const { href, etag } = await usedBeforeExpiry(async (expiresAt) => {
      const link = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt });
      const { status, headers } = await anonymous("GET", link);
      return { href: link, etag: headers.get("etag")!, status };
    });
    expect(etag).toMatch(/^"/);
    await eventually("the end of the link", async () => (await anonymous("HEAD", href)).status === 403);
    for (const headers of [{}, { Range: "bytes=0-9" }, { "If-None-Match": etag }, { Range: "bytes=0-9", "If-Range": etag }])
      expect(await get(href, headers, anonymous)).toMatchObject({ status: 403, body: { code: "link_expired" } });
    expect((await anonymous("GET", href)).headers.get("cache-control")).toBe("no-store");
  });

  it("at its expiry, also for a response that is still being sent", async () => {
    const { jobId } = await linked(ada, Buffer.alloc(64_000_000));
    const { socket, head, link } = await usedBeforeExpiry(async (expiresAt) => {
      const href = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt });
      const slow = connect(Number(new URL(service.url).port), "127.0.0.1");
      slow.write(`GET ${href} HTTP/1.1\r\nHost: x\r\n\r\n`);
      const [first] = (await once(slow, "data")) as [Buffer];
      // More than the buffers of the kernel take, so the response waits for this client.
      return { socket: slow.pause(), head: first, link: href };
    });
    expect(head.toString("latin1")).toMatch(/^HTTP\/1\.1 200 /);
    await eventually("the end of the link", async () => (await anonymous("HEAD", link)).status === 403);
    let received = head.length;
    // A reset also ends it.
    socket.on("error", () => undefined).on("data", (chunk: Buffer) => (received += chunk.length));
    const closed = once(socket, "close");
    socket.resume();
    await closed;
    expect(received).toBeLessThan(64_000_000);
  });

  it("at once when its video is deleted: 404", async () => {
    const { jobId, href, poster, sprite, webvtt } = await linked();
    const etag = (await anonymous("HEAD", href)).headers.get("etag")!;
    await ada("DELETE", `/video-uploads/${jobId}`);
    const headers = { "If-None-Match": etag };
    for (const path of [href, poster, sprite, webvtt])
      expect(await get(path, headers, anonymous)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("at once when the deletion of its owner begins, for every file: 404. It leads to no video that has not succeeded", async () => {
    const [bob, eve] = [await service.as(), await service.as()];
    const [ofBob, ofEve] = [await linked(bob), await linked(eve)];
    await service.db.user.update({ where: { id: bob.userId }, data: { deletedAt: new Date() } });
    await service.db.videoUpload.update({ where: { id: ofEve.jobId }, data: { status: "processing" } });
    for (const { href, poster, sprite, webvtt } of [ofBob, ofEve])
      for (const path of [href, poster, sprite, webvtt])
        expect(await anonymous("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("when the operator removes the secret that sealed it, and not when another one is put before it", async () => {
    const { href } = await linked();
    const statusWith = async (secrets: string) => {
      const database = { url: service.databaseUrl };
      const other = await startTestService({ ROLE: "api", DATA_DIR: service.dataDir, CURSOR_SECRETS: secrets }, database);
      try {
        return (await other.anonymous()("GET", href)).status;
      } finally {
        await other.close();
      }
    };
    expect(await statusWith(`the secret of next year,${LINK_SECRET}`)).toBe(200);
    expect(await statusWith("the secret of next year")).toBe(403);
  });
});

/** What an attacker has: links to two videos of one user and to one of another, and everything else that the service seals. */
async function loot() {
  const eve = await service.as();
  const [own, other, foreign] = [await linked(), await linked(), await linked(eve)];
  await openConversation(eve, [ada]);
  for (const title of ["one", "two"]) await ada("POST", "/posts", { title, body: title });
  const cursor = (await ada("GET", "/posts?limit=1")).body.page.next_cursor as string;
  const seen = (await ada("GET", "/notifications")).body.seen as string;
  const late = (await playbackOf(ada, own.jobId, 86_400)).renditions[0]!.href;
  return { own, other, foreign, eve, cursor, seen, late };
}
type Loot = Awaited<ReturnType<typeof loot>>;

const tokenOf = (href: string) => /token=(.+)$/.exec(href)![1]!;
const withToken = (href: string, token: string) => href.replace(/token=.*$/, `token=${token}`);
const bytesOf = (href: string) => Buffer.from(tokenOf(href), "base64url");
const sealedAs = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
/** Bytes 2 to 14 are the initialisation vector, the last 16 the tag, and what is between them is encrypted. */
const splice = (head: Buffer, middle: Buffer, tail: Buffer) =>
  Buffer.concat([head.subarray(0, 14), middle.subarray(14, -16), tail.subarray(-16)]);

/** Ways to forge, to stretch or to reuse a link. All are refused in the same way, so that no refusal shows the reason. */
const FORGERIES: Readonly<Record<string, (it: Loot) => string>> = {
  "any text": ({ own }) => withToken(own.href, "let-me-in"),
  "a text in another alphabet": ({ own }) => withToken(own.href, encodeURIComponent("пропуск 🎬")),
  "an empty object": ({ own }) => withToken(own.href, sealedAs(Buffer.from("{}"))),
  "who and until when, in plain text": ({ own }) =>
    withToken(own.href, sealedAs(Buffer.from(JSON.stringify([ada.userId, Date.now() + 1e9])))),
  "its beginning": ({ own }) => withToken(own.href, tokenOf(own.href).slice(0, -1)),
  "one character more": ({ own }) => withToken(own.href, `${tokenOf(own.href)}A`),
  padding: ({ own }) => withToken(own.href, `${tokenOf(own.href)}=`),
  "a space before it": ({ own }) => withToken(own.href, `%20${tokenOf(own.href)}`),
  capitals: ({ own }) => withToken(own.href, tokenOf(own.href).toUpperCase()),
  "all zeros": ({ own }) => withToken(own.href, sealedAs(Buffer.alloc(bytesOf(own.href).length))),
  "another version": ({ own }) => withToken(own.href, sealedAs(bytesOf(own.href).with(0, 2))),
  "no tag": ({ own }) => withToken(own.href, sealedAs(bytesOf(own.href).subarray(0, -16))),
  "a shorter tag": ({ own }) => withToken(own.href, sealedAs(bytesOf(own.href).subarray(0, -12))),
  "the content of a link that lasts longer": ({ own, late }) => {
    const [mine, later] = [bytesOf(own.href), bytesOf(late)];
    return withToken(own.href, sealedAs(splice(mine, later, mine)));
  },
  "the content and the tag of a link that lasts longer": ({ own, late }) =>
    withToken(own.href, sealedAs(splice(bytesOf(own.href), bytesOf(late), bytesOf(late)))),
  "the token of the poster, for the rendition": ({ own }) => withToken(own.href, tokenOf(own.poster)),
  "the token of the rendition, for the poster": ({ own }) => withToken(own.poster, tokenOf(own.href)),
  "the token of the poster, for the sprite": ({ own }) => withToken(own.sprite, tokenOf(own.poster)),
  "the token of the sprite, for its WebVTT file": ({ own }) => withToken(own.webvtt, tokenOf(own.sprite)),
  "the token of the WebVTT file, for its sprite": ({ own }) => withToken(own.sprite, tokenOf(own.webvtt)),
  "the token of the WebVTT file of another user": ({ own, foreign }) => withToken(own.webvtt, tokenOf(foreign.webvtt)),
  "a token for a rendition that doesn't exist": ({ own }) => own.href.replace("480p.mp4", "720p.mp4"),
  "the token of another video of the same user": ({ own, other }) => withToken(own.href, tokenOf(other.href)),
  "the token of a video of another user": ({ own, foreign }) => withToken(own.href, tokenOf(foreign.href)),
  "a cursor of a list": ({ own, cursor }) => withToken(own.href, cursor),
  "the seen of a list of notifications": ({ own, seen }) => withToken(own.href, seen),
  "a link with another secret": ({ own: { jobId } }) =>
    linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt: IN_A_MINUTE() }, "a secret of an attacker"),
  "a token that was expired and then changed": ({ own: { jobId } }) => {
    const href = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt: new Date(1) });
    return withToken(href, sealedAs(bytesOf(href).with(20, bytesOf(href)[20]! ^ 1)));
  },
};

describe("a link that the service has not made for this file", () => {
  let stolen: Loot;
  beforeAll(async () => {
    stolen = await loot();
  });

  it("is made from links that work", async () => {
    const { own, other, foreign, late } = stolen;
    for (const href of [own.href, own.poster, own.sprite, own.webvtt, other.href, foreign.href, late])
      expect((await anonymous("GET", href)).status).toBe(200);
  });

  it.each(Object.keys(FORGERIES))("returns 403 invalid_link for %s, also to a user with a token", async (what) => {
    const path = FORGERIES[what]!(stolen);
    const answers = [await anonymous("GET", path), await stolen.eve("GET", path), await ada("GET", path)];
    for (const { status, body } of answers) expect([status, body.code, body.errors]).toEqual([403, "invalid_link", undefined]);
    expect((await anonymous("HEAD", path)).status).toBe(403);
    expect(new Set(answers.map(({ body: { request_id: _, ...problem } }) => JSON.stringify(problem))).size).toBe(1);
  });

  it(`${sentence("If anything in it is changed, it returns 403 `invalid_link`.")} Each of its bits`, async () => {
    const { href } = stolen.own;
    const sealed = bytesOf(href);
    for (let bit = 0; bit < sealed.length * 8; bit += 5) {
      const changed = sealed.with(bit >> 3, sealed[bit >> 3]! ^ (1 << (bit & 7)));
      const { status, body } = await anonymous("GET", withToken(href, sealedAs(changed)));
      expect([bit, status, body.code]).toEqual([bit, 403, "invalid_link"]);
    }
  });

  it("returns 400 without a token, with an empty one, with two, and with a parameter that would change the expiry", async () => {
    const { href } = stolen.own;
    const more = ["&token=x", `&token=${tokenOf(href)}`, "&expires_at=2030-01-01T00:00:00.000Z", "&expires_in_seconds=86400"];
    for (const path of [href.replace(/\?.*/, ""), withToken(href, ""), ...more.map((it) => href + it)])
      expect(await anonymous("GET", path)).toMatchObject({ status: 400, body: { code: "validation_failed" } });
    const elsewhere = { headers: { Cookie: `token=${tokenOf(href)}`, Authorization: `Bearer ${tokenOf(href)}` } };
    expect((await anonymous("GET", href.replace(/\?.*/, ""), undefined, elsewhere)).status).toBe(400);
  });

  it("opens nothing else: its token is neither a credential nor a cursor, and other methods and paths don't take it", async () => {
    const { href, jobId } = stolen.own;
    const token = tokenOf(href);
    const bearer = service.anonymous(`Bearer ${token}`);
    for (const path of [`/video-uploads/${jobId}`, `/video-uploads/${jobId}/renditions/480p`, "/account"])
      expect((await bearer("GET", path)).status).toBe(401);
    expect(await ada("GET", `/posts?after=${token}`)).toMatchObject({ status: 400, body: { code: "invalid_cursor" } });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect((await anonymous(method, href, {})).status).toBe(405);
    const expired = linkWith({ jobId, file: "480p.mp4" }, { ownerId: ada.userId, expiresAt: new Date(1) });
    const yesterday = { headers: { Date: "Mon, 01 Jan 1970 00:00:00 GMT", "X-HTTP-Method-Override": "HEAD" } };
    expect((await anonymous("GET", expired, undefined, yesterday)).body.code).toBe("link_expired");
    for (const path of [`${href}/`, `/x/..${href}`, href.replace("/playback", "//playback"), href.replace("480p", "480P")]) {
      const { answers } = await exchange(service.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, { expected: 1 });
      expect([path, [400, 403, 404].includes(answers[0]!.status)]).toEqual([path, true]);
    }
  });
});
