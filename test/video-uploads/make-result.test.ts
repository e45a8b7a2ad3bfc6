import { createReadStream } from "node:fs";
import { mkdir, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { createFileStore } from "../../src/storage/file-store.ts";
import { findEngine } from "../../src/video-uploads/media/engine.ts";
import { makeResult } from "../../src/video-uploads/worker/make-result.ts";
import { makeClip, temporaryFolder } from "../support/media.ts";
import { itNeeds } from "../support/needs.ts";

/** The files in a folder that this process has open. */
async function openFiles(folder: string): Promise<string[]> {
  const links = (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ""));
  return (await Promise.all(links)).filter((it) => it.startsWith(folder));
}

itNeeds("linux", "a result that does not fit in the store leaves no file open", async () => {
  await using scratch = await temporaryFolder();
  const [root, folder] = [join(scratch.path, "store"), join(scratch.path, "work")];
  await mkdir(folder);
  const clip = createReadStream(await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "mp4" }));
  await createFileStore(root).put("upload/original", clip, { maxBytes: 1e6 });
  const workplace = {
    objects: createFileStore(root, Number.MAX_SAFE_INTEGER),
    engine: findEngine({ mode: "auto" }),
    folder,
    madeFolder: "upload/1",
    progress: { stage: "probing", percent: 0 },
    limits: {},
    admit: () => undefined,
    signal: new AbortController().signal,
  };
  await expect(makeResult(workplace, "upload/original")).rejects.toMatchObject({ kind: "store_full" });
  expect(await openFiles(scratch.path)).toEqual([]);
});
