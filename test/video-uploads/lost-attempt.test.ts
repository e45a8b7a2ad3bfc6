import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { pino } from "pino";
import type { Execution } from "../../src/jobs/job.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import type { ObjectStore } from "../../src/storage/object-store.ts";
import { findEngine } from "../../src/media/engine.ts";
import { createStorageQuota } from "../../src/video-uploads/objects/storage-quota.ts";
import { beginAttempt } from "../../src/video-uploads/store.ts";
import { runAttempt } from "../../src/video-uploads/worker/attempt.ts";
import { loadResultCheck } from "../../src/video-uploads/worker/result-check.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { smallClip, storedFiles, upload, uploadPath } from "../support/videos.ts";

const service = prepare(() => startTestService({ ROLE: "api" }));

it("an attempt that loses its upload in its last step ends no job, notifies no user, and deletes only its own files", async () => {
  const ada = await service.as();
  const job = await upload(ada, await smallClip());
  const store = createFileStore(join(service.dataDir, "objects"));
  const folder = `video-uploads/${job.id}`;
  const objects: ObjectStore = {
    ...store,
    /** The sprite is stored last. After it, a second attempt begins and stores a file. */
    async putFile(key, path, options) {
      const stored = await store.putFile(key, path, options);
      if (!key.endsWith("/sprite.jpg")) return stored;
      expect(await beginAttempt(service.db, { videoUploadId: job.id, attempt: 2 }, "probing")).toMatchObject({ attempt: 2 });
      await store.create(`${folder}/2/480p.mp4`, Buffer.from("a rendition"));
      return stored;
    },
  };
  const ends: string[] = [];
  const execution: Execution = {
    id: job.id,
    attempt: 1,
    attemptsMax: 3,
    lane: 0,
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    complete: async () => void ends.push("completed"),
    putBack: async () => void ends.push("put back"),
    retry: async () => void ends.push("retried"),
  };
  const env = {
    db: service.db,
    objects,
    engine: findEngine({ mode: "auto" }),
    checkResult: loadResultCheck(),
    scratchDir: join(service.dataDir, "scratch"),
    quota: createStorageQuota(service.db, 1e9),
    minFreeBytes: 0,
    keepOriginals: false,
    budgetSeconds: 60,
    log: pino({ level: "silent" }),
  };
  await runAttempt(env, { videoUploadId: job.id }, execution);

  expect(ends).toEqual([]);
  const { body } = await ada("GET", uploadPath(job));
  expect(body).toMatchObject({ status: "processing", attempt: 2, result: null, error: null, finished_at: null });
  expect((await ada("GET", "/notifications")).body.data).toEqual([]);
  expect(await storedFiles(service)).toEqual([`objects/objects/${folder}/2/480p.mp4`, `objects/objects/${folder}/original`]);
});
