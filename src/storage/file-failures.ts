import { StorageFailure, type ObjectStore } from "./object-store.ts";

/** The same store, with StorageFailures in place of errors of the file system below `rootDir`. */
export function inStorageFailures(rootDir: string, store: ObjectStore): ObjectStore {
  const fail = (error: unknown): never => {
    throw asStorageFailure(rootDir, error);
  };
  return {
    ...store,
    put: (...given) => store.put(...given).catch(fail),
    extend: (...given) => store.extend(...given).catch(fail),
    putFile: (...given) => store.putFile(...given).catch(fail),
    create: (...given) => store.create(...given).catch(fail),
    get: (...given) => store.get(...given).catch(fail),
    delete: (...given) => store.delete(...given).catch(fail),
    deletePrefix: (...given) => store.deletePrefix(...given).catch(fail),
    list: (...given) => translated(store.list(...given), fail),
    listUnfinished: (...given) => translated(store.listUnfinished(...given), fail),
    fetchToFile: (...given) => store.fetchToFile(...given).catch(fail),
    checkAccess: (...given) => store.checkAccess(...given).catch(fail),
    removeUnfinished: (...given) => store.removeUnfinished(...given).catch(fail),
  };
}

async function* translated<T>(items: AsyncIterable<T>, fail: (error: unknown) => never): AsyncIterable<T> {
  try {
    yield* items;
  } catch (error) {
    fail(error);
  }
}

const FULL = ["ENOSPC", "EDQUOT"];
/** Too many open files, in this process or on this machine. */
const BUSY = ["EMFILE", "ENFILE"];
/** The file system is read-only, belongs to another user, is broken or away, or has a file in place of a folder. */
const REFUSED = ["EROFS", "EACCES", "EPERM", "EIO", "ENXIO", "ENODEV", "ESTALE", "ENOTCONN", "EHOSTDOWN", "ENOTDIR", "ENOENT"];
/** Calls on an open file, whose errors have no path. */
const ON_OPEN_FILES = ["write", "fsync", "fstat", "close"];

function asStorageFailure(rootDir: string, error: unknown): unknown {
  const { code = "", path, syscall = "", message } = (error ?? {}) as NodeJS.ErrnoException;
  // What is stored can come from a file elsewhere or from a client, and fail, too.
  const isOwn = path === undefined ? ON_OPEN_FILES.includes(syscall) : path.startsWith(rootDir) || rootDir.startsWith(path);
  if (!isOwn) return error;
  if (FULL.includes(code)) return new StorageFailure("store_full", "the object store has no room left", { cause: error });
  if (BUSY.includes(code)) return new StorageFailure("unavailable", message, { cause: error });
  return REFUSED.includes(code) ? new StorageFailure("refused", message, { cause: error }) : error;
}
