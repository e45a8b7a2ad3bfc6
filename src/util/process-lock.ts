import { DatabaseSync } from "node:sqlite";

/** Held until the process ends, `release`, or the end of the block that is `using` it. */
export type ProcessLock = Disposable & { release(): void };

const SQLITE_BUSY = 5;
// Without this reference, the garbage collection of a handle would release its lock.
const held = new Set<DatabaseSync>();

/**
 * Takes a lock on the file `path`. Returns null if there is an exclusive lock on it, even one of this process, or if `mode`
 * is exclusive and there is any lock. This is SQLite's lock on an empty database: the kernel releases it when its process
 * ends, even after a crash, so a lock is never stale.
 */
export function tryLock(path: string, mode: "exclusive" | "shared" = "exclusive"): ProcessLock | null {
  const file = new DatabaseSync(path);
  // SQLite takes a shared lock with the first read, and keeps it until the transaction ends.
  const statement = mode === "exclusive" ? "BEGIN EXCLUSIVE" : "BEGIN; SELECT count(*) FROM sqlite_schema";
  try {
    // Nothing is written to the database, so no journal file is needed.
    file.exec(`PRAGMA journal_mode = MEMORY; ${statement}`);
  } catch (error) {
    file.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  held.add(file);
  const release = () => {
    if (held.delete(file)) file.close();
  };
  return { release, [Symbol.dispose]: release };
}
