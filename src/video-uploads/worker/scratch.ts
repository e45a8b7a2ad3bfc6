import { existsSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Logger } from "pino";
import { makeFolder } from "../../util/make-folder.ts";
import { tryLock, type ProcessLock } from "../../util/process-lock.ts";
import { UUID_PATTERN } from "../../util/uuid.ts";
import type { Fence } from "../store.ts";

const NAME = new RegExp(`^${UUID_PATTERN}-\\d+(?=\\.lock$|$)`);
/** An older folder without a lock file is removed. A younger one may not have its lock yet. */
const UNLOCKED_MAX_MS = 24 * 3600 * 1_000;
const LOCK_ATTEMPTS = 5;

/** The scratch folder of one attempt. No other process removes it while the attempt runs. */
export type Scratch = { readonly path: string; remove(): Promise<void> };

export function scratchOf(scratchDir: string, { videoUploadId, attempt }: Fence): string {
  return join(scratchDir, `${videoUploadId}-${attempt}`);
}

/** Creates the folder of an attempt, and locks its lock file. The kernel releases the lock when this process dies. */
export async function openScratch(scratchDir: string, attempt: Fence): Promise<Scratch> {
  const path = scratchOf(scratchDir, attempt);
  for (let tried = 0; tried < LOCK_ATTEMPTS; tried++) {
    await makeFolder(path);
    const lock = tryLock(lockOf(path));
    // A concurrent cleanup may just have removed the lock file. Then the lock has no effect.
    if (lock !== null && existsSync(lockOf(path))) return { path, remove: () => remove(path, lock) };
    lock?.release();
  }
  throw new Error(`Another process is at work in ${path}.`);
}

/** Removes the folder of an attempt unless a live process uses it. */
export async function removeIfAbandoned(path: string): Promise<void> {
  if (existsSync(lockOf(path))) {
    const lock = tryLock(lockOf(path));
    if (lock !== null) await remove(path, lock);
    return;
  }
  const entry = await stat(path).catch(() => null);
  if (entry !== null && Date.now() - entry.mtimeMs > UNLOCKED_MAX_MS) await rm(path, { recursive: true, force: true });
}

/** Removes the folders of killed workers, for any database. Only logs an error. */
export async function removeAbandonedScratch({
  scratchDir,
  log,
}: {
  readonly scratchDir: string;
  readonly log: Logger;
}): Promise<void> {
  try {
    const names = (await readdir(scratchDir)).flatMap((name) => NAME.exec(name)?.[0] ?? []);
    for (const name of new Set(names)) await removeIfAbandoned(join(scratchDir, name));
  } catch (error) {
    log.warn({ err: error }, "abandoned scratch folders could not be removed");
  }
}

const lockOf = (path: string) => `${path}.lock`;

async function remove(path: string, lock: ProcessLock): Promise<void> {
  using _ = lock;
  await rm(path, { recursive: true, force: true });
  await rm(lockOf(path), { force: true });
}
