import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createS3Store } from "../../src/storage/s3-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { createClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { makeClip } from "../support/media.ts";
import { run } from "../support/running.ts";
import { s3rver, type S3Server } from "../support/s3-server.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { storeResult } from "../support/stored-result.ts";
import { finished, queuedJobs, sha256Of, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

const PARTIAL = { "Content-Type": "application/partial-upload" };

describe("a service with videos in a bucket", () => {
  let server: S3Server;
  let bucket: ObjectStore;
  let settings: Record<string, string>;
  let service: TestService;
  beforeAll(async () => {
    server = await s3rver.start();
    const { prefix } = server.settings();
    bucket = await createS3Store({ ...server.settings(), prefix });
    settings = {
      OBJECT_STORE: `s3://${server.bucket}/${prefix}`,
      S3_ENDPOINT: server.endpoint,
      S3_ACCESS_KEY_ID: "S3RVER",
      S3_SECRET_ACCESS_KEY: "S3RVER",
    };
    service = await startTestService(settings);
  });
  afterAll(async () => {
    await service.close();
    await server.stop();
  });

  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of bucket.list("video-uploads")) found.push(key);
    return found;
  }

  it("resumes an upload after a broken connection, and leaves no pieces", async () => {
    const ada = await service.as();
    const clip = await smallClip();
    const begun = await ada("POST", "/video-uploads", clip.subarray(0, 1_000), { headers: { "Upload-Complete": "?0" } });
    const location = begun.headers.get("location")!;
    const half = clip.subarray(1_000, Math.floor(clip.length / 2));
    const offset = await eventually("the bytes of a request that broke in the middle", async () => {
      const outgoing = request(`${service.url}${location}`, {
        method: "PATCH",
        agent: false,
        headers: {
          ...PARTIAL,
          Authorization: ada.authorization!,
          "Upload-Offset": "1000",
          "Upload-Complete": "?1",
          "Content-Length": clip.length - 1_000,
          Expect: "100-continue",
        },
      });
      outgoing.on("error", () => undefined).flushHeaders();
      await once(outgoing, "continue");
      await new Promise((sent) => void outgoing.write(half, sent));
      // After one more request and response, the bytes are usually in transit to the bucket.
      await ada("GET", "/video-uploads");
      outgoing.destroy();
      const arrived = Number((await ada("HEAD", location)).headers.get("upload-offset"));
      return arrived > 1_000 ? arrived : null;
    });
    expect(offset).toBe(1_000 + half.length);
    const last = await ada("PATCH", location, clip.subarray(offset), {
      headers: { ...PARTIAL, "Upload-Offset": String(offset), "Upload-Complete": "?1" },
    });
    expect(last).toMatchObject({ status: 202, body: { sha256: sha256Of(clip), size_bytes: clip.length } });
    const job = await finished(ada, last.body);
    expect(job.status).toBe("succeeded");
    // The original, the poster, the sprite and the renditions.
    expect((await keys()).filter((it) => it.includes(job.id))).toHaveLength(3 + job.result.renditions.length);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    expect(await keys()).toEqual([]);
  });

  it("keeps all but the last 4 MiB of an upload whose service is killed, and stores the video byte for byte", async () => {
    const { prefix } = server.settings();
    const own = await createS3Store({ ...server.settings(), prefix });
    const start = async () => {
      const api = run({
        ...settings,
        OBJECT_STORE: `s3://${server.bucket}/${prefix}`,
        NODE_ENV: "test",
        ROLE: "api",
        DATABASE_URL: service.databaseUrl,
        DATA_DIR: service.dataDir,
      });
      const { url } = await api.ready();
      return {
        api,
        url,
        client: createClient(url, { userId: user.userId, name: user.userName, authorization: user.authorization! }),
      };
    };
    const user = await service.as();
    const MIB = 1024 * 1024;
    const bytes = randomBytes(14 * MIB);
    // Both start with an empty bucket, because s3rver can't list one object of several.
    const [first, second] = [await start(), await start()];
    await using _first = first.api;
    await using _second = second.api;
    const begun = await first.client("POST", "/video-uploads", bytes.subarray(0, MIB), { headers: { "Upload-Complete": "?0" } });
    const location = begun.headers.get("location")!;
    const recorded = async () =>
      Number((await service.db.partialUpload.findUniqueOrThrow({ where: { id: location.split("/")[2]! } })).offsetBytes);
    const outgoing = request(`${first.url}${location}`, {
      method: "PATCH",
      agent: false,
      headers: {
        ...PARTIAL,
        Authorization: user.authorization!,
        "Upload-Offset": String(MIB),
        "Upload-Complete": "?1",
        "Content-Length": bytes.length - MIB,
      },
    }).on("error", () => undefined);
    outgoing.write(bytes.subarray(MIB, -1));
    await eventually("all but the last piece on record", async () => (await recorded()) > 9 * MIB);
    first.api.child.kill("SIGKILL");
    await first.api.exited;
    outgoing.destroy();
    const offset = Number((await second.client("HEAD", location)).headers.get("upload-offset"));
    expect(bytes.length - offset).toBeLessThanOrEqual(5 * MIB);
    const pieces = await service.db.partialPiece.findMany({ where: { uploadId: location.split("/")[2]! } });
    expect(pieces.length).toBeGreaterThan(2);
    for (const { key, sha256 } of pieces) expect(sha256Of(await buffer((await own.get(key))!.stream))).toBe(sha256);
    const last = await second.client("PATCH", location, bytes.subarray(offset), {
      headers: { ...PARTIAL, "Upload-Offset": String(offset), "Upload-Complete": "?1" },
    });
    expect(last).toMatchObject({ status: 202, body: { size_bytes: bytes.length, sha256: sha256Of(bytes) } });
    const left: string[] = [];
    for await (const { key } of own.list("video-uploads")) left.push(key);
    expect(left).toEqual([expect.stringContaining("/joined/")]);
    const joined = await own.get(left[0]!);
    expect(sha256Of(await buffer(joined!.stream))).toBe(sha256Of(bytes));
    await second.client("DELETE", `/video-uploads/${last.body.id}`);
  }, 120_000);

  it("deletes a video while it is transcoded, and leaves no object, file or job of it", async () => {
    const ada = await service.as();
    const job = await upload(ada, await makeClip({ durationSeconds: 20, width: 1280, height: 720, container: "mp4" }));
    await eventually("the transcoding", async () => (await ada("GET", uploadPath(job))).body.progress.stage === "transcoding");
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    // After another job of the same worker, any late write of the first job would be visible.
    const next = await finished(ada, await upload(ada, await smallClip()));
    expect(next.status).toBe("succeeded");
    expect((await keys()).filter((it) => !it.includes(next.id))).toEqual([]);
    expect((await storedFiles(service)).filter((it) => it.includes(job.id))).toEqual([]);
    expect((await queuedJobs(service)).filter((it) => it.id === job.id)).toEqual([]);
  }, 120_000);

  it("returns 503 while the bucket is unavailable, and logs the download it broke, but no client disconnect", async () => {
    await using proxy = await startTcpProxy(server.endpoint);
    // At startup the service lists one object, which s3rver cannot do if there are several. So this service starts with none.
    const { prefix } = server.settings();
    const empty = await createS3Store({ ...server.settings(), prefix });
    await using api = run({
      ...settings,
      OBJECT_STORE: `s3://${server.bucket}/${prefix}`,
      NODE_ENV: "test",
      ROLE: "api",
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataDir,
      S3_ENDPOINT: proxy.url,
      LOG_LEVEL: "warn",
    });
    const { url } = await api.ready();
    const user = await service.as();
    const ada = createClient(url, { userId: user.userId, name: user.userName, authorization: user.authorization! });
    const video = `/video-uploads/${await storeResult(service, ada, empty, randomBytes(32 * 1024 * 1024))}/renditions/480p`;
    const reader = async () => {
      const answer = await fetch(`${url}${video}`, { headers: { Authorization: ada.authorization! } });
      expect(answer.status).toBe(200);
      return answer.body!.getReader();
    };
    const leaving = await reader();
    await leaving.read();
    await leaving.cancel();
    const staying = await reader();
    await staying.read();
    await proxy.cut();
    const readAll = async () => {
      while (!(await staying.read()).done);
    };
    await expect(readAll()).rejects.toThrow(/terminated/);
    await eventually("a log line about the download", () => api.stdout().includes(video));
    const refused = await ada("GET", video);
    expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    const lines = () =>
      api
        .stdout()
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.includes(video))
        .map((line) => JSON.parse(line) as { status: number });
    await eventually("a log line about the refusal", () => lines().length >= 2);
    expect(lines().map((it) => it.status >= 500)).toEqual([true, true]);
    await proxy.mend();
    expect(await ada("GET", video, undefined, { headers: { Range: "bytes=0-9" } })).toMatchObject({ status: 206 });
  }, 120_000);
});
