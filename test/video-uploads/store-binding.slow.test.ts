import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rename, rm, utimes } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { connect, type Db } from "../../src/database/client.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { MARKER_KEY, readMarker, replaceMarker } from "../../src/storage/marker.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import { addUser } from "../../src/auth/users.ts";
import { rebindStore, claimStore } from "../../src/video-uploads/objects/store-binding.ts";
import { collectOrphans } from "../../src/video-uploads/objects/orphan-gc.ts";
import { createClient } from "../support/client.ts";
import { administer, createTestDatabase, openSession, withDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { describeNeeds } from "../support/needs.ts";
import { plumbline } from "../support/plumbline.ts";
import { run, temporaryDataDir } from "../support/running.ts";
import { moto, s3rver } from "../support/s3-server.ts";
import { storedFiles, upload } from "../support/videos.ts";

type Backend = { open(): Promise<ObjectStore>; stop(): Promise<void> };
const inBucket = (program: typeof s3rver, needs: string) => ({
  name: program.name,
  needs,
  async start(): Promise<Backend> {
    const server = await program.start();
    return { open: () => createS3Store(server.settings()), stop: server.stop };
  },
});
const inFolder = {
  name: "files",
  needs: [],
  async start(): Promise<Backend> {
    const folder = await mkdtemp(join(tmpdir(), "plumbline-binding-"));
    return {
      open: async () => createFileStore(join(folder, randomUUID())),
      stop: () => rm(folder, { recursive: true, force: true }),
    };
  },
};

for (const { name, needs, start } of [inFolder, inBucket(s3rver, "node"), inBucket(moto, "moto_server")])
  describeNeeds(needs, `a store in ${name}`, () => {
    let backend: Backend;
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

    async function keys(): Promise<string[]> {
      const found: string[] = [];
      for await (const { key } of objects.list("video-uploads")) found.push(key);
      return found.sort();
    }

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
      {
        await using first = await connectedTo(original.url);
        await claimStore(first.db, objects);
        await videos(first.db, 2);
      }
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

async function connectedTo(url: string): Promise<{ readonly db: Db } & AsyncDisposable> {
  const { db, close } = await connect(url, { DATABASE_POOL_SIZE: 2, DATABASE_POOL_TIMEOUT_SECONDS: 30 }, () => undefined);
  return { db, [Symbol.asyncDispose]: close };
}

/** Runs the hourly maintenance now, in a worker process, and returns the log of the worker. */
async function maintain(databaseUrl: string, settings: Readonly<Record<string, string>>): Promise<string> {
  await using client = await openSession(databaseUrl);
  const { rows } = await client.query<{ id: string }>("INSERT INTO pgboss.job (name) VALUES ('maintenance') RETURNING id");
  await using worker = run({ NODE_ENV: "test", ROLE: "worker", LOG_LEVEL: "error", ...settings });
  await worker.ready();
  await eventually(
    "the end of the maintenance",
    async () =>
      (await client.query("SELECT FROM pgboss.job WHERE id = $1 AND state = 'completed'", [rows[0]!.id])).rowCount === 1,
    120_000,
  );
  return worker.stdout();
}

/** Sets the age of all stored objects to decades. */
async function age(dataDir: string): Promise<void> {
  const folder = join(dataDir, "objects");
  for (const it of await readdir(folder, { recursive: true })) await utimes(join(folder, it), new Date(0), new Date(0));
}

describe("a service", () => {
  let deployment: Deployment;
  beforeEach(async () => {
    deployment = await createDeployment();
  });
  afterEach(async () => {
    await deployment[Symbol.asyncDispose]();
  });
  const settings = ({ databaseUrl }: Deployment) => ({ DATABASE_URL: databaseUrl, DATA_DIR: deployment.dataDir });

  it("in staging with the store of production deletes nothing, logs the problem, and `plumbline store show` exits with 2", async () => {
    await deployment.start("api");
    const ada = await deployment.as();
    for (let sent = 0; sent < 3; sent++) await upload(ada, Buffer.from("a video of production"));
    await age(deployment.dataDir);
    const before = await storedFiles(deployment);
    await using staging = await createDeployment({ dataDir: deployment.dataDir });
    // The first start creates the tables of the job queue.
    await staging.start("api");
    const said = await maintain(staging.databaseUrl, settings(staging));
    expect(await storedFiles(deployment)).toEqual(before);
    const lines = said
      .split("\n")
      .filter((line) => line.includes("store_problem"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    // Once at startup, and once for the orphan GC.
    expect(lines).toMatchObject([
      { level: 50, store_problem: "other_database" },
      {
        level: 50,
        store_problem: "other_database",
        msg: expect.stringMatching(/belongs to another database.*npm run -s plumbline -- store bind/),
      },
    ]);
    expect(await plumbline(settings(staging), "store", "show", "--json")).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining('"problem":"other_database"'),
    });
    expect(await plumbline(settings(deployment), "store", "show")).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/belongs to this database/),
    });
  }, 180_000);
});

it("after its database was moved out of DATA_DIR, a service keeps the videos, which work again with that database", async () => {
  await using dataDir = await temporaryDataDir();
  const settings = { DATA_DIR: dataDir.path, NODE_ENV: "test" };
  const databaseFiles = async () => (await readdir(dataDir.path)).filter((it) => it === "postgres" || it === "postgres.password");
  const stop = async (service: ReturnType<typeof run>) => {
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
  };
  const { api_key: key } = JSON.parse((await plumbline(settings, "user", "add", "Ada", "--json")).stdout) as { api_key: string };
  {
    await using service = run({ ...settings, ROLE: "api" });
    await upload(
      createClient((await service.ready()).url, { userId: "", name: "", authorization: `Bearer ${key}` }),
      Buffer.from("x"),
    );
    await stop(service);
  }
  await age(dataDir.path);
  const before = await storedFiles({ dataDir: dataDir.path }, "objects");
  expect(before).toHaveLength(1);
  const away = join(dataDir.path, "away");
  const moved = await databaseFiles();
  expect(moved).toHaveLength(2);
  for (const it of moved) await rename(join(dataDir.path, it), `${away}-${it}`);
  {
    await using service = run({ ...settings, ROLE: "api" });
    await service.ready();
    const [, port] = readFileSync(join(dataDir.path, "postgres/postmaster.pid"), "utf8").split("\n").slice(2);
    const password = readFileSync(join(dataDir.path, "postgres.password"), "utf8").trim();
    const databaseUrl = `postgresql://postgres:${password}@127.0.0.1:${port}/plumbline`;
    expect(await maintain(databaseUrl, { DATABASE_URL: databaseUrl, DATA_DIR: dataDir.path })).toMatch(/other_database/);
    await stop(service);
  }
  expect(await storedFiles({ dataDir: dataDir.path }, "objects")).toEqual(before);
  for (const it of await databaseFiles()) await rm(join(dataDir.path, it), { recursive: true });
  for (const it of moved) await rename(`${away}-${it}`, join(dataDir.path, it));
  expect(await plumbline(settings, "store", "show")).toMatchObject({
    exit: 0,
    stdout: expect.stringMatching(/belongs to this database/),
  });
}, 180_000);
