import { createReadStream } from "node:fs";
import { mkdir, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import { findEngine } from "../../src/media/engine.ts";
import { makeResult } from "../../src/video-uploads/worker/make-result.ts";
import { makeClip, temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";
import { mountSmallDisk } from "../support/small-disk.ts";

const idle = {
  attemptFolder: "upload/1",
  budget: { minFreeBytes: 0, quotaBytes: Infinity },
  progress: { stage: "probing", percent: 0 },
  limits: {},
  checkLane: () => undefined,
  signal: new AbortController().signal,
};

/** The files in a folder that this process has open. */
async function openFiles(folder: string): Promise<string[]> {
  const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return (await Promise.all(links)).filter((it) => it.startsWith(folder));
}

it("an original with other bytes than the uploaded file is not processed", async () => {
  await using scratch = await temporaryFolder();
  const objects = createFileStore(join(scratch.path, "store"));
  await objects.put("upload/original", Readable.from([Buffer.from("other bytes")]), { maxBytes: 100 });
  const folder = join(scratch.path, "work");
  await mkdir(folder);
  const context = { ...idle, objects, engine: findEngine({ mode: "auto" }), folder };
  const making = makeResult(context, { objectKey: "upload/original", sha256: "0".repeat(64) });
  await expect(making).rejects.toMatchObject({
    code: "internal_error",
    retryable: true,
    cause: { message: expect.stringContaining("has the SHA-256") },
  });
  expect(await readdir(folder)).toEqual(["original"]);
});

itNeeds("mount", "a result that does not fit in a store on another disk leaves no file open", async () => {
  await using scratch = await temporaryFolder();
  await using disk = await mountSmallDisk(8 * 1024 * 1024);
  const [root, folder] = [join(disk.path, "store"), join(scratch.path, "work")];
  await mkdir(folder);
  const clip = createReadStream(await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "mp4" }));
  const { sha256 } = await createFileStore(root).put("upload/original", clip, { maxBytes: 1e6 });
  const context = {
    objects: createFileStore(root, Number.MAX_SAFE_INTEGER),
    engine: findEngine({ mode: "auto" }),
    folder,
    ...idle,
  };
  const original = { objectKey: "upload/original", sha256 };
  await expect(makeResult(context, original)).rejects.toMatchObject({ kind: "store_full" });
  expect([...(await openFiles(scratch.path)), ...(await openFiles(disk.path))]).toEqual([]);
});
