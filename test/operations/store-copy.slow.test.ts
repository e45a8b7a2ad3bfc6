import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { createFileStore } from "../../src/storage/file-store.ts";
import { MARKER_KEY } from "../../src/storage/marker.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import { purgeAllExpired } from "../../src/video-uploads/objects/removal.ts";
import { copyStore, restoreStore } from "../../scripts/store/copy.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/media.ts";
import { prepareForEach } from "../support/prepare.ts";
import { s3rver } from "../support/s3-server.ts";
import { plumbline, plumblineJson, startPlumbline } from "../support/processes.ts";
import { sha256Of, upload, uploadPath } from "../support/videos.ts";

const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];
const keyOf = (name: string) => `video-uploads/${name}/original`;
const put = (store: ObjectStore, key: string, text: string | Uint8Array) =>
  store.put(key, Readable.from([Buffer.from(text)]), { maxBytes: 10_000_000 });

const folder = prepareForEach(temporaryFolder);
let [live, copy] = ["", ""];
beforeEach(() => {
  [live, copy] = [join(folder.path, "live"), join(folder.path, "copy")];
});

/** The keys and texts of all objects. */
async function contentOf(store: ObjectStore): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key } of store.list("")) {
    const chunks = await (await store.get(key))!.stream.toArray();
    found[key] = Buffer.concat(chunks as Buffer[]).toString("latin1");
  }
  return found;
}

const began = async () => new Date((await readFile(join(copy, "began"), "utf8")).trim());
/** All that a folder has, whatever its name is. */
async function digestsIn(path: string): Promise<ReadonlySet<string>> {
  const files = (await readdir(path, { recursive: true, withFileTypes: true })).filter((it) => it.isFile());
  return new Set(await Promise.all(files.map(async (it) => sha256Of(await readFile(join(it.parentPath, it.name))))));
}

describe("plumbline store copy and restore", () => {
  it.each([
    [
      "a folder",
      async () => ({ open: (name: string) => createFileStore(join(live, name), 0, HOUR_MS), stop: async () => undefined }),
    ],
    [
      "a bucket",
      async () => {
        const server = await s3rver.start();
        const settings = server.settings();
        const prefixOf = (name: string) => `${settings.prefix}/${name}`;
        const stores = new Map<string, ObjectStore>();
        for (const name of ["one", "two", "three"])
          stores.set(name, await createS3Store({ ...settings, prefix: prefixOf(name), retainDeletedMs: HOUR_MS }));
        return { open: (name: string) => stores.get(name)!, stop: server.stop };
      },
    ],
  ])("give back what %s had at a moment, also what was removed since, and copy nothing twice", async (_what, startStores) => {
    const { open, stop } = await startStores();
    try {
      const store = open("one");
      for (const name of ["a", "b", "c"]) await put(store, keyOf(name), `text of ${name}`);
      await put(store, MARKER_KEY, "mine!");
      expect(await copyStore(store, copy, 14)).toMatchObject({ copied: 4, bytes: 32, gone: 0, gapFrom: null });
      const first = await began();
      await delay(5);
      await store.deletePrefix("video-uploads/a");
      await put(store, keyOf("d"), "text of d");
      await put(store, MARKER_KEY, "yours");
      const second = await copyStore(store, copy, 14);
      // The marker is copied each time, because it alone changes.
      expect(second).toMatchObject({ beganAt: await began(), copied: 2, gone: 1, gapFrom: null });
      expect(await contentOf(createFileStore(copy))).toEqual({ ...(await contentOf(store)) });

      const [now, then] = [open("two"), open("three")];
      await restoreStore(copy, now, null);
      expect(await contentOf(now)).toEqual(await contentOf(store));
      expect(await restoreStore(copy, then, first)).toMatchObject({ at: first, restored: 5 });
      expect(await contentOf(then)).toEqual({ ...(await contentOf(store)), [keyOf("a")]: "text of a" });
      // A restore that was interrupted is repeated, but what the copy doesn't know is not touched.
      expect(await restoreStore(copy, then, first)).toMatchObject({ restored: 1 });
      await put(then, keyOf("other"), "x");
      await expect(restoreStore(copy, then, first)).rejects.toThrow(
        /has video-uploads\/other\/original, .*Restore into an empty store/,
      );
      await expect(restoreStore(copy, now, new Date(Date.now() + 1_000))).rejects.toThrow(/Choose this moment or an earlier one/);
    } finally {
      await stop();
    }
  });

  it("claim nothing that an interrupted copy lacks, and continue it", async () => {
    const store = createFileStore(live, 0, HOUR_MS);
    for (let n = 0; n < 5; n++) await put(store, keyOf(`early-${n}`), randomBytes(100));
    await copyStore(store, copy, 14);
    const settings = { DATA_DIR: folder.path, KEEP_DELETED_HOURS: "1" };
    await symlink(live, join(folder.path, "objects"));
    const inCopy = async () => (await readdir(join(copy, "objects/video-uploads"))).length;
    let first = new Date(0);
    let round = 0;
    for (; ; round++) {
      first = await began();
      await store.deletePrefix(`video-uploads/early-${round}`);
      for (let n = 0; n < 300; n++) {
        const file = join(live, "objects", keyOf(`late-${round}-${n}`));
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, randomBytes(10));
      }
      const before = await inCopy();
      await using killed = startPlumbline(settings, "store", "copy", copy);
      await eventually("a part of the copy", async () => (await inCopy()) > before + 30, undefined, 1);
      killed.child.kill("SIGKILL");
      await killed.exited;
      if ((await inCopy()) < before + 295) break;
      // On a busy machine, the signal can be late. This copy ends, and the next one is interrupted.
      await plumblineJson(settings, "store", "copy", copy);
    }
    expect(await began()).toEqual(first);
    expect(await readdir(join(copy, "gone")).catch(() => [])).toHaveLength(round);
    const { exit, lines } = await plumblineJson(settings, "store", "copy", copy);
    expect({ exit, lines }).toMatchObject({ exit: 0, lines: [{ gone: 1, gap_from: null }] });
    expect(lines[0]!.copied).toBeLessThan(300);
    expect(await began()).toEqual(new Date(lines[0]!.began_at));
    expect(await inCopy()).toBe(304 + 299 * round);
  }, 120_000);

  it("say in a sentence what is wrong, and which moments lack files if the store keeps them too short", async () => {
    const settings = { DATA_DIR: folder.path };
    await put(createFileStore(join(folder.path, "objects")), keyOf("a"), "x");
    const short = await plumbline(settings, "store", "copy", copy);
    expect(short).toMatchObject({
      exit: 2,
      stdout: expect.stringMatching(/KEEP_DELETED_HOURS is shorter than the time since 20/),
    });
    const first = await began();
    expect((await plumblineJson({ ...settings, KEEP_DELETED_HOURS: "1" }, "store", "copy", copy)).exit).toBe(0);
    await writeFile(join(copy, "began"), `${new Date(first.getTime() - 2 * HOUR_MS).toISOString()}\n`);
    const { exit, lines } = await plumblineJson({ ...settings, KEEP_DELETED_HOURS: "1" }, "store", "copy", copy);
    expect([exit, Date.parse(lines[0]!.gap_from)]).toEqual([2, first.getTime() - 2 * HOUR_MS]);

    await writeFile(join(folder.path, "file"), "");
    for (const args of [
      ["copy", join(folder.path, "file/below")],
      ["copy", "/proc/nope"],
      ["restore", join(folder.path, "file")],
      ["restore", folder.path],
    ]) {
      const outcome = await plumbline(settings, "store", ...args);
      expect(outcome).toMatchObject({ exit: 1, stdout: "" });
      expect(outcome.stderr).toMatch(/^[A-Z][^\n]+\.\n$/);
    }
    expect((await plumbline(settings, "store", "restore", copy, "--at", "yesterday")).stderr).toMatch(
      /^yesterday is not a time\.\n/,
    );
    const both = await Promise.allSettled([1, 2].map(() => copyStore(createFileStore(live), copy, 14)));
    expect(both.map((it) => it.status).toSorted()).toEqual(["fulfilled", "rejected"]);
  }, 120_000);
});

it("some days after a user was erased, no copy has a byte of theirs, and until then only the parts with an end do", async () => {
  await using deployment = await createDeployment();
  await deployment.start("api", { KEEP_DELETED_HOURS: "1", MIN_FREE_BYTES: "0" });
  const [ada, bob] = [await deployment.as(), await deployment.as()];
  const [hers, his] = [randomBytes(5_000), randomBytes(5_000)];
  const job = await upload(ada, hers);
  await upload(bob, his);
  const store = createFileStore(join(deployment.dataDir, "objects"), 0, HOUR_MS);
  const copyNow = () => copyStore(store, copy, 14);
  /** As if so many days had passed for what is gone. */
  const pass = async (days: number) => {
    for (const name of await readdir(join(copy, "gone")))
      await rename(join(copy, "gone", name), join(copy, "gone", String(Number(name) - days * DAY_MS)));
  };
  await copyNow();
  expect(await digestsIn(copy)).toContain(sha256Of(hers));
  await ada("DELETE", uploadPath(job));
  expect(await copyNow()).toMatchObject({ gone: 0 });
  await deployment.db.$executeRaw`UPDATE kept_objects SET keep_until = now()`;
  expect(await purgeAllExpired({ db: deployment.db, objects: store, log: pino({ level: "silent" }) })).toBe(1);
  expect(await copyNow()).toMatchObject({ gone: 1 });
  expect((await stat(join(copy, "gone"))).isDirectory()).toBe(true);
  await pass(13);
  await copyNow();
  expect(await digestsIn(join(copy, "gone"))).toEqual(new Set([sha256Of(hers)]));
  expect(await digestsIn(join(copy, "objects"))).not.toContain(sha256Of(hers));
  await pass(1);
  await delay(5);
  await copyNow();
  expect(await digestsIn(copy)).not.toContain(sha256Of(hers));
  expect(await digestsIn(copy)).toContain(sha256Of(his));
  expect(await readdir(join(copy, "gone"))).toEqual([]);
}, 120_000);
