import type { Db } from "../../database/client.ts";
import { addRunningTime, type VideoUploadRow } from "../store.ts";

/** The most running time that is lost if the worker is killed. */
const WRITE_MS = 5_000;

/** Counts the running time of an attempt until the end of the scope. After a failed write, the next one includes the time. */
export function countRunningTime(db: Db, { id, ownerId }: VideoUploadRow): AsyncDisposable {
  let countedMs = performance.now();
  const write = async (): Promise<void> => {
    const nowMs = performance.now();
    try {
      await addRunningTime(db, { id, ownerId, seconds: (nowMs - countedMs) / 1_000 });
      countedMs = nowMs;
    } catch {
      // The database does not respond.
    }
  };
  let written = Promise.resolve();
  const timer = setInterval(() => void (written = written.then(write)), WRITE_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await written.then(write);
    },
  };
}
