import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { createClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { rawRequest, zeros, type RawAnswer } from "../support/raw-http.ts";
import { residentBytes, run } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { queuedJobs, storedFiles, streamOf } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const MIB = 1024 * 1024;
const PATH = "/video-uploads";
const octets = { "Content-Type": "application/octet-stream" };

describe("POST /video-uploads of more than MAX_UPLOAD_BYTES", () => {
  let service: TestService;
  let ada: Client;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api", MAX_UPLOAD_BYTES: String(MIB) });
    ada = await service.as();
  });
  afterAll(() => service.close());

  /** Checks that the response is a refusal, and that nothing is stored. */
  async function refused(answer: RawAnswer): Promise<void> {
    expect(answer).toMatchObject({ status: 413 });
    expect(JSON.parse(answer.text)).toMatchObject({ code: "content_too_large" });
    expect(answer.headers.get("connection")).toBe("close");
    await eventually("no stored file", async () => (await storedFiles(service)).length === 0);
    expect(await service.db.videoUpload.count()).toBe(0);
    expect(await queuedJobs(service)).toEqual([]);
  }

  it("returns 413 for a Content-Length that is too large, before it receives any byte of the body", async () => {
    await refused(
      await rawRequest(ada, service.url, {
        method: "POST",
        path: PATH,
        headers: { ...octets, "Content-Length": String(MIB + 1) },
      }),
    );
  });

  it("returns 413 to a client with Expect: 100-continue, without sending 100", async () => {
    const answer = await rawRequest(ada, service.url, {
      method: "POST",
      path: PATH,
      headers: { ...octets, "Content-Length": String(MIB + 1), Expect: "100-continue" },
      body: zeros(MIB + 1),
      untilAsked: true,
    });
    expect(answer).toMatchObject({ wasAsked: false, bytesSent: 0 });
    await refused(answer);
  });

  it("refuses a wrong credential, scope, media type, digest or key without sending 100 and reading the body", async () => {
    const poor = await service.as({ scopes: ["video_uploads:read"] });
    const anonymous = service.anonymous();
    const head = { ...octets, "Content-Length": "1000", Expect: "100-continue" };
    for (const [client, headers, status] of [
      [anonymous, head, 401],
      [poor, head, 403],
      [ada, { ...head, "Content-Type": "image/jpeg" }, 415],
      [ada, { ...head, "Content-Digest": "md5=:x:" }, 400],
      [ada, { ...head, "Idempotency-Key": "short" }, 400],
    ] as const) {
      expect(
        await rawRequest(client, service.url, { method: "POST", path: PATH, headers, body: zeros(1_000), untilAsked: true }),
      ).toMatchObject({ status, wasAsked: false, bytesSent: 0 });
    }
  });

  it("returns 413 for 200 MiB in chunks before it has received 50 MiB, in each of 20 requests", async () => {
    for (let time = 0; time < 20; time++) {
      const answer = await rawRequest(ada, service.url, {
        method: "POST",
        path: PATH,
        headers: { ...octets, "Transfer-Encoding": "chunked" },
        body: zeros(200 * MIB),
      });
      if (time === 0) process.stderr.write(`413 to chunks over 1 MiB after ${(answer.bytesSent / MIB).toFixed(1)} MiB\n`);
      expect(answer.bytesSent).toBeLessThan(50 * MIB);
      await refused(answer);
    }
  }, 180_000);

  it("accepts exactly MAX_UPLOAD_BYTES, after 100 Continue or in chunks, and not one byte more", async () => {
    const waiting = await rawRequest(ada, service.url, {
      method: "POST",
      path: PATH,
      headers: { ...octets, "Content-Length": String(MIB), Expect: "100-continue" },
      body: zeros(MIB),
      untilAsked: true,
    });
    expect(waiting).toMatchObject({ status: 202, wasAsked: true, bytesSent: MIB });
    expect(await ada("POST", PATH, streamOf(...zeros(MIB)))).toMatchObject({ status: 202, body: { size_bytes: MIB } });
    expect(
      await rawRequest(ada, service.url, {
        method: "POST",
        path: PATH,
        headers: { ...octets, "Transfer-Encoding": "chunked" },
        body: zeros(MIB + 1),
      }),
    ).toMatchObject({ status: 413 });
    expect(await service.db.videoUpload.count()).toBe(2);
  });
});

describe("POST /video-uploads with more than MAX_UPLOADS_IN_FLIGHT concurrent uploads", () => {
  it("returns 503 with Retry-After for one upload too many, and accepts it after the others end", async () => {
    const service = await startTestService({ ROLE: "api", MAX_UPLOADS_IN_FLIGHT: "2" });
    try {
      const ada = await service.as();
      const begun = async function* (until: Promise<void>) {
        yield Buffer.from("begun");
        await until;
      };
      const { promise: until, resolve: letGo } = Promise.withResolvers<void>();
      const slow = [0, 1].map(() => ada("POST", PATH, ReadableStream.from(begun(until))));
      await eventually("two uploads in progress", async () => (await storedFiles(service)).length === 2);
      const refused = await ada("POST", PATH, Buffer.from("one too many"));
      expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect(await ada("GET", PATH)).toMatchObject({ status: 200 });
      letGo();
      expect((await Promise.all(slow)).map((it) => it.status)).toEqual([202, 202]);
      expect(await ada("POST", PATH, Buffer.from("a permit is free"))).toMatchObject({ status: 202 });
    } finally {
      await service.close();
    }
  });
});

describe("POST /video-uploads on a full disk", () => {
  itNeeds("mount", "returns 503 with Retry-After, stores nothing, and accepts a smaller upload afterwards", async () => {
    await using disk = await mountSmallDisk(8 * MIB);
    const service = await startTestService({ ROLE: "api", DATA_DIR: disk.path, MIN_FREE_BYTES: "0" });
    try {
      const ada = await service.as();
      const small = { dataDir: disk.path };
      for (const body of [streamOf(...zeros(16 * MIB)), Buffer.alloc(16 * MIB)]) {
        const answer = await ada("POST", PATH, body);
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        expect(await storedFiles(small)).toEqual([]);
      }
      expect(await service.db.videoUpload.count()).toBe(0);
      expect(await ada("POST", PATH, Buffer.alloc(MIB))).toMatchObject({ status: 202 });
    } finally {
      await service.close();
    }
  });
});

describe("POST /video-uploads of 1 GiB", () => {
  it("increases the memory of the process by less than 64 MiB", async () => {
    // In a separate process, so that the memory of the test does not count.
    const database = await startTestService({ ROLE: "api" });
    const dataDir = await mkdtemp(join(tmpdir(), "plumbline-large-"));
    try {
      await using service = run({ NODE_ENV: "test", ROLE: "api", DATABASE_URL: database.databaseUrl, DATA_DIR: dataDir });
      const { url } = await service.ready();
      const user = await database.as();
      const ada = createClient(url, {
        userId: user.userId,
        name: user.userName,
        ...(user.authorization === undefined ? {} : { authorization: user.authorization }),
      });
      // A small upload first, so that the code for uploads is loaded before the measurement.
      await rawRequest(ada, url, {
        method: "POST",
        path: PATH,
        headers: { ...octets, "Transfer-Encoding": "chunked" },
        body: zeros(MIB),
      });
      const before = await residentBytes(service.pid);
      let highest = before;
      const sampling = setInterval(
        () =>
          void residentBytes(service.pid).then(
            (it) => {
              highest = Math.max(highest, it);
            },
            () => undefined,
          ),
        25,
      );
      const startedMs = performance.now();
      const answer = await rawRequest(ada, url, {
        method: "POST",
        path: PATH,
        headers: { ...octets, "Transfer-Encoding": "chunked" },
        body: zeros(1_024 * MIB),
      });
      const tookMs = performance.now() - startedMs;
      clearInterval(sampling);
      const peak = Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${service.pid}/status`, "utf8"))?.[1]) * 1_024;
      expect(answer).toMatchObject({ status: 202 });
      expect(JSON.parse(answer.text)).toMatchObject({
        size_bytes: 1_024 * MIB,
        sha256: "49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14",
      });
      process.stderr.write(
        `1 GiB in chunks: ${(before / MIB).toFixed(0)} MiB before, ${(highest / MIB).toFixed(0)} MiB at most (high-water mark ${(peak / MIB).toFixed(0)} MiB), ${(tookMs / 1_000).toFixed(1)} s\n`,
      );
      expect(highest - before).toBeLessThan(64 * MIB);
    } finally {
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  }, 180_000);
});
