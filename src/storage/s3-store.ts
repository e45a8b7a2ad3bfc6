/**
 * The object store in a bucket of Amazon S3 or an S3-compatible server. With versioning, it needs a lifecycle rule to free
 * storage.
 */
import type { ListObjectsV2CommandOutput } from "@aws-sdk/client-s3";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { bytesAt } from "./file-bytes.ts";
import { guardFreeSpace } from "./free-space.ts";
import { isKey, keySegments, orNull, StorageFailure } from "./object-store.ts";
import type { ByteRange, FetchOptions, ListedObject, ObjectStore, OpenObject } from "./object-store.ts";
import { asStorageFailure, isMissing, isNotImplemented, isTaken, openBucket, type Bucket, type S3Settings } from "./s3-bucket.ts";
import { listUnfinished, putInParts } from "./s3-multipart.ts";
import { findOldVersions } from "./s3-versions.ts";

/** Only for a fetch. A socket timeout would also end the response to a paused player. */
const SILENCE_MAX_MS = 30_000;

/** The SDK types these fields as optional, but every server sends them. */
type Listed = { readonly Key: string; readonly Size: number; readonly LastModified: Date };

/** Creates an object store in an existing bucket. Throws if the bucket cannot be read. */
export async function createS3Store(settings: S3Settings): Promise<ObjectStore> {
  const bucket = await openBucket(settings);
  return {
    retainDeletedMs: settings.retainDeletedMs ?? 0,
    ...writesTo(bucket),
    ...removalsFrom(bucket),
    get: (key, range) => get(bucket, key, range),
    fetchToFile: (key, path, options) => fetchToFile(bucket, key, path, options),
    list: (prefix) => list(bucket, prefix),
    findOldVersions: () => findOldVersions(bucket),
  };
}

const writesTo = (bucket: Bucket) =>
  ({
    put: async (key, source, options) => putInParts(bucket, bucket.at(key).Key, source, options),

    async extend(key) {
      keySegments(key);
      return null;
    },

    putFile: async (key, path, options) => putInParts(bucket, bucket.at(key).Key, bytesAt(path), options),

    async create(key, bytes) {
      const { sdk, client } = bucket;
      const target = { ...bucket.at(key), Body: bytes, ContentLength: bytes.byteLength };
      if ((await orNull(client.send(new sdk.HeadObjectCommand(bucket.at(key))), isMissing)) !== null) return false;
      try {
        await client.send(new sdk.PutObjectCommand({ ...target, IfNoneMatch: "*" }));
      } catch (error) {
        // A concurrent call has created it.
        if (isTaken(error)) return false;
        if (!isNotImplemented(error)) throw error;
        await client.send(new sdk.PutObjectCommand(target));
      }
      return true;
    },

    // Only a write could find out, and writes cost money.
    checkAccess: async () => undefined,
  }) satisfies Partial<ObjectStore>;

const removalsFrom = (bucket: Bucket) =>
  ({
    async delete(key) {
      await bucket.client.send(new bucket.sdk.DeleteObjectCommand(bucket.at(key)));
    },

    async deletePrefix(prefix) {
      const { sdk, client, name } = bucket;
      const whole = bucket.at(prefix).Key;
      for await (const { Contents = [] } of pages(bucket, whole)) {
        const below = (Contents as Listed[]).filter(({ Key }) => Key === whole || Key.startsWith(`${whole}/`));
        const Objects = below.map(({ Key }) => ({ Key }));
        if (Objects.length === 0) continue;
        const command = new sdk.DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } });
        const [failed] = (await client.send(command)).Errors ?? [];
        if (failed === undefined) continue;
        const kind = failed.Code === "AccessDenied" ? "refused" : "unavailable";
        throw new StorageFailure(kind, `S3 did not delete ${failed.Key}: ${failed.Code} ${failed.Message}`);
      }
    },

    listUnfinished: (olderThanMs) => listUnfinished(bucket, olderThanMs),
  }) satisfies Partial<ObjectStore>;

async function get(
  { sdk, client, at }: Bucket,
  key: string,
  range?: ByteRange,
  signal?: AbortSignal,
): Promise<OpenObject | null> {
  const command = new sdk.GetObjectCommand({ ...at(key), ...(range && { Range: `bytes=${range.start}-${range.end}` }) });
  const pending = client.send(command, signal === undefined ? {} : { abortSignal: signal });
  const found = await orNull(pending, isMissing).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw error;
  });
  if (found === null) return null;
  // In Node, the SDK returns the stream of the response.
  const stream = found.Body as Readable;
  const sizeBytes = range === undefined ? found.ContentLength : Number(/\/(\d+)$/.exec(found.ContentRange ?? "")?.[1]);
  if (sizeBytes !== undefined && !Number.isNaN(sizeBytes)) return { stream, sizeBytes };
  stream.destroy();
  throw new Error("The response of S3 lacks the size of the object, or ignores the range.");
}

async function fetchToFile(bucket: Bucket, key: string, path: string, options: FetchOptions = {}): Promise<boolean> {
  const { signal, silenceMaxMs = SILENCE_MAX_MS, minFreeBytes = 0 } = options;
  const found = await get(bucket, key, undefined, signal);
  if (found === null) return false;
  const silence = new AbortController();
  const stop = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  using silenceTimer = setTimeout(() => silence.abort(), silenceMaxMs);
  const arriving = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of guardFreeSpace(chunks, dirname(path), minFreeBytes, found.sizeBytes)) {
      silenceTimer.refresh();
      yield chunk;
    }
  };
  try {
    await pipeline(found.stream, arriving, createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal: stop });
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") await rm(path, { force: true });
    signal?.throwIfAborted();
    throw silence.signal.aborted
      ? new StorageFailure("unavailable", "the bucket stopped in the middle of an object", { cause: error })
      : asStorageFailure(error);
  }
  return true;
}

async function* list(bucket: Bucket, prefix: string): AsyncGenerator<ListedObject> {
  const { root } = bucket;
  for await (const { Contents = [] } of pages(bucket, prefix === "" ? root : `${bucket.at(prefix).Key}/`)) {
    for (const { Key, Size, LastModified } of Contents as Listed[]) {
      // A shared bucket can have objects of other programs, such as the folder markers of consoles.
      if (isKey(Key.slice(root.length))) yield { key: Key.slice(root.length), sizeBytes: Size, modifiedAt: LastModified };
    }
  }
}

function pages({ sdk, client, name }: Bucket, prefix: string): AsyncIterable<ListObjectsV2CommandOutput> {
  return sdk.paginateListObjectsV2({ client }, { Bucket: name, Prefix: prefix });
}
