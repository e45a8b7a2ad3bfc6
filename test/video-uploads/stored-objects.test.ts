/** What the object store has, and what it should have: orphans, and missing or damaged files. */
import { randomUUID } from "node:crypto";
import { mkdir, rm, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Db } from "../../src/database/client.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { MARKER_KEY } from "../../src/storage/marker.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { checkUpload } from "../../src/video-uploads/admin/check.ts";
import { collectOrphans } from "../../src/video-uploads/objects/orphan-gc.ts";
import { expire } from "../../src/video-uploads/objects/removal.ts";
import { deleteRetained, findExpired } from "../../src/video-uploads/objects/retained-store.ts";
import { claimStore } from "../../src/video-uploads/objects/store-binding.ts";
import type { StoredResult } from "../../src/video-uploads/store.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/media.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { storeResult } from "../support/stored-result.ts";

const HOUR_MS = 3_600_000;
const log = pino({ level: "silent" });
const service = prepare(() => startTestService({ ROLE: "api" }));
const objects = prepare(async () => createFileStore(join(service.dataDir, "objects")));

const TEXT = "a rendition";

it.each([
  ["missing", null, false],
  ["wrong_size", "a rendition.", false],
  ["wrong_size", "a rendition.", true],
  ["wrong_bytes", "A rendition", true],
  [null, "A rendition", false],
  [null, TEXT, true],
] as const)("`store check` finds %s in an object with %j; with --bytes: %s", async (problem, text, readsBytes) => {
  const id = await storeResult(service, await service.as(), objects, Buffer.from(TEXT));
  const key = `video-uploads/${id}/1/480p.mp4`;
  const file = join(service.dataDir, "objects/objects", key);
  await (text === null ? rm(file) : writeFile(file, text));
  const row = await service.db.videoUpload.findUniqueOrThrow({ where: { id } });
  const faults = await checkUpload(objects, row, { keepOriginals: false, readsBytes });
  expect(faults.filter((it) => it.key === key).map((it) => it.problem)).toEqual(
    problem === null ? [] : faults.map(() => problem),
  );
  expect(faults.length > 0).toBe(problem !== null);
});

it("`store check` looks for every file of a video: the poster, the sprite, each rendition, and the original if it is kept", async () => {
  const id = await storeResult(service, await service.as(), objects, Buffer.from(TEXT));
  const row = await service.db.videoUpload.findUniqueOrThrow({ where: { id } });
  const { poster, sprite, renditions, ...facts } = row.result as unknown as StoredResult;
  const under = <File extends object>(name: string, file: File) => ({ ...file, objectKey: `video-uploads/${id}/1/${name}` });
  const result = {
    ...facts,
    poster: under("poster.jpg", poster),
    sprite: under("sprite.jpg", sprite!),
    renditions: [renditions[0]!, under("720p.mp4", renditions[0]!)],
  };
  const missing = async (keepOriginals: boolean) => {
    const faults = await checkUpload(objects, { ...row, result }, { keepOriginals, readsBytes: false });
    expect(faults.filter((it) => it.problem !== "missing")).toEqual([]);
    return faults.map((it) => basename(it.key)).toSorted();
  };
  expect(await missing(false)).toEqual(["720p.mp4", "poster.jpg", "sprite.jpg"]);
  expect(await missing(true)).toEqual(["720p.mp4", "original", "poster.jpg", "sprite.jpg"]);
});

describe("the orphan GC of the object store", () => {
  beforeEach(async () => {
    for (const key of await keys()) await objects.delete(key);
    await service.db.orphanedObject.deleteMany();
  });

  const fileOf = (key: string) => join(service.dataDir, "objects/objects", key);

  /** Stores objects that were last changed `ageHours` ago. */
  async function store(ageHours: number, ...keys: readonly string[]): Promise<void> {
    const then = new Date(Date.now() - ageHours * HOUR_MS);
    for (const key of keys) {
      await mkdir(dirname(fileOf(key)), { recursive: true });
      await writeFile(fileOf(key), "x");
      await utimes(fileOf(key), then, then);
    }
  }

  const keys = async () =>
    (await Array.fromAsync(objects.list("")))
      .map((it) => it.key)
      .filter((it) => it !== MARKER_KEY)
      .sort();

  /** Inserts the row of an upload as a job leaves it, and returns the prefix of its keys. */
  async function upload(status: string, attempt: number, id: string = randomUUID()): Promise<string> {
    const { userId: ownerId } = await service.as();
    const facts = { objectKey: `video-uploads/${id}/original`, sizeBytes: 1, sha256: "0".repeat(64) };
    await service.db.videoUpload.create({ data: { id, ownerId, ...facts, status, attempt } });
    return `video-uploads/${id}`;
  }

  const runGc = async (options: { db?: Db; keepOriginals?: boolean; orphanAgeMs?: number } = {}) => {
    const parts = { db: service.db, objects, log, orphanAgeMs: 0, ...options };
    const { problem, removed } = await collectOrphans(parts);
    return { problem, removed };
  };
  const outcome = (removed: number) => ({ problem: null, removed });

  const daysPass = (days: number) =>
    service.db.$executeRaw`UPDATE orphaned_objects SET first_seen_at = first_seen_at - make_interval(days => ${days}::int)`;

  it("deletes objects that belong to no upload, and the files of failed attempts", async () => {
    const gone = `video-uploads/${randomUUID()}`;
    const [queued, processing, succeeded, failed] = [
      await upload("queued", 1),
      await upload("processing", 2),
      await upload("succeeded", 3),
      await upload("failed", 3),
    ];
    const below = (prefix: string, ...names: string[]) => names.map((name) => `${prefix}/${name}`);
    const inUse = [
      ...[...below(queued, "original"), ...below(processing, "original", "2/480p.mp4"), ...below(failed, "original")],
      ...[...below(succeeded, "original", "3/poster.jpg"), "elsewhere/original"],
    ];
    const orphans = [
      ...[...below(gone, "original", "1/480p.mp4"), "video-uploads/no-id-at-all", ...below(queued, "1/480p.mp4")],
      ...[...below(processing, "1/480p.mp4", "20/480p.mp4"), ...below(failed, "3/480p.mp4")],
      ...below(succeeded, "1/480p.mp4", "other"),
    ];
    await store(2, ...inUse, ...orphans);
    expect(await runGc()).toEqual(outcome(orphans.length));
    expect(await keys()).toEqual([...inUse].sort());
  });

  it("does not record objects younger than an hour, because an upload in progress has no row yet", async () => {
    const orphans = [`video-uploads/${randomUUID()}/original`, `${await upload("processing", 2)}/1/480p.mp4`];
    await store(0.9, ...orphans);
    expect(await runGc()).toEqual(outcome(0));
    expect(await keys()).toEqual([...orphans].sort());
    expect(await service.db.orphanedObject.count()).toBe(0);
  });

  it("deletes an orphan a day after it was first recorded, even an old object, and starts again after a break", async () => {
    const id = randomUUID();
    const [lasting, adopted] = [`video-uploads/${randomUUID()}/original`, `video-uploads/${id}/original`];
    await store(10_000, lasting, adopted);
    const runGcDaily = () => runGc({ orphanAgeMs: 24 * HOUR_MS });
    expect(await runGcDaily()).toEqual(outcome(0));
    expect((await service.db.orphanedObject.findMany()).map((it) => [it.key, it.reason]).toSorted()).toEqual(
      [lasting, adopted].map((key) => [key, "unknown_upload"]).toSorted(),
    );
    // The row returns, as from a newer backup, and is then deleted again.
    await upload("failed", 1, id);
    await daysPass(1);
    expect(await runGcDaily()).toEqual(outcome(1));
    await service.db.videoUpload.delete({ where: { id } });
    expect(await runGcDaily()).toEqual(outcome(0));
    expect(await keys()).toEqual([adopted]);
    await daysPass(1);
    expect(await runGcDaily()).toEqual(outcome(1));
    expect([await keys(), await service.db.orphanedObject.count()]).toEqual([[], 0]);
  });

  it("deletes nothing without approval if more than ten objects and 5 % of the store are orphans, and logs it", async () => {
    const videos = await Promise.all(Array.from({ length: 190 }, () => upload("failed", 1)));
    const inUse = videos.map((it) => `${it}/original`).sort();
    const orphans = Array.from({ length: 11 }, () => `video-uploads/${randomUUID()}/original`);
    await store(2, ...inUse, ...orphans);
    const lines: Record<string, unknown>[] = [];
    const loud = pino({ level: "error" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const collect = (orphanAgeMs: number) => collectOrphans({ db: service.db, objects, log: loud, orphanAgeMs });
    expect(await collect(0)).toEqual({ problem: "too_many_orphans", stored: 201, orphans: 11, removed: 0 });
    expect(lines).toMatchObject([{ level: 50, store_problem: "too_many_orphans", stored: 201, orphans: 11 }]);
    expect(await keys()).toHaveLength(201);
    expect(await service.db.storeBinding.findFirst()).toMatchObject({ problem: "too_many_orphans", orphanCount: 11 });
    await service.db.storeBinding.updateMany({ data: { approvedCount: 11 } });
    // The approval holds until the approved orphans are removed, and not for later ones.
    expect(await collect(24 * HOUR_MS)).toMatchObject({ problem: null, removed: 0 });
    expect(await collect(0)).toMatchObject({ problem: null, removed: 11 });
    expect(await collect(0)).toMatchObject({ problem: null, removed: 0 });
    expect(await keys()).toEqual(inUse);
    await store(2, ...orphans);
    expect(await collect(0)).toMatchObject({ problem: "too_many_orphans" });
    await objects.delete(orphans[0]!);
    expect(await collect(0)).toMatchObject({ problem: null, orphans: 10, removed: 10 });
  });

  it("keeps the bytes of an upload whose row is inserted during the GC, even if the upload took long", async () => {
    const id = randomUUID();
    await store(30, `video-uploads/${id}/original`, `video-uploads/${randomUUID()}/original`);
    let queries = 0;
    // The row is inserted just after the GC has searched for it.
    const db = service.db.$extends({
      query: {
        videoUpload: {
          async findMany({ args, query }) {
            const rows = await query(args);
            queries += 1;
            if (queries === 1) await upload("queued", 0, id);
            return rows;
          },
        },
      },
    }) as unknown as Db;
    expect(await runGc({ db })).toEqual(outcome(1));
    expect({ queries, keys: await keys() }).toEqual({ queries: 2, keys: [`video-uploads/${id}/original`] });
  });

  it("keeps an upload that is being resumed, and deletes its pieces after its row is removed", async () => {
    const ada = await service.as();
    const begun = await ada("POST", "/video-uploads", new Uint8Array(10), { headers: { "Upload-Complete": "?0" } });
    expect(begun.status).toBe(204);
    const [piece] = await keys();
    await store(2, piece!);
    expect(await runGc()).toEqual(outcome(0));
    await service.db.partialUpload.deleteMany();
    expect(await runGc()).toEqual(outcome(1));
    expect(await keys()).toEqual([]);
  });

  it("keeps the files of a deleted video, and an original, that the operator keeps for longer than a day", async () => {
    const { userId: ownerId } = await service.as();
    const [deleted, succeeded] = [`video-uploads/${randomUUID()}`, await upload("succeeded", 1)];
    const kept = [`${deleted}/original`, `${deleted}/1/480p.mp4`, `${succeeded}/original`];
    await store(50, ...kept, `${deleted}-other/original`);
    const keeping = { ...objects, retainDeletedMs: 72 * HOUR_MS };
    for (const key of [deleted, `${succeeded}/original`]) await expire(service.db, keeping, { key, ownerId, sizeBytes: 1 });
    // Of two ends, the later one holds.
    await expire(service.db, objects, { key: deleted, ownerId, sizeBytes: 1 });
    expect(await findExpired(service.db, { limit: 1_000 })).not.toContainEqual({ key: deleted });
    expect(await runGc({ keepOriginals: false })).toEqual(outcome(1));
    expect(await keys()).toEqual(kept.toSorted());
    for (const key of [deleted, `${succeeded}/original`]) await deleteRetained(service.db, key);
    expect(await runGc({ keepOriginals: false })).toEqual(outcome(3));
  });

  it("deletes only the originals of succeeded videos if originals are not retained", async () => {
    const [succeeded, failed] = [await upload("succeeded", 1), await upload("failed", 1)];
    await store(2, `${succeeded}/original`, `${succeeded}/1/480p.mp4`, `${failed}/original`);
    expect(await runGc({ keepOriginals: false })).toEqual(outcome(1));
    expect(await keys()).toEqual([`${succeeded}/1/480p.mp4`, `${failed}/original`].sort());
  });

  describe("of a large store", () => {
    const COUNT = 1_500;
    /** A store with many orphans, which calls `onStep` for each key that it lists and each object that it removes. */
    function largeStore(onStep: (what: "list" | "delete", step: number) => Promise<void> | void = () => undefined) {
      const counts = { list: 0, delete: 0 };
      const all = Array.from({ length: COUNT }, () => `video-uploads/${randomUUID()}/original`);
      const store: ObjectStore = {
        ...objects,
        async *list() {
          for (const key of all) {
            await onStep("list", ++counts.list);
            yield { key, sizeBytes: 1, modifiedAt: new Date(0) };
          }
        },
        async delete() {
          await onStep("delete", ++counts.delete);
        },
      };
      return { store, counts };
    }
    const runGcOn = (store: ObjectStore, signal?: AbortSignal) =>
      collectOrphans({ db: service.db, objects: store, log, orphanAgeMs: 0 }, signal);
    beforeEach(async () => {
      await runGc();
      await service.db.storeBinding.updateMany({ data: { approvedCount: COUNT } });
    });
    afterEach(() => service.db.storeBinding.updateMany({ data: { approvedCount: null, sweeper: null, sweeperUntil: null } }));

    it.each([
      ["list", 1_000],
      ["delete", 100],
    ] as const)("stops at its next step when its signal is aborted during %s, so that a worker can stop", async (what, at) => {
      const controller = new AbortController();
      const { store, counts } = largeStore((step, count) => {
        if (step === what && count === at) controller.abort();
      });
      await expect(runGcOn(store, controller.signal)).rejects.toThrow(/abort/i);
      expect(counts).toEqual(what === "list" ? { list: 1_000, delete: 0 } : { list: COUNT, delete: 100 });
      // The next one begins at once.
      expect(await runGcOn(largeStore().store)).toMatchObject({ problem: null });
    });

    it("runs once at a time: a second one does nothing while the first runs, and one that takes too long ends when another has begun", async () => {
      const gate = Promise.withResolvers<void>();
      const [first, second] = [
        largeStore((step, count) => (step === "delete" && count === 100 ? gate.promise : undefined)),
        largeStore(),
      ];
      const running = runGcOn(first.store);
      await eventually("a removal that hangs", () => first.counts.delete >= 100);
      expect(await runGcOn(second.store)).toMatchObject({ problem: "already_running", removed: 0 });
      expect(second.counts).toEqual({ list: 0, delete: 0 });
      // As if ten minutes passed.
      await service.db.storeBinding.updateMany({ data: { sweeperUntil: new Date(0) } });
      expect(await runGcOn(second.store)).toMatchObject({ problem: null });
      await service.db.storeBinding.updateMany({ data: { sweeper: randomUUID(), sweeperUntil: new Date(Date.now() + HOUR_MS) } });
      gate.resolve();
      await expect(running).rejects.toThrow("Another orphan GC has begun");
      expect(first.counts.delete).toBe(100);
    });
  });

  it.each([
    [1, 1, null],
    [1, 2, "unknown_objects"],
  ])("belongs to a store without a marker if it knows half of it: %d known, %d unknown", async (known, unknown, problem) => {
    await using folder = await temporaryFolder();
    const unmarked = createFileStore(folder.path);
    const put = (prefix: string) => unmarked.create(`${prefix}/original`, Buffer.from("x"));
    for (let count = 0; count < known; count++) await put(await upload("failed", 1));
    for (let count = 0; count < unknown; count++) await put(`video-uploads/${randomUUID()}`);
    expect(await claimStore(service.db, unmarked)).toMatchObject({ problem });
    const marker = await unmarked.get(MARKER_KEY);
    marker?.stream.destroy();
    expect(marker === null).toBe(problem !== null);
  });

  it("keeps the only object that belongs to an upload among more than a thousand orphans", async () => {
    const known = `${await upload("queued", 0)}/original`;
    await store(2, ...Array.from({ length: 1_234 }, () => `video-uploads/${randomUUID()}/original`), known);
    expect(await runGc()).toMatchObject({ problem: "too_many_orphans", removed: 0 });
    await service.db.storeBinding.updateMany({ data: { approvedCount: 1_234 } });
    expect([await runGc(), await keys()]).toEqual([outcome(1_234), [known]]);
  });
});
