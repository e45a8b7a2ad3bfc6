/**
 * The port to the store for the bytes of uploads and results. The rest of the service uses only this port;
 * `openObjectStore` chooses the adapter (a folder or a bucket).
 *
 * Keys are `/`-separated segments of `[A-Za-z0-9._-]`, never `.` or `..`. No key may be the folder of another key, because a
 * file system cannot hold both files `a` and `a/b`.
 */
import type { Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { Failure, unavailable } from "../failure.ts";

export type PutOptions = {
  /** The put fails with `too_large` as soon as the source has more than this many bytes. */
  readonly maxBytes: number;
  /** The size of the source, if known. A store without room for it fails at once. */
  readonly expectedBytes?: number | undefined;
  /** Sees each chunk before it is stored, with the number of bytes up to its end. Throws to refuse the rest. */
  readonly check?: (chunk: Uint8Array, bytes: number) => Promise<void>;
  /** Aborting it makes the put fail with the next chunk, and leave nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /** Lets the store free the memory of each chunk once it is written, so nothing else may read the chunks then. */
  readonly freesChunks?: boolean;
  /** A SHA-256 that has seen earlier bytes. It sees the bytes of this source as well, and `sha256` of the result is of them all. */
  readonly hash?: Hash;
};

export type FetchOptions = {
  /** Aborting it makes the fetch fail and leave no file behind. */
  readonly signal?: AbortSignal | undefined;
  /** The fetch fails with `unavailable` if no byte arrives for this long; 30 s by default. */
  readonly silenceMaxMs?: number;
  /** If the file is a copy, the fetch fails with `store_full` before it leaves less than this on the disk of `path`. */
  readonly minFreeBytes?: number;
};

export type PutResult = { readonly sizeBytes: number; readonly sha256: string };

/** Both ends are inclusive, as in HTTP. An `end` past the last byte means the last byte. */
export type ByteRange = { readonly start: number; readonly end: number };

/** The caller reads `stream` to its end or destroys it. `sizeBytes` is the size of the whole object. */
export type OpenObject = { readonly stream: Readable; readonly sizeBytes: number };

/** `modifiedAt` is the end of the put; for a multipart upload to S3, it can be the beginning. */
export type ListedObject = { readonly key: string; readonly sizeBytes: number; readonly modifiedAt: Date };

/** `remove` resolves to false if it is finished or gone by then. */
export type UnfinishedPut = { readonly endsAt: Date; remove(): Promise<boolean> };

/** What becomes of the bytes of a removed object. */
export type OldVersions =
  | { readonly stay: "never" | "for ever" }
  | { readonly stay: "days"; readonly days: number }
  | { readonly stay: "unknown"; readonly reason: string };

export type ObjectStore = {
  /** How long an object stays after its upload was deleted, so that a backup in progress finds it. 0: not at all. */
  readonly keepDeletedMs: number;

  /**
   * Stores the source under the key, with constant memory. When it resolves, the bytes are durable, and they have replaced
   * an older object of that key atomically. When it fails, the key is as it was before. `sha256` is in lower-case hex.
   * A put that fails calls `return()` of the source, which destroys a stream. To keep a request open for its response, pass
   * `request.iterator({ destroyOnReturn: false })`.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult>;

  /**
   * Adds the source to an object after its first `sizeBytes` bytes, in place of what follows them. These first bytes stay,
   * whatever happens. When it resolves, the added bytes are durable. Killed before, it can leave any part of them. Returns null
   * and reads nothing if there is no such object, or if the objects of this store can't grow. Don't extend an object twice at once.
   */
  extend(key: string, sizeBytes: number, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult | null>;

  /**
   * Stores a file of this machine, like `put`. It can take the file away from `path`, so that there is no second copy, and whoever
   * has made the file can't change what is stored.
   */
  putFile(key: string, path: string, options: PutOptions): Promise<PutResult>;

  /**
   * Stores a few bytes under a new key. Returns false and does nothing if the key has an object. Of concurrent calls one
   * wins; on an S3-compatible server without conditional writes, the last one overwrites the others.
   */
  create(key: string, bytes: Uint8Array): Promise<boolean>;

  /** Opens an object or a range of it. Null if there is none; fails with `invalid_range` if no byte is in the range. */
  get(key: string, range?: ByteRange): Promise<OpenObject | null>;

  /** Removes an object, if there is one. */
  delete(key: string): Promise<void>;

  /** Removes the object `prefix` and every object whose key begins with `prefix` + `/`. The prefix is one or more whole segments. */
  deletePrefix(prefix: string): Promise<void>;

  /** Lists every object whose key begins with `prefix` + `/`, or all for an empty prefix, in any order. */
  list(prefix: string): AsyncIterable<ListedObject>;

  /**
   * Makes an object available as a file at `path`, which must not exist. Returns false if there is no such object. Don't
   * write to the file, because it may share its bytes with the store.
   */
  fetchToFile(key: string, path: string, options?: FetchOptions): Promise<boolean>;

  /** Fails with `refused` if a put below the prefix would fail, as far as can be told at once and without a write. */
  checkAccess(prefix: string): Promise<void>;

  /** Whether the store itself keeps the bytes of removed objects, as a bucket with versioning does. */
  findOldVersions(): Promise<OldVersions>;

  /** Lists unfinished puts, and when each has not changed for this long. */
  listUnfinished(olderThanMs: number): AsyncIterable<UnfinishedPut>;
};

/** Removes unfinished puts of killed processes that have not changed for this long. Returns their number. */
export async function removeUnfinished(store: ObjectStore, olderThanMs: number): Promise<number> {
  let removed = 0;
  for await (const put of store.listUnfinished(olderThanMs))
    if (put.endsAt.getTime() <= Date.now() && (await put.remove())) removed += 1;
  return removed;
}

/**
 * `unavailable`: the store does not respond now, and the same call may succeed later. `refused`: it doesn't let this service in,
 * for example a folder that can't be written or a credential without the right; that lasts until an operator mends it.
 */
type Kind = "too_large" | "store_full" | "invalid_key" | "invalid_range" | "unavailable" | "refused";

/** A failure that callers handle by its kind. Any other error of an adapter is unexpected. */
export class StorageFailure extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StorageFailure";
    this.kind = kind;
  }
}

/** The failure that a client sees for an error of the object store. Null for a defect or an error of another layer. */
export function storageFailure(error: unknown): Failure | null {
  if (!(error instanceof StorageFailure)) return null;
  if (error.kind === "store_full")
    return new Failure("unavailable", "There is no room for videos at the moment. Try again later.", {
      retryAfterSeconds: 60,
      cause: error,
    });
  return error.kind === "unavailable" || error.kind === "refused" ? unavailable(error) : null;
}

/** Resolves to null if the error means that nothing is there. */
export async function orNull<T>(found: Promise<T>, isMissing: (error: unknown) => boolean): Promise<T | null> {
  return found.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/;
const KEY_MAX_LENGTH = 512;

export function isKey(text: string): boolean {
  return text.length <= KEY_MAX_LENGTH && text.split("/").every((it) => SEGMENT.test(it) && it !== "." && it !== "..");
}

/** The segments of a key. Throws `invalid_key` if it is not a key, so every adapter calls it first. */
export function keySegments(key: string): string[] {
  if (!isKey(key)) throw new StorageFailure("invalid_key", `not an object key: ${JSON.stringify(key.slice(0, 100))}`);
  return key.split("/");
}
