import { randomBytes, randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import { request } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { itNeeds } from "../support/needs.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { codesOf, storedFiles, streamOf, upload, uploadPath } from "../support/videos.ts";

const MIB = 1_024 * 1_024;
const QUOTA = 1_000;
const full = { status: 413, body: { code: "storage_quota_exceeded" } };

describe("the storage quota of a user", () => {
  let service: TestService;
  let ada: Client;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api", MAX_STORED_BYTES_PER_USER: String(QUOTA), MAX_UPLOADS_PER_USER: "100" });
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    ada = await service.as();
  });

  const send = (bytes: number, key?: string) =>
    ada("POST", "/video-uploads", randomBytes(bytes), key === undefined ? {} : { headers: { "Idempotency-Key": key } });
  const used = async () => Number((await service.db.storageUsage.findUnique({ where: { userId: ada.userId } }))?.sizeBytes ?? 0);
  const begin = (headers: Record<string, string>, bytes = 0) =>
    ada("POST", "/video-uploads", new Uint8Array(bytes), { headers: { "Upload-Complete": "?0", ...headers } });
  const append = (location: string, offset: number, isLast: boolean, bytes: number) =>
    ada("PATCH", location, randomBytes(bytes), {
      headers: {
        "Content-Type": "application/partial-upload",
        "Upload-Offset": String(offset),
        "Upload-Complete": isLast ? "?1" : "?0",
      },
    });

  it.each([
    ["with a Content-Length", 10, (bytes: Buffer) => bytes],
    // Each reserves storage as its bytes arrive, so the parts of others may cause all to be refused. All of it is released.
    ["in chunks", 0, (bytes: Buffer) => streamOf(bytes.subarray(0, 50), bytes.subarray(50))],
  ])("is not exceeded by concurrent uploads %s", async (_what, least, bodyOf) => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => ada("POST", "/video-uploads", bodyOf(randomBytes(99)) as Uint8Array)),
    );
    const accepted = answers.filter((it) => it.status === 202);
    expect(accepted.length).toBeLessThanOrEqual(10);
    expect(accepted.length).toBeGreaterThanOrEqual(least);
    expect(new Set(codesOf(answers.filter((it) => it.status !== 202)))).toEqual(new Set(["storage_quota_exceeded"]));
    expect(await used()).toBe(99 * accepted.length);
    for (let more = accepted.length; more < 10; more++) expect(await send(99)).toMatchObject({ status: 202 });
    expect(await send(99)).toMatchObject({ ...full, body: { detail: expect.stringContaining("1000 bytes") } });
    expect(await send(10)).toMatchObject({ status: 202 });
    expect(await send(1)).toMatchObject(full);
    expect(await used()).toBe(QUOTA);
    expect((await storedFiles(service)).filter((it) => it.includes("incoming"))).toEqual([]);
  });

  it("is separate for each user, and deleted uploads do not count", async () => {
    const { body: job } = await send(600);
    expect(await send(600)).toMatchObject(full);
    const yuki = await service.as();
    await upload(yuki, randomBytes(QUOTA));
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    expect(await used()).toBe(0);
    expect(await send(QUOTA)).toMatchObject({ status: 202 });
  });

  it("does not count failed uploads", async () => {
    const headers = { "Content-Digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:` };
    expect(await ada("POST", "/video-uploads", randomBytes(900), { headers })).toMatchObject({ status: 422 });
    expect(await send(0)).toMatchObject({ status: 400 });
    const outgoing = request(`${service.url}/video-uploads`, {
      method: "POST",
      agent: false,
      headers: { Authorization: ada.authorization!, "Content-Type": "application/octet-stream", "Content-Length": 900 },
    });
    outgoing.on("error", () => undefined);
    await new Promise((sent) => void outgoing.write(randomBytes(100), sent));
    await eventually("its reservation", async () => (await used()) === 900);
    expect(await send(200)).toMatchObject(full);
    outgoing.destroy();
    await eventually("the release of its reservation", async () => (await used()) === 0);
    expect(await send(QUOTA)).toMatchObject({ status: 202 });
  });

  it("does not prevent the replay of an upload when there is no space for a second one", async () => {
    const bytes = randomBytes(800);
    const headers = { "Idempotency-Key": randomUUID() };
    for (const body of [bytes, bytes, streamOf(bytes) as unknown as Uint8Array]) {
      expect(await ada("POST", "/video-uploads", body, { headers })).toMatchObject({ status: 202 });
    }
    expect(await send(800, headers["Idempotency-Key"])).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
    expect(await used()).toBe(800);
  });

  it("includes the announced Upload-Length of a resumable upload until it is complete or cancelled", async () => {
    const begun = await begin({ "Upload-Length": "900" }, 100);
    expect(begun.status).toBe(204);
    const location = begun.headers.get("location")!;
    expect([await send(200), await begin({ "Upload-Length": "200" })]).toMatchObject([full, full]);
    expect(await send(100)).toMatchObject({ status: 202 });
    expect(await append(location, 100, true, 800)).toMatchObject({ status: 202, body: { size_bytes: 900 } });
    expect(await used()).toBe(QUOTA);
    await ada("DELETE", location.replace(/\/[a-z]+$/, ""));
    const second = (await begin({ "Upload-Length": "900" })).headers.get("location")!;
    expect(await send(200)).toMatchObject(full);
    expect(await ada("DELETE", second)).toMatchObject({ status: 204 });
    expect(await used()).toBe(100);
  });

  it("refuses a part of a resumable upload that exceeds it, keeps the earlier bytes, and accepts a later retry", async () => {
    const { body: job } = await send(600);
    const location = (await begin({}, 300)).headers.get("location")!;
    expect(await append(location, 300, false, 200)).toMatchObject(full);
    expect((await ada("HEAD", location)).headers.get("upload-offset")).toBe("300");
    await ada("DELETE", uploadPath(job));
    expect(await append(location, 300, true, 200)).toMatchObject({ status: 202, body: { size_bytes: 500 } });
    expect(await used()).toBe(500);
  });
});

describe("a process that dies", () => {
  let deployment: Deployment;
  beforeEach(async () => {
    deployment = await createDeployment();
  });
  afterEach(async () => {
    await deployment[Symbol.asyncDispose]();
  });

  it("does not reserve storage permanently: the hourly maintenance releases it after a day", async () => {
    const api = await deployment.start("api");
    const ada = await deployment.as();
    const { url } = await api.ready();
    const outgoing = request(`${url}/video-uploads`, {
      method: "POST",
      agent: false,
      headers: { Authorization: ada.authorization!, "Content-Type": "application/octet-stream", "Content-Length": 900 },
    });
    outgoing.on("error", () => undefined).write("a beginning");
    const used = async () => Number((await deployment.db.storageUsage.findFirst())?.sizeBytes ?? 0);
    await eventually("its reservation", async () => (await used()) === 900);
    api.child.kill("SIGKILL");
    await api.exited;
    await deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('maintenance')`;
    await deployment.db.$executeRaw`UPDATE upload_reservations SET touched_at = touched_at - interval '1 day'`;
    await deployment.start("worker");
    await eventually("the release of its reservation", async () => (await used()) === 0);
  }, 120_000);
});

itNeeds(
  "mount",
  "uploads return 503 before the free disk space falls below MIN_FREE_BYTES, and succeed when there is space",
  async () => {
    await using disk = await mountSmallDisk(32 * MIB);
    await using deployment = await createDeployment({ dataDir: disk.path });
    const keep = 12 * MIB;
    await deployment.start("api", { MIN_FREE_BYTES: String(keep) });
    const ada = await deployment.as();
    const free = async () => {
      const { bavail, bsize } = await statfs(disk.path);
      return bavail * bsize;
    };
    const diskFull = { status: 503, body: { code: "unavailable" } };
    const jobs = [await upload(ada, randomBytes(6 * MIB)), await upload(ada, randomBytes(6 * MIB))];
    const before = await free();
    const big = randomBytes(14 * MIB);
    const chunks = Array.from({ length: 14 }, (_, index) => big.subarray(index * MIB, (index + 1) * MIB));
    for (const body of [big, streamOf(...chunks) as unknown as Uint8Array]) {
      const refused = await ada("POST", "/video-uploads", body);
      expect(refused).toMatchObject(diskFull);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // The refused uploads leave no bytes, and other operations still work.
    expect(await free()).toBeGreaterThanOrEqual(before - MIB);
    expect(await ada("POST", "/posts", { title: "Words need no disk", body: "x" })).toMatchObject({ status: 201 });
    let taken = 0;
    while ((await ada("POST", "/video-uploads", randomBytes(MIB))).status === 202) taken += 1;
    expect(taken).toBeGreaterThan(0);
    expect(await free()).toBeGreaterThanOrEqual(keep);
    expect(await ada("DELETE", uploadPath(jobs[0]))).toMatchObject({ status: 204 });
    expect(await ada("POST", "/video-uploads", randomBytes(MIB))).toMatchObject({ status: 202 });
  },
  120_000,
);
