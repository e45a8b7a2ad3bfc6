/** Tests for the folder adapter only: a killed process and a full disk. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { link, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import { removeUnfinished, type ObjectStore } from "../../src/storage/object-store.ts";
import { itNeeds } from "../support/needs.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const bounds = { maxBytes: 1024 * 1024 * 1024 };
const sourceOf = (...chunks: Uint8Array[]): Readable => Readable.from(chunks);

const countOf = async (store: ObjectStore) => (await Array.fromAsync(store.list(""))).length;

describe("the object store in a folder", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "plumbline-store-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("lists no object from a killed put, and removes its unfinished file on request", async () => {
    const module = fileURLToPath(new URL("../../src/storage/file-store.ts", import.meta.url));
    const script = `const { createFileStore } = await import(${JSON.stringify(module)});
      async function* source() { yield new Uint8Array(70000); console.log("under way"); setInterval(() => {}, 1000); await new Promise(() => {}); }
      await createFileStore(${JSON.stringify(folder)}).put("a", source(), { maxBytes: 1e6 });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "close");
    const store = createFileStore(folder);
    expect(await countOf(store)).toBe(0);
    expect(await removeUnfinished(store, 60_000)).toBe(0);
    expect(await removeUnfinished(store, 0)).toBe(1);
    expect(await removeUnfinished(store, 0)).toBe(0);
  });

  it("frees the memory of written chunks only with freesChunks, and never the memory of a part of a larger buffer", async () => {
    const store = createFileStore(folder);
    const chunks = () => [new Uint8Array(70_000).fill(1), new Uint8Array(new ArrayBuffer(90_000), 0, 20_000).fill(2)];
    const [unchanged, freed] = [chunks(), chunks()];
    const digests = [
      await store.put("unchanged", sourceOf(...unchanged), bounds),
      await store.put("freed", sourceOf(...freed), { ...bounds, freesChunks: true }),
    ];
    expect(unchanged.map((it) => it.byteLength)).toEqual([70_000, 20_000]);
    expect(freed.map((it) => it.byteLength)).toEqual([0, 20_000]);
    expect(digests[1]).toEqual(digests[0]);
    const stored = Buffer.concat(await (await store.get("freed"))!.stream.toArray());
    expect(stored.equals(Buffer.concat(unchanged))).toBe(true);
  });

  it("creates an object once if ten calls do so at the same time, and keeps the bytes of that call", async () => {
    const store = createFileStore(folder);
    const created = await Promise.all(Array.from({ length: 10 }, (_, index) => store.create("owner", Buffer.from([index]))));
    expect(created.filter(Boolean)).toHaveLength(1);
    const chunks = await (await store.get("owner"))!.stream.toArray();
    expect(Buffer.concat(chunks)).toEqual(Buffer.from([created.indexOf(true)]));
    expect(await store.create("owner", Buffer.from("late"))).toBe(false);
  });

  it("lets only its own user read a file or list a folder, also after putFile, and stores no link", async () => {
    const store = createFileStore(join(folder, "store"));
    const made = async () => {
      const path = join(folder, randomUUID());
      await writeFile(path, "made", { mode: 0o644 });
      return path;
    };
    await store.put("a/put", sourceOf(Buffer.from("x")), bounds);
    for (const added of ["yy", "z"]) await store.extend("a/put", 1, sourceOf(Buffer.from(added)), bounds);
    expect(Buffer.concat(await (await store.get("a/put"))!.stream.toArray()).toString()).toBe("xz");
    await expect(store.put("a/../../out", sourceOf(Buffer.from("x")), bounds)).rejects.toMatchObject({ kind: "invalid_key" });
    await store.putFile("b/made", await made(), bounds);
    await store.create("created", Buffer.from("z"));
    const all = await readdir(join(folder, "store"), { recursive: true, withFileTypes: true });
    expect(all.filter((it) => it.isFile())).toHaveLength(3);
    for (const it of all) expect([it.name, (await stat(join(it.parentPath, it.name))).mode & 0o077]).toEqual([it.name, 0]);

    const [linked, named] = [join(folder, "linked"), await made()];
    await symlink(await made(), linked);
    await link(named, join(folder, "second"));
    for (const path of [linked, named]) await expect(store.putFile("c", path, bounds)).rejects.toThrow();
    expect(await store.get("c")).toBeNull();
  });

  it("removes a folder with its last object, and can store an object there again", async () => {
    const store = createFileStore(folder);
    await store.put("a/1/original", sourceOf(Buffer.from("x")), bounds);
    await store.put("a/2/original", sourceOf(Buffer.from("x")), bounds);
    await store.delete("a/1/original");
    expect(await readdir(join(folder, "objects/a"))).toEqual(["2"]);
    await store.delete("a/2/original");
    expect(await readdir(join(folder, "objects"))).toEqual([]);
    await store.put("a/1/original", sourceOf(Buffer.from("x")), bounds);
    expect(await countOf(store)).toBe(1);
  });

  itNeeds("mount", "rejects a put on a full disk with store_full, leaves nothing, and works again with space", async () => {
    await using disk = await mountSmallDisk(2 ** 20);
    const store = createFileStore(disk.path);
    await expect(store.put("a", sourceOf(new Uint8Array(2_000_000)), bounds)).rejects.toMatchObject({ kind: "store_full" });
    expect([await countOf(store), await removeUnfinished(store, 0)]).toEqual([0, 0]);
    expect((await store.put("a", sourceOf(new Uint8Array(500_000)), bounds)).sizeBytes).toBe(500_000);
  });
});
