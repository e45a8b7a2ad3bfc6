import { DatabaseSync } from "node:sqlite";

/** Held until the process ends, or `release`. */
export type ProcessLock = { release(): void };

const SQLITE_BUSY = 5;
// Without a reference from here, garbage collection of a forgotten handle would let go of its lock.
const held = new Set<DatabaseSync>();

/**
 * Takes the lock of the file `path` for this process alone; null when somebody holds or shares it, be it this very
 * process. It is SQLite's lock on an empty database: the kernel lets go of it when its holder dies, however it dies, so
 * that there is never a stale lock to judge.
 */
export function tryLock(path: string): ProcessLock | null {
  return acquire(path, "BEGIN EXCLUSIVE");
}

/** Takes the lock of the file `path` together with whoever else shares it; null when somebody holds it alone. */
export function tryShareLock(path: string): ProcessLock | null {
  // SQLite takes the lock with the first read, and keeps it until the transaction ends.
  return acquire(path, "BEGIN; SELECT count(*) FROM sqlite_schema");
}

function acquire(path: string, statement: string): ProcessLock | null {
  const file = new DatabaseSync(path);
  try {
    // Nothing is ever written, so there is no use for a journal, which would lie beside the file.
    file.exec(`PRAGMA journal_mode = MEMORY; ${statement}`);
  } catch (error) {
    file.close();
    if ((error as { errcode?: unknown }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  held.add(file);
  return {
    release() {
      if (held.delete(file)) file.close();
    },
  };
}
