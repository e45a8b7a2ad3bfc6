import { StorageFailure } from "./object-store.ts";

const FULL = ["ENOSPC", "EDQUOT"];
/** Too many open files, in this process or on this machine. */
const BUSY = ["EMFILE", "ENFILE"];
/** The file system is read-only, belongs to another user, is broken or not mounted, or has a file instead of a folder. */
const REFUSED = ["EROFS", "EACCES", "EPERM", "EIO", "ENXIO", "ENODEV", "ESTALE", "ENOTCONN", "EHOSTDOWN", "ENOTDIR", "ENOENT"];
/** System calls on an open file: their errors have no path. */
const ON_OPEN_FILES = ["write", "fsync", "fstat", "close"];

/** Translates an error of the file system below `rootDir` into a StorageFailure. Returns every other error. */
export function asStorageFailure(rootDir: string, error: unknown): unknown {
  const { code = "", path, syscall = "", message } = (error ?? {}) as NodeJS.ErrnoException;
  // Reading the source can fail, too: a file elsewhere, or the connection of a client.
  const isOwn = path === undefined ? ON_OPEN_FILES.includes(syscall) : path.startsWith(rootDir) || rootDir.startsWith(path);
  if (!isOwn) return error;
  if (FULL.includes(code)) return new StorageFailure("store_full", "the object store has no space left", { cause: error });
  if (BUSY.includes(code)) return new StorageFailure("unavailable", message, { cause: error });
  return REFUSED.includes(code) ? new StorageFailure("refused", message, { cause: error }) : error;
}
