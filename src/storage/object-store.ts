/** The port to the object store. Keys are `/`-separated segments of `[A-Za-z0-9._-]`. No key may be the folder of another one. */
import type { Hash } from "node:crypto";
import type { Readable } from "node:stream";
import { Failure, unavailable } from "../failure.ts";

export type PutOptions = {
  /** The put fails with `too_large` as soon as the source has more than this many bytes. */
  readonly maxBytes: number;
  /** The size of the source, if known. A store without enough free space fails at once. */
  readonly expectedBytes?: number | undefined;
  /** Called with each chunk before it is stored, and the number of bytes up to its end. Throws to refuse the rest. */
  readonly check?: (chunk: Uint8Array, bytes: number) => Promise<void>;
  /** Aborting it makes the put fail with the next chunk, and leave nothing behind. */
  readonly signal?: AbortSignal | undefined;
  /** Frees the memory of each chunk after it is written. Nothing else may read the chunks then. */
  readonly freesChunks?: boolean;
  /** Whether the bytes come from a client. A video that is joined from pieces is a copy and doesn't count again in the metrics. */
  readonly countsAsUpload?: boolean;
  /** A SHA-256 of earlier bytes, to continue: `sha256` of the result covers them and this source. */
  readonly hash?: Hash;
};

export type FetchOptions = {
  /** Aborting it makes the fetch fail and leave no file behind. */
  readonly signal?: AbortSignal | undefined;
  /** The fetch fails with `unavailable` after this time without a byte; 30 s by default. */
  readonly silenceMaxMs?: number;
  /** If the fetch makes a copy, it fails with `store_full` if fewer bytes would stay free on the disk of `path`. */
  readonly minFreeBytes?: number;
};

export type PutResult = { readonly sizeBytes: number; readonly sha256: string };

/** Both ends are inclusive, as in HTTP. An `end` past the last byte means the last byte. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Read `stream` to its end, or destroy it. `sizeBytes` is the size of the whole object. */
export type OpenObject = { readonly stream: Readable; readonly sizeBytes: number };

/** `modifiedAt` is the end of the put; for a multipart upload to S3, it can be the beginning. */
export type ListedObject = { readonly key: string; readonly sizeBytes: number; readonly modifiedAt: Date };

/** `remove` resolves to false if the put has finished or was removed. */
export type UnfinishedPut = { readonly endsAt: Date; remove(): Promise<boolean> };

/** Retention of deleted objects by the store itself. */
export type OldVersions =
  | { readonly stay: "never" | "for ever" }
  | { readonly stay: "days"; readonly days: number }
  | { readonly stay: "unknown"; readonly reason: string };

export type ObjectStore = {
  /** How long to retain the objects of a deleted upload, so that a backup in progress finds them. 0: not at all. */
  readonly retainDeletedMs: number;

  /**
   * Stores the source atomically and durably. After a failure, the key is unchanged, and the source is closed (`return()`).
   * `sha256` is lower-case hex.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult>;

  /**
   * Replaces the bytes after the first `sizeBytes`, which stay in any case. Null if there is no object or it can't be extended.
   * Not concurrently.
   */
  extend(key: string, sizeBytes: number, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult | null>;

  /**
   * Stores a file of this machine, like `put`. Can move it away from `path`. The program that has written it can't change the
   * object.
   */
  putFile(key: string, path: string, options: PutOptions): Promise<PutResult>;

  /**
   * Stores a few bytes under a new key, or returns false. Some S3-compatible servers let the last one of concurrent calls
   * overwrite the others.
   */
  create(key: string, bytes: Uint8Array): Promise<boolean>;

  /** Opens an object or a range of it. Null if there is none; fails with `invalid_range` if no byte is in the range. */
  get(key: string, range?: ByteRange): Promise<OpenObject | null>;

  /** Deletes an object, if it exists. */
  delete(key: string): Promise<void>;

  /** Deletes the object `prefix` and all objects below `prefix` + `/`. The prefix is one or more whole segments. */
  deletePrefix(prefix: string): Promise<void>;

  /** Lists all objects below `prefix` + `/`, or all objects for an empty prefix, in any order. */
  list(prefix: string): AsyncIterable<ListedObject>;

  /** Makes an object available as a new file. Returns false without an object. Don't write to the file: it may be a hard link. */
  fetchToFile(key: string, path: string, options?: FetchOptions): Promise<boolean>;

  /** Fails with `refused` if a put below the prefix would fail, as far as a quick check without a write can find out. */
  checkAccess(prefix: string): Promise<void>;

  /** Whether the store itself retains deleted objects, as a bucket with versioning does. */
  findOldVersions(): Promise<OldVersions>;

  /** Lists unfinished puts. `endsAt` is this long after the last change. */
  listUnfinished(olderThanMs: number): AsyncIterable<UnfinishedPut>;
};

/** Removes unfinished puts that have not changed for this long: their processes were killed. Returns their number. */
export async function removeUnfinished(store: ObjectStore, olderThanMs: number): Promise<number> {
  let removed = 0;
  for await (const put of store.listUnfinished(olderThanMs))
    if (put.endsAt.getTime() <= Date.now() && (await put.remove())) removed += 1;
  return removed;
}

/** `unavailable`: the same call may succeed later. `refused`: the service lacks permission, until an operator fixes it. */
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

/** Maps an error of the object store to the failure for the client. Null for a defect or an error of another layer. */
export function storageFailure(error: unknown): Failure | null {
  if (!(error instanceof StorageFailure)) return null;
  if (error.kind === "store_full")
    return new Failure("unavailable", "There is no space for videos at the moment. Try again later.", {
      retryAfterSeconds: 60,
      cause: error,
    });
  return error.kind === "unavailable" || error.kind === "refused" ? unavailable(error) : null;
}

/** Resolves to null if the error means that nothing exists. */
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
