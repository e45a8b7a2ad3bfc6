import { setTimeout as delay } from "node:timers/promises";
import type { Db } from "../../database/client.ts";
import type { VideoUploadRow } from "../store.ts";
import { addRunningTime } from "./running-store.ts";

/** How much of the running time is lost if the worker is killed. */
const WRITE_MS = 5_000;

/** Counts the running time of an attempt until the end of its scope. What can't be written yet is written with the next part. */
export function countRunningTime(db: Db, upload: VideoUploadRow) {
  const over = new AbortController();
  let countedMs = performance.now();
  const counted = count();
  return {
    async [Symbol.asyncDispose]() {
      over.abort();
      await counted;
      await write();
    },
  };

  async function count(): Promise<void> {
    for (;;) {
      await delay(WRITE_MS, undefined, { signal: over.signal }).catch(() => undefined);
      if (over.signal.aborted) return;
      await write();
    }
  }

  async function write(): Promise<void> {
    const nowMs = performance.now();
    try {
      await addRunningTime(db, upload, (nowMs - countedMs) / 1_000);
      countedMs = nowMs;
    } catch {
      // The database does not respond.
    }
  }
}
