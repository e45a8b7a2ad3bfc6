/** The guarantees of the port, tested through the port. */
import { createHash, randomBytes } from "node:crypto";
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { removeUnfinished, type ObjectStore } from "../../../src/storage/object-store.ts";
import { describeNeeds } from "../../support/needs.ts";
import type { StoreKind } from "../../support/stores.ts";

const roomy = { maxBytes: 1024 * 1024 * 1024 };

/** The size of an object; null if there is none. */
async function sizeOf(store: ObjectStore, key: string): Promise<number | null> {
  const found = await store.get(key);
  found?.stream.destroy();
  return found?.sizeBytes ?? null;
}

async function* chunks(...parts: (string | Uint8Array)[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

const keysIn = async (store: ObjectStore, prefix = "") => (await Array.fromAsync(store.list(prefix))).map((it) => it.key).sort();

async function textOf(store: ObjectStore, key: string, range?: { start: number; end: number }): Promise<string | null> {
  const found = await store.get(key, range);
  return found === null ? null : (await buffer(found.stream)).toString();
}

/** One suite for every adapter. */
export function testObjectStore({ name, start, needs }: StoreKind): void {
  describeNeeds(needs, `the object store in ${name}`, () => {
    let backend: Awaited<ReturnType<StoreKind["start"]>>;
    beforeAll(async () => {
      backend = await start();
    });
    afterAll(() => backend.stop());

    let folder: string;
    let store: ObjectStore;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "plumbline-store-"));
      store = await backend.open();
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    it("returns exactly the stored bytes, and their size and SHA-256", async () => {
      const bytes = randomBytes(300_000);
      const result = await store.put("uploads/a/source", chunks(bytes.subarray(0, 7), bytes.subarray(7)), roomy);
      expect(result).toEqual({ sizeBytes: 300_000, sha256: createHash("sha256").update(bytes).digest("hex") });
      const found = await store.get("uploads/a/source");
      expect(found?.sizeBytes).toBe(300_000);
      expect(bytes.equals(await buffer(found?.stream ?? Readable.from([])))).toBe(true);
    });

    it("returns a large object that was stored in uneven chunks unchanged, whole and as a range in the middle", async () => {
      const bytes = randomBytes(11 * 1024 * 1024 + 1);
      const pieces = [0, 1, 700_000, 5 * 1024 * 1024, 10 * 1024 * 1024 + 3, bytes.length].map((end, index, ends) =>
        bytes.subarray(ends[index - 1] ?? 0, end),
      );
      const result = await store.put("large", chunks(...pieces), roomy);
      expect(result).toEqual({ sizeBytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
      const whole = await store.get("large");
      expect(bytes.equals(await buffer(whole?.stream ?? Readable.from([])))).toBe(true);
      const middle = await store.get("large", { start: 5 * 1024 * 1024 - 2, end: 5 * 1024 * 1024 + 1 });
      expect(await buffer(middle?.stream ?? Readable.from([]))).toEqual(bytes.subarray(5 * 1024 * 1024 - 2, 5 * 1024 * 1024 + 2));
      expect(middle?.sizeBytes).toBe(bytes.length);
    });

    it("stores a Node stream, and an empty object", async () => {
      expect((await store.put("a", Readable.from([Buffer.from("one"), Buffer.from("two")]), roomy)).sizeBytes).toBe(6);
      expect((await store.put("empty", chunks(), roomy)).sizeBytes).toBe(0);
      expect([await textOf(store, "a"), await textOf(store, "empty")]).toEqual(["onetwo", ""]);
    });

    it("extends an object after its first bytes, instead of others and with the SHA-256 of all, or leaves it unchanged", async () => {
      const hash = createHash("sha256");
      await store.put("a", chunks("one "), { ...roomy, hash });
      const source = chunks("two ");
      const extended = await store.extend("a", 4, source, { ...roomy, hash });
      if (extended === null) {
        // Nothing was read, so the source can be stored elsewhere.
        expect(await store.put("b", source, { ...roomy, hash })).toMatchObject({ sizeBytes: 4 });
        expect(await textOf(store, "a")).toBe("one ");
      } else {
        expect(extended).toEqual({ sizeBytes: 4, sha256: createHash("sha256").update("one two ").digest("hex") });
        await expect(store.extend("a", 8, chunks("too large"), { maxBytes: 3 })).rejects.toMatchObject({ kind: "too_large" });
        expect(await textOf(store, "a", { start: 0, end: 7 })).toBe("one two ");
        expect(await store.extend("a", 4, chunks("three"), roomy)).toMatchObject({ sizeBytes: 5 });
        expect(await textOf(store, "a")).toBe("one three");
        await expect(store.extend("a", 10, chunks("later"), roomy)).rejects.toThrow("lost bytes");
      }
      expect(await store.extend("missing", 0, chunks("x"), roomy)).toBeNull();
      await expect(store.extend("../a", 0, chunks("x"), roomy)).rejects.toMatchObject({ kind: "invalid_key" });
    });

    it("replaces an object atomically: an earlier reader still gets all of the old object", async () => {
      await store.put("a", chunks("the old bytes"), roomy);
      const old = await store.get("a");
      await store.put("a", chunks("new"), roomy);
      expect((await buffer(old?.stream ?? Readable.from([]))).toString()).toBe("the old bytes");
      expect(await textOf(store, "a")).toBe("new");
    });

    it("keeps one complete object if two are put under the same key at the same time", async () => {
      await Promise.all([store.put("a", chunks("first"), roomy), store.put("a", chunks("second"), roomy)]);
      expect(["first", "second"]).toContain(await textOf(store, "a"));
      expect(await removeUnfinished(store, 0)).toBe(0);
    });

    it("stores an object of exactly the size limit, and rejects one over it without reading the rest", async () => {
      expect((await store.put("a", chunks("12345"), { maxBytes: 5 })).sizeBytes).toBe(5);
      let chunksRead = 0;
      async function* endless(): AsyncIterable<Uint8Array> {
        for (; ; chunksRead += 1) yield Buffer.from("123");
      }
      await expect(store.put("b", endless(), { maxBytes: 5 })).rejects.toMatchObject({ kind: "too_large" });
      expect(chunksRead).toBe(1);
      expect(await keysIn(store)).toEqual(["a"]);
      expect(await removeUnfinished(store, 0)).toBe(0);
    });

    it("keeps the older object and leaves nothing of the new one if the source fails", async () => {
      await store.put("a", chunks("older"), roomy);
      async function* failing(): AsyncIterable<Uint8Array> {
        yield Buffer.from("newer");
        throw new Error("the connection broke");
      }
      await expect(store.put("a", failing(), roomy)).rejects.toThrow("the connection broke");
      const torn = new Readable({
        read() {
          this.push("x");
          this.destroy();
        },
      });
      await expect(store.put("b", torn, roomy)).rejects.toThrow();
      expect(await textOf(store, "a")).toBe("older");
      expect(await keysIn(store)).toEqual(["a"]);
      expect(await removeUnfinished(store, 0)).toBe(0);
    });

    it("rejects an aborted put with the next chunk, and leaves nothing of it", async () => {
      const abort = new AbortController();
      async function* aborting(): AsyncIterable<Uint8Array> {
        yield Buffer.from("the beginning");
        abort.abort(new Error("the worker stops"));
        yield Buffer.from("the rest");
      }
      await expect(store.put("a", aborting(), { ...roomy, signal: abort.signal })).rejects.toThrow("the worker stops");
      await expect(store.put("a", chunks("x"), { ...roomy, signal: AbortSignal.abort() })).rejects.toThrow();
      expect(await keysIn(store)).toEqual([]);
      expect(await removeUnfinished(store, 0)).toBe(0);
    });

    it("shows no object before its put is complete", async () => {
      async function* observed(): AsyncIterable<Uint8Array> {
        yield Buffer.from("the beginning");
        expect(await sizeOf(store, "a")).toBeNull();
        expect(await store.get("a")).toBeNull();
        expect(await keysIn(store)).toEqual([]);
        yield Buffer.from(" and the end");
      }
      await store.put("a", observed(), roomy);
      expect(await textOf(store, "a")).toBe("the beginning and the end");
    });

    it("returns a range with both ends included, shortens one that is too long, and rejects one after the end", async () => {
      await store.put("a", chunks("0123456789"), roomy);
      expect(await textOf(store, "a", { start: 2, end: 4 })).toBe("234");
      expect(await textOf(store, "a", { start: 8, end: 99 })).toBe("89");
      const last = await store.get("a", { start: 9, end: 9 });
      last?.stream.destroy();
      expect(last?.sizeBytes).toBe(10);
      await expect(store.get("a", { start: 10, end: 10 })).rejects.toMatchObject({ kind: "invalid_range" });
    });

    it("returns null for an unknown key, also if the key is the folder of other keys", async () => {
      await store.put("a/b/c", chunks("x"), roomy);
      for (const key of ["nothing", "a", "a/b", "a/b/c/d"]) {
        expect(await store.get(key)).toBeNull();
        expect(await store.fetchToFile(key, join(folder, "fetched"))).toBe(false);
      }
    });

    it("deletes an object, and accepts deleting it again", async () => {
      await store.put("a/b", chunks("x"), roomy);
      await store.delete("a/b");
      await store.delete("a/b");
      expect(await sizeOf(store, "a/b")).toBeNull();
    });

    it("deletes everything below a prefix, and nothing else", async () => {
      for (const key of ["jobs/1/source", "jobs/1/2/poster.jpg", "jobs/10/source", "jobs/2/source"])
        await store.put(key, chunks("x"), roomy);
      await store.deletePrefix("jobs/1");
      await store.deletePrefix("jobs/1");
      expect(await keysIn(store)).toEqual(["jobs/10/source", "jobs/2/source"]);
      // The prefix can be an object itself.
      await store.deletePrefix("jobs/2/source");
      await store.deletePrefix("jobs/10/sour");
      expect(await keysIn(store)).toEqual(["jobs/10/source"]);
      await expect(store.deletePrefix("")).rejects.toMatchObject({ kind: "invalid_key" });
    });

    it("lists all objects or those below a prefix, each with its size and time", async () => {
      expect(await keysIn(store)).toEqual([]);
      for (const key of ["jobs/1/a", "jobs/1/b/c", "jobs/10/a", "other"]) await store.put(key, chunks("four"), roomy);
      expect(await keysIn(store, "jobs/1")).toEqual(["jobs/1/a", "jobs/1/b/c"]);
      expect(await keysIn(store)).toHaveLength(4);
      for await (const { sizeBytes, modifiedAt } of store.list("other"))
        throw new Error(`listed ${sizeBytes} ${modifiedAt.toISOString()}`);
      for await (const { sizeBytes, modifiedAt } of store.list("")) {
        expect(sizeBytes).toBe(4);
        expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(60_000);
      }
    });

    it("fetches an object to a file, and never overwrites an existing file", async () => {
      await store.put("a/b", chunks("the bytes"), roomy);
      expect(await store.fetchToFile("a/b", join(folder, "local"))).toBe(true);
      expect(await readFile(join(folder, "local"), "utf8")).toBe("the bytes");
      await store.delete("a/b");
      expect(await readFile(join(folder, "local"), "utf8")).toBe("the bytes");
      await store.put("a/b", chunks("other bytes"), roomy);
      await writeFile(join(folder, "mine"), "mine");
      await expect(store.fetchToFile("a/b", join(folder, "mine"))).rejects.toThrow();
      expect(await readFile(join(folder, "mine"), "utf8")).toBe("mine");
    });

    it("fetches no copy to a disk that would have too little free space left; a link takes none", async () => {
      await store.put("a/b", chunks("the bytes"), roomy);
      const fetching = store.fetchToFile("a/b", join(folder, "local"), { minFreeBytes: Number.MAX_SAFE_INTEGER });
      if (name === "a folder") return expect(await fetching).toBe(true);
      await expect(fetching).rejects.toMatchObject({ kind: "store_full" });
      expect(await readdir(folder)).not.toContain("local");
    });

    it("stores a file, also one of another user on the same disk, and leaves no other trace of it", async () => {
      const bytes = randomBytes(3_000_000);
      const path = join(folder, "made");
      await writeFile(path, bytes, { mode: 0o644 });
      if (process.getuid?.() === 0) await chown(path, 65_534, 65_534);
      await expect(store.putFile("a/b", path, { maxBytes: 100 })).rejects.toMatchObject({ kind: "too_large" });
      expect(await keysIn(store)).toEqual([]);
      await writeFile(path, bytes);
      const result = await store.putFile("a/b", path, roomy);
      expect(result).toEqual({ sizeBytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") });
      // Whatever is written at the path later is not stored.
      await writeFile(path, "something else");
      expect((await buffer((await store.get("a/b"))!.stream)).equals(bytes)).toBe(true);
      await expect(store.putFile("a/b", path, { ...roomy, signal: AbortSignal.abort() })).rejects.toThrow();
      expect(await keysIn(store)).toEqual(["a/b"]);
      expect(await removeUnfinished(store, 0)).toBe(0);
    });

    const badKeys = [
      "",
      "/",
      "/a",
      "a/",
      "a//b",
      ".",
      "..",
      "a/../b",
      "a/./b",
      "a\\b",
      "a\0b",
      "a b",
      "é",
      "a:b",
      "x".repeat(201),
    ];
    badKeys.push(`${"a/".repeat(300)}a`);
    it("rejects a bad key in every call, and stores nothing", async () => {
      for (const key of badKeys) {
        const calls = [
          store.put(key, chunks("x"), roomy),
          store.get(key),
          store.delete(key),
          store.deletePrefix(key),
          store.fetchToFile(key, join(folder, "x")),
        ];
        for (const it of await Promise.allSettled(calls))
          expect([key, it]).toMatchObject([key, { status: "rejected", reason: { kind: "invalid_key" } }]);
      }
      expect(await keysIn(store)).toEqual([]);
    });
  });
}
