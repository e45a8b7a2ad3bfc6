import { DatabaseSync } from "node:sqlite";

/** Held until the process ends, `release`, or the end of the block that is `using` it. */
export type ProcessLock = Disposable & { release(): void };

const SQLITE_BUSY = 5;
// Without this reference, garbage collection of a handle would release its lock.
const held = new Set<DatabaseSync>();

/**
 * Takes an exclusive lock on the file `path`; null if anything holds or shares it, this process included. It is SQLite's
 * lock on an empty database: the kernel releases it when its holder dies, however it dies, so a lock is never stale.
 */
export function tryLock(path: string): ProcessLock | null {
  return acquire(path, "BEGIN EXCLUSIVE");
}

/** Takes a shared lock on the file `path`; null if another holder has it exclusively. */
export function tryShareLock(path: string): ProcessLock | null {
  // SQLite takes the lock with the first read, and keeps it until the transaction ends.
  return acquire(path, "BEGIN; SELECT count(*) FROM sqlite_schema");
}

function acquire(path: string, statement: string): ProcessLock | null {
  const file = new DatabaseSync(path);
  try {
    // Nothing is ever written, so no journal file is needed beside it.
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
