import { randomBytes, randomUUID } from "node:crypto";
import { readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { createFileStore } from "../../src/storage/file-store.ts";
import { StorageFailure, type ObjectStore } from "../../src/storage/object-store.ts";
import { replaceMarker } from "../../src/storage/marker.ts";
import { purgeAllExpired } from "../../src/video-uploads/objects/removal.ts";
import { expireUploads } from "../../src/video-uploads/resumable/service.ts";
import { collectOrphans } from "../../src/video-uploads/objects/orphan-gc.ts";
import type { Client } from "../support/client.ts";
import { prepareForEach } from "../support/prepare.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { codesOf, finished, sha256Of, smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

const QUOTA = 1_000_000;
const HOUR_MS = 3_600_000;
const SETTINGS = { KEEP_DELETED_HOURS: "1", MAX_STORED_BYTES_PER_USER: String(QUOTA), MIN_FREE_BYTES: "0" };
const log = pino({ level: "silent" });

const deployment = prepareForEach(createDeployment);

const storeOf = (retainDeletedMs = HOUR_MS) => createFileStore(join(deployment.dataDir, "objects"), 0, retainDeletedMs);
const env = (objects: ObjectStore = storeOf()) => ({ db: deployment.db, objects, log });
const retained = () => deployment.db.retainedObject.findMany({ orderBy: { key: "asc" } });
const used = async ({ userId }: Client) =>
  Number((await deployment.db.storageUsage.findUnique({ where: { userId } }))?.sizeBytes ?? 0);
const files = async () =>
  (await storedFiles(deployment, "objects")).map((it) => it.replace("objects/objects/video-uploads/", ""));
/** Makes all retained objects expire. */
const timePasses = () => deployment.db.$executeRaw`UPDATE kept_objects SET keep_until = keep_until - interval '1 hour'`;
/** The job that the schedule creates every minute. */
const minutePasses = () => deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('reconciliation')`;
const hourPasses = () => deployment.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('maintenance')`;

/** Begins a resumable upload, and sends its parts but the last. Returns a function that sends the last one. */
async function send(client: Client, parts: readonly Uint8Array[]) {
  const begun = await client("POST", "/video-uploads", parts[0], { headers: { "Upload-Complete": "?0" } });
  const location = begun.headers.get("location")!;
  let offset = parts[0]!.length;
  const append = async (part: Uint8Array, isLast: boolean, more: Record<string, string> = {}) => {
    const headers = { "Content-Type": "application/partial-upload", "Upload-Offset": String(offset), ...more };
    const answer = await client("PATCH", location, part, { headers: { ...headers, "Upload-Complete": isLast ? "?1" : "?0" } });
    if (answer.status < 300) offset += part.length;
    return answer;
  };
  for (const part of parts.slice(1)) expect(await append(part, false)).toMatchObject({ status: 204 });
  return { location, append };
}

describe("the files of deleted videos that are retained for a backup", () => {
  it("count for their owner, whatever the owner does, until a job deletes them; other users have their own quota", async () => {
    await deployment.start("api", SETTINGS);
    const [ada, bob] = [await deployment.as(), await deployment.as()];
    const bytes = randomBytes(300_000);
    const job = await upload(ada, bytes);
    expect(await ada("DELETE", uploadPath(job))).toMatchObject({ status: 204 });
    expect(await ada("GET", uploadPath(job))).toMatchObject({ status: 404 });
    const [row] = await retained();
    expect(row).toMatchObject({ key: `video-uploads/${job.id}`, ownerId: ada.userId, sizeBytes: 300_000n });
    const leftMs = row!.keepUntil.getTime() - (await deployment.clockMs());
    expect(leftMs).toBeGreaterThan(HOUR_MS - 60_000);
    expect(leftMs).toBeLessThanOrEqual(HOUR_MS);
    const file = join(deployment.dataDir, "objects/objects/video-uploads", job.id, "original");
    expect(sha256Of(await readFile(file))).toBe(sha256Of(bytes));

    // As often as she likes, and with every kind of refusal in between.
    const answers = [];
    for (let round = 0; round < 40; round++) {
      const answer = await ada("POST", "/video-uploads", randomBytes(300_000));
      answers.push(answer);
      if (answer.status === 202) await ada("DELETE", uploadPath(answer.body));
      const headers = { "Content-Digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:` };
      await ada("POST", "/video-uploads", randomBytes(90_000), { headers });
    }
    expect(codesOf(answers)).toEqual([202, 202, ...Array(38).fill("storage_quota_exceeded")]);
    expect(answers.at(-1)!.body.detail).toMatch(/Delete some first\. What you delete counts for 1 more hour\.$/);
    const sizes = await Promise.all(
      (await storedFiles(deployment)).map(async (it) => (await stat(join(deployment.dataDir, it))).size),
    );
    expect(sizes.reduce((sum, it) => sum + it, 0)).toBe(900_000);
    expect(await used(ada)).toBe(900_000);
    await upload(bob, randomBytes(QUOTA));

    await purgeAllExpired(env());
    expect(await retained()).toHaveLength(3);
    await timePasses();
    expect(await purgeAllExpired(env())).toBe(3);
    expect([await retained(), await used(ada), await used(bob)]).toEqual([[], 0, QUOTA]);
    expect(await files()).toHaveLength(1);
    await upload(ada, randomBytes(QUOTA));
  });

  it("include pieces of deleted, expired or joined resumable uploads, but not pieces of a refused request", async () => {
    await deployment.start("api", SETTINGS);
    const ada = await deployment.as();
    const [cancelled, late, whole] = [
      await send(ada, [randomBytes(10_000)]),
      await send(ada, [randomBytes(20_000), randomBytes(5_000)]),
      await send(ada, [randomBytes(30_000), randomBytes(30_000)]),
    ];
    expect(await ada("DELETE", cancelled.location)).toMatchObject({ status: 204 });
    const id = late.location.split("/").at(-2)!;
    await deployment.db
      .$executeRaw`UPDATE partial_uploads SET created_at = created_at - interval '2 days' WHERE id = ${id}::uuid`;
    expect(await expireUploads({ ...env(), queue: { enqueue: async () => undefined, remove: async () => undefined } })).toBe(1);
    const digest = { "Repr-Digest": `sha-256=:${Buffer.alloc(32).toString("base64")}:` };
    for (let time = 0; time < 5; time++)
      expect(await whole.append(randomBytes(500_000), true, digest)).toMatchObject({ status: 422 });
    expect((await files()).filter((it) => it.startsWith(whole.location.split("/").at(-2)!))).toHaveLength(2);
    expect(await whole.append(randomBytes(40_000), true)).toMatchObject({ status: 202, body: { size_bytes: 100_000 } });
    expect((await retained()).map((it) => [it.key.split("/").slice(2).join("/"), Number(it.sizeBytes)]).toSorted()).toEqual(
      [
        ["", 10_000],
        ["", 25_000],
        ["pieces", 100_000],
      ].toSorted(),
    );
    // The video, and the retained objects.
    expect(await used(ada)).toBe(100_000 + 135_000);
    await timePasses();
    await purgeAllExpired(env());
    expect([await used(ada), (await files()).length]).toEqual([100_000, 1]);
  });

  it("include originals that an operator doesn't keep, which count with their video only", async () => {
    const settings = { ...SETTINGS, KEEP_ORIGINALS: "false" };
    await deployment.start("api", settings);
    const ada = await deployment.as();
    const clip = await smallClip();
    await deployment.start("worker", settings);
    const video = await finished(ada, await upload(ada, clip));
    expect(video.status).toBe("succeeded");
    expect(await retained()).toMatchObject([{ key: `video-uploads/${video.id}/original`, ownerId: ada.userId, sizeBytes: 0n }]);
    const made = [video.result.poster, video.result.sprite, ...video.result.renditions].reduce(
      (sum, it) => sum + it.size_bytes,
      0,
    );
    expect(await used(ada)).toBe(clip.length + made);
    expect(await files()).toContain(`${video.id}/original`);
    await timePasses();
    await minutePasses();
    await eventually("the end of the original", async () => !(await files()).includes(`${video.id}/original`));
    expect(await files()).toEqual(["480p.mp4", "poster.jpg", "sprite.jpg"].map((name) => `${video.id}/1/${name}`));
  });

  it("are no orphans, and keep their expiry if the setting changes", async () => {
    const api = await deployment.start("api", SETTINGS);
    const ada = await deployment.as();
    const job = await upload(ada, randomBytes(1_000));
    const whole = await send(ada, [randomBytes(300), randomBytes(300)]);
    await whole.append(randomBytes(300), true);
    await ada("DELETE", uploadPath(job));
    const before = await retained();
    expect(before).toHaveLength(2);
    for (const name of await storedFiles(deployment)) await utimes(join(deployment.dataDir, name), new Date(0), new Date(0));
    const runGc = () => collectOrphans({ ...env(), orphanAgeMs: 0 });
    // One video, its three pieces, and the original of the deleted one.
    expect(await runGc()).toMatchObject({ problem: null, stored: 5, orphans: 0, removed: 0 });
    api.child.kill("SIGTERM");
    await api.exited;
    await minutePasses();
    await hourPasses();
    await deployment.start("all", { ...SETTINGS, KEEP_DELETED_HOURS: "0" });
    const next = await upload(deployment.asAgain(ada), randomBytes(10));
    await finished(deployment.asAgain(ada), next);
    await purgeAllExpired(env(storeOf(0)));
    expect(await retained()).toEqual(before);
  });

  it("expire although the orphan GC deletes nothing, and so do unfinished puts", async () => {
    await deployment.start("api", SETTINGS);
    const ada = await deployment.as();
    await ada("DELETE", uploadPath(await upload(ada, randomBytes(1_000))));
    const put = join(deployment.dataDir, "objects/incoming", randomUUID());
    await writeFile(put, "x");
    await utimes(put, new Date(0), new Date(0));
    await replaceMarker(storeOf(), randomUUID());
    expect(await files()).toHaveLength(2);
    await timePasses();
    // Workers search for them when they start, and then once a minute.
    await minutePasses();
    await hourPasses();
    await deployment.start("worker", SETTINGS);
    await eventually("the end of all files", async () => (await files()).length === 0, 60_000);
    // A row is removed after its file.
    await eventually("the end of all rows", async () => (await retained()).length === 0);
    const problem = async () => (await deployment.db.storeBinding.findFirstOrThrow()).problem;
    await eventually("an orphan GC that deleted nothing", async () => (await problem()) === "other_database", 60_000);
    expect([await retained(), await used(ada)]).toEqual([[], 0]);
  }, 120_000);
});

describe("the deletion of expired objects", () => {
  const keys = ["one", "two", "three"].map((it) => `video-uploads/${randomUUID()}/${it}`);
  let ada: Client;
  beforeEach(async () => {
    await deployment.start("api");
    ada = await deployment.as();
    for (const key of keys) {
      await storeOf().put(
        key,
        (async function* () {
          yield randomBytes(100);
        })(),
        { maxBytes: 100 },
      );
      await deployment.db.retainedObject.create({ data: { key, ownerId: ada.userId, sizeBytes: 100, keepUntil: new Date(0) } });
    }
    expect(await used(ada)).toBe(300);
  });

  it("is repeated if it is interrupted between the object and its row, and counts the bytes until the object is deleted", async () => {
    const broken = (after: boolean, error: Error): ObjectStore => ({
      ...storeOf(),
      async deletePrefix(key) {
        if (after) await storeOf().deletePrefix(key);
        throw error;
      },
    });
    const unavailable = new StorageFailure("unavailable", "the store is away");
    for (const error of [unavailable, new StorageFailure("refused", "no right"), new Error("a defect")]) {
      expect(await purgeAllExpired(env(broken(false, error)))).toBe(0);
      expect([(await files()).length, (await retained()).length, await used(ada)]).toEqual([3, 3, 300]);
    }
    expect(await purgeAllExpired(env(broken(true, unavailable)))).toBe(0);
    expect([(await files()).length, (await retained()).length, await used(ada)]).toEqual([0, 3, 300]);
    expect(await purgeAllExpired(env())).toBe(3);
    expect([(await retained()).length, await used(ada)]).toEqual([0, 0]);
  });

  it("works in two processes at once, and one object that can't be deleted delays no other", async () => {
    const stuck = keys[0]!;
    const objects: ObjectStore = {
      ...storeOf(),
      async deletePrefix(key) {
        if (key === stuck) throw new StorageFailure("refused", "this object is locked");
        await storeOf().deletePrefix(key);
      },
    };
    await Promise.all([purgeAllExpired(env(objects)), purgeAllExpired(env(objects))]);
    expect((await retained()).map((it) => it.key)).toEqual([stuck]);
    expect([(await files()).length, await used(ada)]).toEqual([1, 100]);
  });
});
