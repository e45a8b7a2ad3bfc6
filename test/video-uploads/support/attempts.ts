/** Runs attempts at videos in the process of a test, so that it decides what happens in the middle of one. */
import { join } from "node:path";
import { pino } from "pino";
import type { Execution } from "../../../src/jobs/job.ts";
import { createFileStore } from "../../../src/storage/file-store.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import type { Payload } from "../../../src/video-uploads/jobs.ts";
import { createStorageQuota } from "../../../src/video-uploads/objects/storage-quota.ts";
import { runAttempt, type AttemptEnv } from "../../../src/video-uploads/worker/attempt.ts";
import { loadResultCheck } from "../../../src/video-uploads/worker/result-check.ts";
import type { Body } from "../../support/client.ts";
import { anyEngine } from "../../support/media.ts";
import type { TestService } from "../../support/service.ts";

export type Changes = {
  readonly quotaBytes?: number;
  /** The methods of the object store that differ. */
  readonly changed?: (store: ObjectStore) => Partial<ObjectStore>;
  readonly env?: Partial<AttemptEnv>;
  readonly execution?: Partial<Execution>;
  readonly payload?: Partial<Payload>;
};

/** Runs an attempt, by default the first one, and returns how it ends the job. */
export async function attemptAt(
  { db, dataDir }: Pick<TestService, "db" | "dataDir">,
  job: Body,
  { quotaBytes = 1e9, changed = () => ({}), env = {}, execution: changes, payload }: Changes = {},
): Promise<unknown[]> {
  const store = createFileStore(join(dataDir, "objects"));
  const ends: unknown[] = [];
  const execution: Execution = {
    ...{ id: job.id, attempt: 1, attemptsMax: 3, lane: 0 },
    signal: new AbortController().signal,
    stopping: new AbortController().signal,
    complete: async () => void ends.push("completed"),
    putBack: async (_tx, change) => void ends.push(change),
    retry: async () => void ends.push("retried"),
    ...changes,
  };
  const parts: AttemptEnv = {
    ...{ db, objects: { ...store, ...changed(store) }, engine: anyEngine(), checkResult: loadResultCheck() },
    ...{ quota: createStorageQuota(db, quotaBytes), scratchDir: join(dataDir, "scratch") },
    ...{ minFreeBytes: 0, keepOriginals: false, budgetSeconds: 1e6, log: pino({ level: "silent" }) },
    ...env,
  };
  await runAttempt(parts, { videoUploadId: job.id, ...payload }, execution);
  return ends;
}
