import { DatabaseSync } from "node:sqlite";

/** A lock that is held until `release`, its disposal, or the end of the process. */
export type ProcessLock = Disposable & { release(): void };

const SQLITE_BUSY = 5;
// The garbage collection of a handle would release its lock.
const held = new Set<DatabaseSync>();

/**
 * Takes a lock on the file `path`. Returns null if a conflicting lock exists, even of this process. It is SQLite's lock on an empty database,
 * which the kernel releases when the process ends, even after a crash.
 */
export function tryLock(path: string, mode: "exclusive" | "shared" = "exclusive"): ProcessLock | null {
  const file = new DatabaseSync(path);
  // SQLite takes a shared lock with the first read, until the transaction ends.
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
