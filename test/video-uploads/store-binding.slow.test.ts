import { randomUUID } from "node:crypto";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { pino } from "pino";
import { connect, type Db } from "../../src/database/client.ts";
import { MARKER_KEY, readMarker, replaceMarker } from "../../src/storage/marker.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { addUser } from "../../src/auth/users.ts";
import { rebindStore, claimStore } from "../../src/video-uploads/objects/store-binding.ts";
import { collectOrphans } from "../../src/video-uploads/objects/orphan-gc.ts";
import { administer, createTestDatabase, withDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { describeNeeds } from "../support/needs.ts";
import { linesIn, plumbline, run } from "../support/processes.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { aFolder, inMoto, inS3rver, type StoreKind } from "../support/stores.ts";
import { storedFiles, upload } from "../support/videos.ts";

for (const { name, needs, start } of sized([aFolder, inMoto], [aFolder, inMoto, inS3rver]))
  describeNeeds(needs, `a store in ${name}`, () => {
    let backend: Awaited<ReturnType<StoreKind["start"]>>;
    let objects: ObjectStore;
    let scope: AsyncDisposableStack;
    beforeAll(async () => {
      backend = await start();
    });
    afterAll(() => backend.stop());
    beforeEach(async () => {
      scope = new AsyncDisposableStack();
      objects = await backend.open();
    });
    afterEach(() => scope.disposeAsync());

    async function database(url?: string): Promise<Db> {
      const at = url ?? scope.adopt(await createTestDatabase(), (it) => it.drop()).url;
      return scope.adopt(await connect(at, { DATABASE_POOL_SIZE: 4, DATABASE_POOL_TIMEOUT_SECONDS: 30 }, () => undefined), (it) =>
        it.close(),
      ).db;
    }

    const runGc = async (db: Db) =>
      (await collectOrphans({ db, objects, log: pino({ level: "silent" }), graceMs: 0, orphanAgeMs: 0 })).problem;

    async function put(key: string): Promise<void> {
      await objects.put(key, Readable.from([Buffer.from("x")]), { maxBytes: 1 });
    }

    /** Makes `count` videos, each with its object. */
    async function videos(db: Db, count: number): Promise<void> {
      const { userId } = await addUser(db, "Ada", []);
      for (let made = 0; made < count; made++) {
        const id = randomUUID();
        const objectKey = `video-uploads/${id}/original`;
        await db.videoUpload.create({
          data: { id, ownerId: userId, objectKey, sizeBytes: 1, sha256: "0".repeat(64), status: "failed" },
        });
        await put(objectKey);
      }
    }

    const keys = async () => (await Array.fromAsync(objects.list("video-uploads"))).map((it) => it.key).sort();

    it("belongs to the first database that uses it, and another database deletes nothing from it", async () => {
      const [ours, other] = [await database(), await database()];
      expect(await claimStore(ours, objects)).toMatchObject({ problem: null });
      await videos(ours, 3);
      const before = await keys();
      expect(await claimStore(other, objects)).toMatchObject({ problem: "other_database" });
      expect(await runGc(other)).toBe("other_database");
      expect([await keys(), await other.orphanedObject.count()]).toEqual([before, 0]);
      expect(await runGc(ours)).toBe(null);
      expect(await keys()).toEqual(before);
    });

    it("belongs to exactly one database, even if two processes or two databases start to use it at once", async () => {
      const [ours, other] = [await database(), await database()];
      // s3rver shows an object while it is written.
      const claim = () =>
        eventually("a whole marker", async () => {
          const it = await claimStore(ours, objects);
          return it.markerDatabaseId === "unreadable" ? null : it;
        });
      const both = await Promise.all([claim(), claim()]);
      expect(both.map(({ problem }) => problem)).toEqual([null, null]);
      expect(new Set(both.map(({ databaseId }) => databaseId)).size).toBe(1);
      objects = await backend.open();
      await Promise.all([claimStore(ours, objects), claimStore(other, objects)]);
      // Some servers cannot guarantee that one of two creates fails. The orphan GC reads the marker again in any case.
      expect([await runGc(ours), await runGc(other)].toSorted()).toEqual([null, "other_database"].toSorted());
    });

    it("with videos but no marker, as before an upgrade, is claimed only by the database that knows the videos", async () => {
      const [ours, empty] = [await database(), await database()];
      await videos(ours, 3);
      await put(`video-uploads/${randomUUID()}/original`);
      expect(await claimStore(empty, objects)).toMatchObject({ problem: "unknown_objects", markerDatabaseId: null });
      expect(await runGc(empty)).toBe("unknown_objects");
      expect([await keys(), await readMarker(objects)]).toMatchObject([{ length: 4 }, null]);
      expect(await claimStore(ours, objects)).toMatchObject({ problem: null });
      expect(await runGc(ours)).toBe(null);
      expect(await keys()).toHaveLength(3);
    });

    it("loses no object to the orphan GC of a copy of its database until it is bound to the copy, and then not to the original", async () => {
      const original = scope.adopt(await createTestDatabase(), (it) => it.drop());
      const name = `copy_${randomUUID().replaceAll("-", "")}`;
      // Without connections, because it is copied.
      const limits = { DATABASE_POOL_SIZE: 2, DATABASE_POOL_TIMEOUT_SECONDS: 30 };
      const first = await connect(original.url, limits, () => undefined);
      await claimStore(first.db, objects);
      await videos(first.db, 2);
      await first.close();
      await administer(original.url, `CREATE DATABASE ${name} TEMPLATE ${new URL(original.url).pathname.slice(1)}`);
      scope.defer(() => administer(original.url, `DROP DATABASE ${name} WITH (FORCE)`));
      const [db, copy] = [await database(original.url), await database(withDatabase(original.url, name))];
      await videos(db, 2);
      expect([await runGc(copy), await keys()]).toMatchObject(["copied_database", { length: 4 }]);
      expect(await runGc(db)).toBe(null);
      expect(await rebindStore(copy, objects)).toMatchObject({ problem: null, sampled: 4, known: 2 });
      expect([await runGc(db), await runGc(copy), await keys()]).toMatchObject(["other_database", null, { length: 2 }]);
    });

    it("with an unreadable marker belongs to no database", async () => {
      const db = await database();
      await objects.put(MARKER_KEY, Readable.from([Buffer.from("{")]), { maxBytes: 9 });
      expect(await claimStore(db, objects)).toMatchObject({ problem: "other_database", markerDatabaseId: "unreadable" });
      await replaceMarker(objects, (await claimStore(db, objects)).databaseId);
      expect(await claimStore(db, objects)).toMatchObject({ problem: null });
    });
  });

it("a service in staging with the store of production deletes nothing, logs the problem, and `plumbline store show` exits with 2", async () => {
  await using production = await startTestService({ ROLE: "api" });
  const { dataDir, databaseUrl } = production;
  const ada = await production.as();
  for (let sent = 0; sent < 3; sent++) await upload(ada, Buffer.from("a video of production"));
  const folder = join(dataDir, "objects");
  for (const it of await readdir(folder, { recursive: true })) await utimes(join(folder, it), new Date(0), new Date(0));
  const before = await storedFiles(production);
  // The first start creates the tables of the job queue.
  await using staging = await startTestService({ ROLE: "api", DATA_DIR: dataDir });
  await staging.db.$executeRaw`INSERT INTO pgboss.job (name) VALUES ('maintenance')`;
  const of = { ROLE: "worker", DATABASE_URL: staging.databaseUrl, DATA_DIR: dataDir };
  await using worker = run({ NODE_ENV: "test", ...of, LOG_LEVEL: "error" });
  // Once at startup, and once for the orphan GC.
  const lines = () => linesIn(worker.stdout()).filter((it) => it["store_problem"] !== undefined);
  await eventually("two lines about the store", () => lines().length === 2);
  const problem = { level: 50, store_problem: "other_database" };
  const msg = expect.stringMatching(/belongs to another database.*npm run -s plumbline -- store bind/);
  expect(lines()).toMatchObject([problem, { ...problem, msg }]);
  expect(await storedFiles(production)).toEqual(before);
  const show = (url: string, ...how: string[]) => plumbline({ DATABASE_URL: url, DATA_DIR: dataDir }, "store", "show", ...how);
  const other = { exit: 2, stdout: expect.stringContaining('"problem":"other_database"') };
  expect(await show(staging.databaseUrl, "--json")).toMatchObject(other);
  expect(await show(databaseUrl)).toMatchObject({ exit: 0, stdout: expect.stringMatching(/belongs to this database/) });
});
