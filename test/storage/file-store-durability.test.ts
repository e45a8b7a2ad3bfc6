import type { FileHandle } from "node:fs/promises";
import { relative } from "node:path";
import { Readable } from "node:stream";
import { expect, it, jest } from "@jest/globals";

/** The steps that make an object durable, in order: syncs of files and folders, and changes of names. */
const events: string[] = [];
let root = "";
const named = (path: unknown) => relative(root, String(path)).replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, "ID") || ".";

const real = await import("node:fs/promises");
jest.unstable_mockModule("node:fs/promises", () => ({
  ...real,
  async open(...args: Parameters<typeof real.open>): Promise<FileHandle> {
    const handle = await real.open(...args);
    const sync = handle.sync.bind(handle);
    return Object.assign(handle, {
      sync: async () => {
        await sync();
        events.push(`flush ${named(args[0])}`);
      },
    });
  },
  async rename(from: string, to: string) {
    await real.rename(from, to);
    events.push(`rename to ${named(to)}`);
  },
}));
const { createFileStore } = await import("../../src/storage/file-store.ts");
const { temporaryFolder } = await import("../support/media.ts");

it("the file store names an object after syncing its bytes, and syncs the name before the put resolves", async () => {
  await using folder = await temporaryFolder();
  root = folder.path;
  const store = createFileStore(root);
  await store.put("videos/first", Readable.from([Buffer.from("first")]), { maxBytes: 100 });
  events.length = 0;
  await store.put("videos/second", Readable.from([Buffer.from("second")]), { maxBytes: 100 });
  expect(events).toEqual(["flush incoming/ID", "rename to objects/videos/second", "flush objects/videos"]);
  events.length = 0;
  await real.writeFile(`${root}/made`, "third");
  await store.putFile("videos/third", `${root}/made`, { maxBytes: 100 });
  const renamed = ["rename to incoming/ID", "flush incoming/ID", "rename to objects/videos/third"];
  expect(events).toEqual([...renamed, "flush objects/videos"]);
});
