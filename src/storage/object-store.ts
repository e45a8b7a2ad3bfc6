/**
 * Where the bytes of uploads and results live. Everything else in the service speaks to this port;
 * an adapter (a folder, a bucket) is chosen in the composition root and nowhere else.
 *
 * Keys are `/`-separated segments of `[A-Za-z0-9._-]`, never `.` or `..`. No key may be the folder
 * of another key: a folder of files cannot hold both `a` and `a/b`, so no adapter is asked to.
 */
import type { Readable } from "node:stream";
import { Failure, unavailable } from "../failure.ts";

export type PutOptions = {
  /** The put fails with `too_large` as soon as more than this many bytes are known to come. */
  readonly maxBytes: number;
  /** How many bytes will come, if that is known: then a store without room for them refuses at once. */
  readonly expectedBytes?: number | undefined;
  /** Aborting it makes the put fail and leave nothing behind. */
  readonly signal?: AbortSignal | undefined;
};

type FetchOptions = {
  /** Aborting it makes the fetch fail and leave no file behind. */
  readonly signal?: AbortSignal | undefined;
  /** The fetch fails with `unavailable` when no byte has come for so long; half a minute unless said otherwise. */
  readonly silenceMaxMs?: number;
};

export type PutResult = { readonly sizeBytes: number; readonly sha256: string };

/** Both ends are inclusive, as in HTTP; an `end` past the last byte means the last byte. */
export type ByteRange = { readonly start: number; readonly end: number };

/** The caller reads `stream` to its end or destroys it. `sizeBytes` is the size of the whole object. */
export type OpenObject = { readonly stream: Readable; readonly sizeBytes: number };

/** `modifiedAt` is when the put was finished or, of a long put, when it began. */
export type ListedObject = { readonly key: string; readonly sizeBytes: number; readonly modifiedAt: Date };

export type ObjectStore = {
  /**
   * Stores the source under the key with flat memory; when it resolves, the bytes are durable.
   * Replaces an older object of that key at once. A put that fails leaves nothing under the key
   * that was not there before. `sha256` is in lower-case hex.
   * When it fails it leaves the source by calling `return()`, which destroys a stream: a request that is
   * still to be answered is handed in as `request.iterator({ destroyOnReturn: false })`.
   */
  put(key: string, source: AsyncIterable<Uint8Array>, options: PutOptions): Promise<PutResult>;

  /**
   * Stores a few bytes under a key that must be new; false, and nothing done, when there is an object. Of several
   * at once one wins, unless the store cannot promise that (some servers that speak S3): then the last one does.
   */
  create(key: string, bytes: Uint8Array): Promise<boolean>;

  /** Opens an object, or a range of it; null when there is none, `invalid_range` when no byte is in the range. */
  get(key: string, range?: ByteRange): Promise<OpenObject | null>;

  /** Removes an object; content when there is none. */
  delete(key: string): Promise<void>;

  /** Removes every object whose key begins with `prefix` + `/`. The prefix is one or more whole segments. */
  deletePrefix(prefix: string): Promise<void>;

  /** Every object whose key begins with `prefix` + `/` (all with an empty prefix), in no promised order. */
  list(prefix: string): AsyncIterable<ListedObject>;

  /**
   * Makes an object available as a file at `path`, which must not exist yet; false when there is no such
   * object. The file may share its bytes with the store: it is to be read, never written.
   */
  fetchToFile(key: string, path: string, options?: FetchOptions): Promise<boolean>;

  /** Removes what puts of killed processes left unfinished and untouched for so long; says how many. */
  removeUnfinished(olderThanMs: number): Promise<number>;
};

/** `unavailable`: the store does not answer just now, and the same call may succeed later. */
type Kind = "too_large" | "store_full" | "invalid_key" | "invalid_range" | "unavailable";

/** A failure the caller is meant to tell apart. Everything else an adapter throws is unexpected. */
export class StorageFailure extends Error {
  readonly kind: Kind;

  constructor(kind: Kind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StorageFailure";
    this.kind = kind;
  }
}

/** What an error of the object store means to a client; null for a defect and for an error of another layer. */
export function storageFailure(error: unknown): Failure | null {
  if (!(error instanceof StorageFailure)) return null;
  if (error.kind === "store_full")
    return new Failure("unavailable", "There is no room for videos at the moment. Try again later.", {
      retryAfterSeconds: 60,
      cause: error,
    });
  return error.kind === "unavailable" ? unavailable(error) : null;
}

/** What an adapter finds, or null where the error says that nothing is there. */
export async function orNull<T>(found: Promise<T>, isMissing: (error: unknown) => boolean): Promise<T | null> {
  return found.catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

const SEGMENT = /^[A-Za-z0-9._-]{1,200}$/;
const KEY_MAX_LENGTH = 512;

/** Throws `invalid_range` for a range that no object has. Every adapter calls it before it looks for the object. */
export function checkRange({ start, end }: ByteRange): void {
  const valid = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end;
  if (!valid) throw new StorageFailure("invalid_range", `not a range of bytes: ${start}-${end}`);
}

export function isKey(text: string): boolean {
  return text.length <= KEY_MAX_LENGTH && text.split("/").every((it) => SEGMENT.test(it) && it !== "." && it !== "..");
}

/** The segments of a key; throws `invalid_key` when it is not one. Every adapter calls it first. */
export function keySegments(key: string): string[] {
  if (!isKey(key)) throw new StorageFailure("invalid_key", `not an object key: ${JSON.stringify(key.slice(0, 100))}`);
  return key.split("/");
}
