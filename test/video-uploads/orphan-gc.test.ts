import { randomUUID } from "node:crypto";
import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Db } from "../../src/database/client.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { MARKER_KEY } from "../../src/storage/marker.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { collectOrphans } from "../../src/video-uploads/objects/orphan-gc.ts";
import { eventually } from "../support/eventually.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { uploadPath } from "../support/videos.ts";

const HOUR_MS = 3_600_000;

describe("the orphan GC of the object store", () => {
  let service: TestService;
  let objects: ObjectStore;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api" });
    objects = createFileStore(join(service.dataDir, "objects"));
  });
  afterAll(() => service.close());
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

  async function keys(): Promise<string[]> {
    const found: string[] = [];
    for await (const { key } of objects.list("")) if (key !== MARKER_KEY) found.push(key);
    return found.sort();
  }

  /** Inserts the row of an upload as a job leaves it, and returns the prefix of its keys. */
  async function upload(
    status: string,
    attempt: number,
    db: Pick<Db, "videoUpload"> = service.db,
    id: string = randomUUID(),
  ): Promise<string> {
    const { userId } = await service.as();
    await db.videoUpload.create({
      data: {
        id,
        ownerId: userId,
        objectKey: `video-uploads/${id}/original`,
        sizeBytes: 1,
        sha256: "0".repeat(64),
        status,
        attempt,
      },
    });
    return `video-uploads/${id}`;
  }

  const runGc = async (options: { db?: Db; keepOriginals?: boolean; orphanAgeMs?: number } = {}) => {
    const parts = { db: service.db, objects, log: pino({ level: "silent" }), orphanAgeMs: 0, ...options };
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
    const inUse = [
      `${queued}/original`,
      `${processing}/original`,
      `${processing}/2/480p.mp4`,
      `${succeeded}/original`,
      `${succeeded}/3/poster.jpg`,
      `${failed}/original`,
      "elsewhere/original",
    ];
    const orphans = [
      `${gone}/original`,
      `${gone}/1/480p.mp4`,
      "video-uploads/no-id-at-all",
      `${queued}/1/480p.mp4`,
      `${processing}/1/480p.mp4`,
      `${processing}/20/480p.mp4`,
      `${succeeded}/1/480p.mp4`,
      `${failed}/3/480p.mp4`,
      `${succeeded}/other`,
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
    await upload("failed", 1, service.db, id);
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
    const log = pino({ level: "error" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const collect = (orphanAgeMs: number) => collectOrphans({ db: service.db, objects, log, orphanAgeMs });
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
            if (queries === 1) await upload("queued", 0, service.db, id);
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

  it("deletes only the originals of succeeded videos if originals are not retained", async () => {
    const [succeeded, failed] = [await upload("succeeded", 1), await upload("failed", 1)];
    await store(2, `${succeeded}/original`, `${succeeded}/1/480p.mp4`, `${failed}/original`);
    expect(await runGc({ keepOriginals: false })).toEqual(outcome(1));
    expect(await keys()).toEqual([`${succeeded}/1/480p.mp4`, `${failed}/original`].sort());
  });

  describe("of a large store", () => {
    const COUNT = 1_500;
    const log = pino({ level: "silent" });
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

  it("keeps the only object that belongs to an upload among more than a thousand orphans", async () => {
    const ada = await service.as();
    const { body: job } = await ada("POST", "/video-uploads", Buffer.from("x"));
    await store(
      2,
      ...Array.from({ length: 1_234 }, () => `video-uploads/${randomUUID()}/original`),
      `${uploadPath(job).slice(1)}/original`,
    );
    expect(await runGc()).toMatchObject({ problem: "too_many_orphans", removed: 0 });
    await service.db.storeBinding.updateMany({ data: { approvedCount: 1_234 } });
    expect(await runGc()).toEqual(outcome(1_234));
    expect(await keys()).toEqual([`${uploadPath(job).slice(1)}/original`]);
  });
});
