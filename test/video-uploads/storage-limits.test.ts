/** Limits of storage: the quota of a user, the files of deleted videos that an operator keeps, and the disk. */
import { randomBytes, randomUUID } from "node:crypto";
import { readFile, stat, statfs, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { JobQueue } from "../../src/jobs/jobs.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { replaceMarker } from "../../src/storage/marker.ts";
import { StorageFailure, type ObjectStore } from "../../src/storage/object-store.ts";
import { purgeAllExpired } from "../../src/video-uploads/objects/removal.ts";
import { expireUploads } from "../../src/video-uploads/resumable/service.ts";
import { beginAttempt, succeed } from "../../src/video-uploads/store.ts";
import type { Body, Client } from "../support/client.ts";
import { contentDigestOf } from "../support/digests.ts";
import { eventually } from "../support/eventually.ts";
import { endPauses } from "../support/jobs.ts";
import { itNeeds } from "../support/needs.ts";
import { notificationsOf } from "../support/notifications.ts";
import { prepare } from "../support/prepare.ts";
import { plumblineJson } from "../support/processes.ts";
import { sentence } from "../support/sentence.ts";
import { startTestService, startWorkerOf, type TestService } from "../support/service.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import {
  append,
  codesOf,
  finished,
  removeVideos,
  sha256Of,
  smallClip,
  storedFiles,
  streamOf,
  upload,
  uploadPath,
} from "../support/videos.ts";
import { attemptAt } from "./support/attempts.ts";
import { openRequest } from "./support/open-request.ts";
import { beginUpload, idIn } from "./support/resumable.ts";

const QUOTA = 1_000;
const log = pino({ level: "silent" });
const full = { status: 413, body: { code: "storage_quota_exceeded" } };

const WRONG_DIGEST = { headers: { "Content-Digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:` } };
const usedBy = async ({ db }: TestService, { userId }: Client) =>
  Number((await db.storageUsage.findUnique({ where: { userId } }))?.sizeBytes ?? 0);
/** What a process works with. */
const partsOf = ({ db }: TestService, objects: ObjectStore) => ({
  ...{ db, objects, log, queue: { enqueue: async () => undefined, remove: async () => undefined } as JobQueue },
});

const limited = prepare(() =>
  startTestService({ ROLE: "api", MAX_STORED_BYTES_PER_USER: String(QUOTA), MAX_UPLOADS_PER_USER: "100" }),
);
const [KEPT_MAX, HOUR_MS] = [1_000_000, 3_600_000];
const KEEPING = { KEEP_DELETED_HOURS: "1", MAX_STORED_BYTES_PER_USER: String(KEPT_MAX), MIN_FREE_BYTES: "0" };
const keeping = prepare(() => startTestService({ ROLE: "api", ...KEEPING }));

describe("the storage quota of a user", () => {
  const service = limited;
  let ada: Client;
  beforeEach(async () => {
    ada = await service.as();
  });

  const send = (bytes: number, key?: string) =>
    ada("POST", "/video-uploads", randomBytes(bytes), key === undefined ? {} : { headers: { "Idempotency-Key": key } });
  const used = () => usedBy(service, ada);
  const begin = (headers: Record<string, string>, bytes = 0) =>
    ada("POST", "/video-uploads", new Uint8Array(bytes), { headers: { "Upload-Complete": "?0", ...headers } });
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

  it(`${sentence("the files of their results with theirs")}: the poster, the sprite and each rendition count`, async () => {
    const { body: job } = await send(100);
    const fence = { videoUploadId: job.id as string, attempt: 1 };
    const file = (sizeBytes: number) => ({
      ...{ objectKey: "x", contentType: "image/jpeg", width: 4, height: 2, sha256: "0".repeat(64) },
      sizeBytes,
    });
    const sprite = { ...file(30), tileWidth: 4, tileHeight: 2, tileCount: 1, intervalMs: 1_000 };
    const renditions = ["480p", "720p"].map((name) => ({ ...file(200), name, durationMs: 1_000 }));
    const facts = { container: "mp4", durationMs: 1_000, width: 4, height: 2, videoCodec: "h264", audioCodec: null };
    await beginAttempt(service.db, fence, "probing");
    expect(await succeed(service.db, fence, { ...facts, poster: file(7), sprite, renditions })).not.toBeNull();
    expect(await used()).toBe(100 + 7 + 30 + 2 * 200);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    expect(await used()).toBe(0);
  });

  it(`${sentence("An upload that is not complete after a day is removed and returns 404.")} It no longer counts`, async () => {
    const [old, young] = [(await begin({}, 300)).headers.get("location")!, (await begin({}, 200)).headers.get("location")!];
    const age = (location: string, seconds: number) =>
      service.db.$executeRaw`UPDATE partial_uploads SET created_at = now() - make_interval(secs => ${seconds}::int)
        WHERE id = ${idIn(location)}::uuid`;
    await age(old, 24 * 3_600 + 1);
    await age(young, 24 * 3_600 - 60);
    const parts = partsOf(service, createFileStore(join(service.dataDir, "objects")));
    expect([await expireUploads(parts), await purgeAllExpired(parts)]).toEqual([1, 1]);
    expect([(await ada("HEAD", old)).status, (await ada("HEAD", young)).status]).toEqual([404, 204]);
    const files = (await storedFiles(service)).filter((it) => [old, young].some((of) => it.includes(idIn(of))));
    expect([await used(), files.length]).toEqual([200, 1]);
  });

  it("does not count failed uploads", async () => {
    expect(await ada("POST", "/video-uploads", randomBytes(900), WRONG_DIGEST)).toMatchObject({ status: 422 });
    expect(await send(0)).toMatchObject({ status: 400 });
    const headers = { "Content-Type": "application/octet-stream", "Content-Length": "900" };
    const outgoing = openRequest(ada, service.url, ["POST", "/video-uploads", headers], randomBytes(100));
    await eventually("its reservation", async () => (await used()) === 900);
    expect(await send(200)).toMatchObject(full);
    outgoing.socket.destroy();
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
    expect(await append(ada, location, 100, true, randomBytes(800))).toMatchObject({ status: 202, body: { size_bytes: 900 } });
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
    expect(await append(ada, location, 300, false, randomBytes(200))).toMatchObject(full);
    expect((await ada("HEAD", location)).headers.get("upload-offset")).toBe("300");
    await ada("DELETE", uploadPath(job));
    expect(await append(ada, location, 300, true, randomBytes(200))).toMatchObject({ status: 202, body: { size_bytes: 500 } });
    expect(await used()).toBe(500);
  });
});

describe("the files of deleted videos that the operator keeps", () => {
  const service = keeping;
  afterEach(() => removeVideos(service));
  const storeOf = (retainDeletedMs = HOUR_MS) => createFileStore(join(service.dataDir, "objects"), 0, retainDeletedMs);
  const env = (objects: ObjectStore = storeOf()) => partsOf(service, objects);
  const retained = () => service.db.retainedObject.findMany({ orderBy: { key: "asc" } });
  const files = async () => (await storedFiles(service, "objects")).map((it) => it.replace("objects/objects/video-uploads/", ""));
  /** Makes all retained objects expire. */
  const timePasses = () => service.db.$executeRaw`UPDATE kept_objects SET keep_until = keep_until - interval '1 hour'`;

  const UNTIL = sentence("nobody can get them, but they count until they are removed.");
  it(`If the operator keeps deleted files, ${UNTIL} Whatever their owner does`, async () => {
    const [ada, bob] = [await service.as(), await service.as()];
    const bytes = randomBytes(300_000);
    const job = await upload(ada, bytes);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    for (const path of [uploadPath(job), `${uploadPath(job)}/original`]) expect((await ada("GET", path)).status).toBe(404);
    const [row] = await retained();
    expect(row).toMatchObject({ key: `video-uploads/${job.id}`, ownerId: ada.userId, sizeBytes: 300_000n });
    expect(Math.abs(row!.keepUntil.getTime() - Date.now() - HOUR_MS)).toBeLessThan(60_000);
    const file = join(service.dataDir, "objects/objects/video-uploads", job.id, "original");
    expect(sha256Of(await readFile(file))).toBe(sha256Of(bytes));

    // As often as she likes, and with every kind of refusal in between.
    const answers = [];
    for (let round = 0; round < 8; round++) {
      const answer = await ada("POST", "/video-uploads", randomBytes(300_000));
      answers.push(answer);
      if (answer.status === 202) await ada("DELETE", uploadPath(answer.body));
      await ada("POST", "/video-uploads", randomBytes(90_000), WRONG_DIGEST);
    }
    expect(codesOf(answers)).toEqual([202, 202, ...Array(6).fill("storage_quota_exceeded")]);
    expect(answers.at(-1)!.body.detail).toMatch(/Delete some first\. What you delete counts for 1 more hour\.$/);
    const sizes = (await storedFiles(service)).map(async (it) => (await stat(join(service.dataDir, it))).size);
    expect((await Promise.all(sizes)).reduce((sum, it) => sum + it, 0)).toBe(900_000);
    expect(await usedBy(service, ada)).toBe(900_000);
    const environment = { NODE_ENV: "test", DATABASE_URL: service.databaseUrl, DATA_DIR: service.dataDir, ...KEEPING };
    const shown = await plumblineJson(environment, "user", "show", ada.userId);
    expect(shown.lines).toMatchObject([{ stored_bytes: 900_000 }]);
    await upload(bob, randomBytes(KEPT_MAX));

    // Another setting doesn't change when they expire.
    await purgeAllExpired(env(storeOf(0)));
    expect(await retained()).toHaveLength(3);
    await timePasses();
    expect(await purgeAllExpired(env())).toBe(3);
    expect([await retained(), await usedBy(service, ada), await usedBy(service, bob)]).toEqual([[], 0, KEPT_MAX]);
    expect(await files()).toHaveLength(1);
    await upload(ada, randomBytes(KEPT_MAX));
  });

  it("include pieces of deleted, expired or joined resumable uploads, but not pieces of a refused request", async () => {
    const ada = await service.as();
    const begin = (bytes: number) => beginUpload(ada, randomBytes(bytes));
    const [cancelled, late, whole] = [await begin(10_000), await begin(20_000), await begin(30_000)];
    expect(await append(ada, late, 20_000, false, randomBytes(5_000))).toMatchObject({ status: 204 });
    expect(await append(ada, whole, 30_000, false, randomBytes(30_000))).toMatchObject({ status: 204 });
    expect(await ada("DELETE", cancelled)).toMatchObject({ status: 204 });
    await service.db.partialUpload.update({
      where: { id: idIn(late) },
      data: { createdAt: new Date(Date.now() - 50 * HOUR_MS) },
    });
    expect(await expireUploads(env())).toBe(1);
    const last = { "Content-Type": "application/partial-upload", "Upload-Offset": "60000", "Upload-Complete": "?1" };
    const wrong = { headers: { ...last, "Repr-Digest": WRONG_DIGEST.headers["Content-Digest"] } };
    for (let time = 0; time < 5; time++) expect((await ada("PATCH", whole, randomBytes(500_000), wrong)).status).toBe(422);
    expect((await files()).filter((it) => it.startsWith(idIn(whole)))).toHaveLength(2);
    // As long as the refused ones, which have announced the length.
    const joined = { status: 202, body: { size_bytes: 560_000 } };
    expect(await append(ada, whole, 60_000, true, randomBytes(500_000))).toMatchObject(joined);
    const kept = (await retained()).map((it) => `${it.key.split("/").slice(2).join("/")} ${it.sizeBytes}`);
    expect(kept.toSorted()).toEqual([" 10000", " 25000", "pieces 560000"]);
    // The video, and the retained objects.
    expect(await usedBy(service, ada)).toBe(560_000 + 595_000);
    await timePasses();
    await purgeAllExpired(env());
    expect([await usedBy(service, ada), (await files()).length]).toEqual([560_000, 1]);
  });

  it("include originals that an operator doesn't keep, which count with their video only, and results", async () => {
    const ada = await service.as();
    const clip = await smallClip();
    const { id } = await upload(ada, clip);
    expect(await attemptAt(service, { id }, { env: { objects: storeOf() } })).toEqual(["completed"]);
    const { body } = await ada("GET", uploadPath({ id }));
    expect(await retained()).toMatchObject([{ key: `video-uploads/${id}/original`, ownerId: ada.userId, sizeBytes: 0n }]);
    const made = [body.result.poster, body.result.sprite, ...body.result.renditions];
    const all = clip.length + made.reduce((sum, it) => sum + it.size_bytes, 0);
    expect(await usedBy(service, ada)).toBe(all);
    expect(await files()).toContain(`${id}/original`);
    await timePasses();
    expect(await purgeAllExpired(env())).toBe(1);
    expect(await files()).toEqual(["480p.mp4", "poster.jpg", "sprite.jpg"].map((name) => `${id}/1/${name}`));
    await ada("DELETE", uploadPath({ id }));
    expect([await usedBy(service, ada), await retained()]).toMatchObject([all, [{ sizeBytes: BigInt(all) }]]);
  });

  describe("when they expire", () => {
    const keys = ["one", "two", "three"].map((it) => `video-uploads/${randomUUID()}/${it}`);
    let ada: Client;
    beforeEach(async () => {
      ada = await service.as();
      for (const key of keys) {
        await storeOf().put(key, Readable.from([randomBytes(100)]), { maxBytes: 100 });
        await service.db.retainedObject.create({ data: { key, ownerId: ada.userId, sizeBytes: 100, keepUntil: new Date(0) } });
      }
    });
    /** A store that can't delete what is below these prefixes, before or after it has done so. */
    const broken = (error: Error, after = false, stuck: readonly string[] = keys): ObjectStore => ({
      ...storeOf(),
      async deletePrefix(key) {
        if (after || !stuck.includes(key)) await storeOf().deletePrefix(key);
        if (stuck.includes(key)) throw error;
      },
    });
    const state = async () => [(await files()).length, (await retained()).length, await usedBy(service, ada)];
    const unavailable = new StorageFailure("unavailable", "the store is away");
    const locked = new StorageFailure("refused", "this object is locked");

    it("count until the object is deleted, and the deletion is repeated if it is interrupted before its row is", async () => {
      for (const error of [unavailable, locked, new Error("a defect")]) {
        expect(await purgeAllExpired(env(broken(error)))).toBe(0);
        expect(await state()).toEqual([3, 3, 300]);
      }
      expect(await purgeAllExpired(env(broken(unavailable, true)))).toBe(0);
      expect(await state()).toEqual([0, 3, 300]);
      expect(await purgeAllExpired(env())).toBe(3);
      expect(await state()).toEqual([0, 0, 0]);
    });

    it("are deleted by two processes at once, and one object that can't be deleted delays no other", async () => {
      const objects = broken(locked, false, [keys[0]!]);
      await Promise.all([purgeAllExpired(env(objects)), purgeAllExpired(env(objects))]);
      expect(await retained()).toMatchObject([{ key: keys[0] }]);
      expect(await state()).toEqual([1, 1, 100]);
    });

    // Last, because it gives the store to another database.
    it("are deleted by a worker although the orphan GC deletes nothing, and so are unfinished puts", async () => {
      const put = join(service.dataDir, "objects/incoming", randomUUID());
      await writeFile(put, "x");
      await utimes(put, new Date(0), new Date(0));
      await replaceMarker(storeOf(), randomUUID());
      expect(await state()).toEqual([4, 3, 300]);
      // Workers search for them when they start, and then once a minute and once an hour.
      for (const name of ["reconciliation", "maintenance"])
        await service.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES (${name})`;
      await using _worker = await startWorkerOf(service, KEEPING);
      // A row is removed after its file.
      await eventually("the end of all files and rows", async () => JSON.stringify(await state()) === "[0,0,0]");
      const problem = async () => (await service.db.storeBinding.findFirstOrThrow()).problem;
      await eventually("an orphan GC that deleted nothing", async () => (await problem()) === "other_database");
    });
  });
});

const MIB = 1_024 * 1_024;
/** Lets uploads fill the disk, which `MIN_FREE_BYTES` prevents by default. */
const NO_RESERVE = { MIN_FREE_BYTES: "0" };
const diskFull = { status: 503, body: { code: "unavailable" } };
/** A service on a disk of its own. */
async function onDisk(sizeBytes: number, settings: Readonly<Record<string, string>>) {
  const stack = new AsyncDisposableStack();
  const disk = stack.use(await mountSmallDisk(sizeBytes));
  const service = stack.use(await startTestService({ DATA_DIR: disk.path, ...settings }));
  const end = () => stack.disposeAsync();
  return { disk, service, dataDir: disk.path, ada: await service.as(), [Symbol.asyncDispose]: end };
}
const healthy = async (client: Client) => expect(await client("GET", "/health")).toMatchObject({ status: 200 });

itNeeds("mount", "an upload to a full disk returns 503 and stores nothing, and a later retry succeeds", async () => {
  await using site = await onDisk(4 * MIB, NO_RESERVE);
  const { disk, service, ada } = site;
  const clip = await smallClip();
  const earlier = await finished(ada, await upload(ada, clip));
  const before = await storedFiles(site, "objects");

  for (const tooMuch of [randomBytes(6 * MIB), streamOf(randomBytes(6 * MIB))]) {
    const refused = await ada("POST", "/video-uploads", tooMuch);
    expect(refused).toMatchObject(diskFull);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await storedFiles(site, "objects")).toEqual(before);
  }
  await disk.fill();
  const headers = { "Idempotency-Key": "a-full-disk-is-no-answer", "Content-Digest": contentDigestOf(clip) };
  for (let attempt = 1; attempt <= 3; attempt++)
    expect(await ada("POST", "/video-uploads", clip, { headers })).toMatchObject(diskFull);
  await healthy(ada);
  expect(await ada("GET", uploadPath(earlier))).toMatchObject({ body: earlier });
  expect(await service.db.videoUpload.count()).toBe(1);

  await disk.empty();
  const taken = await ada("POST", "/video-uploads", clip, { headers });
  expect(taken).toMatchObject({ status: 202, body: { sha256: sha256Of(clip) } });
  expect(taken.headers.has("idempotency-replayed")).toBe(false);
  expect(await finished(ada, taken.body)).toMatchObject({ status: "succeeded", attempt: 1 });
});

itNeeds("mount", "a resumable upload survives a full disk, also while its pieces are joined", async () => {
  await using site = await onDisk(8 * MIB, { ROLE: "api", ...NO_RESERVE });
  const { disk, service, ada } = site;
  const bytes = randomBytes(3 * MIB);
  const state = async () => {
    const { headers } = await ada("HEAD", location);
    return [Number(headers.get("upload-offset")), headers.get("upload-complete")];
  };
  const location = await beginUpload(ada);
  expect(await append(ada, location, 0, false, bytes.subarray(0, MIB))).toMatchObject({ status: 204 });

  await disk.fill(64 * 1_024);
  expect(await append(ada, location, MIB, true, bytes.subarray(MIB))).toMatchObject(diskFull);
  expect(await state()).toEqual([MIB, "?0"]);
  await disk.empty();
  // Enough for the last piece, but not for the second copy of all bytes that joining makes.
  await disk.fill(2.5 * MIB);
  expect(await append(ada, location, MIB, true, bytes.subarray(MIB))).toMatchObject(diskFull);
  expect(await state()).toEqual([3 * MIB, "?0"]);
  await healthy(ada);
  expect(await service.db.videoUpload.count()).toBe(0);

  await disk.empty();
  expect(await append(ada, location, 3 * MIB, true, new Uint8Array(0))).toMatchObject({
    status: 202,
    body: { sha256: sha256Of(bytes), size_bytes: 3 * MIB },
  });
  expect(await state()).toEqual([3 * MIB, "?1"]);
  expect((await storedFiles(site)).filter((it) => it.includes("/pieces/"))).toEqual([]);
});

itNeeds("mount", "jobs on a full disk are postponed beyond three attempts, and each succeeds once", async () => {
  await using site = await onDisk(6 * MIB, { ROLE: "api", ...NO_RESERVE });
  const { disk, service, ada } = site;
  const clip = await smallClip();
  const jobs: Body[] = [];
  for (let sent = 0; sent < 2; sent++) jobs.push(await upload(ada, clip));
  await disk.fill();
  await using _worker = await startWorkerOf({ ...service, dataDir: disk.path }, NO_RESERVE);
  await eventually("the end of four attempts at each job", async () => {
    await endPauses(service, 4);
    return (await service.db.videoUpload.count({ where: { attempt: 4, status: { not: "processing" } } })) === jobs.length;
  });
  const over = await service.db.videoUpload.findMany({ where: { status: { in: ["succeeded", "failed"] } } });
  expect(over.map(({ status, attempt, errorCode, errorDetail }) => ({ status, attempt, errorCode, errorDetail }))).toEqual([]);
  expect(await service.db.notification.count()).toBe(0);
  await healthy(ada);
  await disk.empty();
  await endPauses(service, 5);
  const ends = await Promise.all(jobs.map((job) => finished(ada, job)));
  for (const end of ends) {
    expect(end).toMatchObject({ status: "succeeded", attempt: 5, error: null, sha256: sha256Of(clip) });
  }
  expect((await notificationsOf(ada)).toSorted()).toEqual(jobs.map((it) => ["video_upload.succeeded", it.id]).toSorted());
  const left = ends.flatMap((end) =>
    ["original", `${end.attempt}/480p.mp4`, `${end.attempt}/poster.jpg`, `${end.attempt}/sprite.jpg`].map(
      (name) => `objects/objects/video-uploads/${end.id}/${name}`,
    ),
  );
  await eventually("no other file", async () => JSON.stringify(await storedFiles(site)) === JSON.stringify(left.sort()));
});

itNeeds("mount", "uploads return 503 before the free space falls below MIN_FREE_BYTES", async () => {
  const keep = 12 * MIB;
  await using site = await onDisk(32 * MIB, { ROLE: "api", MIN_FREE_BYTES: String(keep) });
  const { disk, ada } = site;
  const free = async () => {
    const { bavail, bsize } = await statfs(disk.path);
    return bavail * bsize;
  };
  const jobs = [await upload(ada, randomBytes(6 * MIB)), await upload(ada, randomBytes(6 * MIB))];
  const before = await free();
  const chunks = Array.from({ length: 14 }, () => randomBytes(MIB));
  for (const body of [Buffer.concat(chunks), streamOf(...chunks)]) {
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
});
