import type {
  CompleteMultipartUploadCommand,
  ListMultipartUploadsCommandOutput,
  ListPartsCommandOutput,
  S3Client,
} from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { hashAndLimit } from "./hash-and-limit.ts";
import { orNull, type PutOptions, type PutResult } from "./object-store.ts";
import { isMissing, isNotImplemented, type Bucket } from "./s3-bucket.ts";

/** The minimum size of a part in S3, except for the last part. */
const PART_MIN_BYTES = 5 * 1024 * 1024;
const PARTS_MAX = 10_000;

/**
 * Stores a source in one request, or as a multipart upload. The object is visible after the last request, which an abort does not
 * stop.
 */
export async function putInParts(
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<PutResult> {
  const { Upload } = await import("@aws-sdk/lib-storage");
  const { chunks, result } = hashAndLimit(source, options);
  const upload = new Upload({
    client: abortableClient(bucket, options.signal, result),
    // No read-ahead, so that memory holds no more than a part.
    params: { Bucket: bucket.name, Key: key, Body: Readable.from(chunks, { highWaterMark: 0 }) },
    partSize: Math.max(PART_MIN_BYTES, Math.ceil(options.maxBytes / PARTS_MAX)),
    // One part in memory at a time. With more, a failed part does not stop the others.
    queueSize: 1,
  });
  try {
    await upload.done();
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error;
  }
  return result();
}

/**
 * Aborts parts at once; `Upload.abort()` would wait. If the last response is lost, the repeated request gets 404, and the
 * object's size proves success.
 */
function abortableClient({ sdk, client }: Bucket, signal: AbortSignal | undefined, result: () => PutResult): S3Client {
  const complete = async (command: CompleteMultipartUploadCommand) => {
    try {
      return await client.send(command);
    } catch (error) {
      const { Bucket, Key } = command.input;
      const stored = isMissing(error) ? await orNull(client.send(new sdk.HeadObjectCommand({ Bucket, Key })), isMissing) : null;
      if (stored?.ContentLength !== result().sizeBytes) throw error;
      return { Bucket, Key, ETag: stored.ETag };
    }
  };
  const send = async (command: Parameters<S3Client["send"]>[0]) => {
    // An error here would hide the first one. `removeUnfinished` removes the parts later.
    if (command instanceof sdk.AbortMultipartUploadCommand) return client.send(command).catch(() => undefined);
    if (command instanceof sdk.CompleteMultipartUploadCommand) return complete(command);
    return client.send(command, command instanceof sdk.UploadPartCommand && signal ? { abortSignal: signal } : {});
  };
  return Object.assign(Object.create(client) as S3Client, { send });
}

type Target = { readonly Bucket: string; readonly Key: string; readonly UploadId: string };

/** Lists unfinished multipart uploads. Empty if the server can't list them; then only the server removes them. */
export async function* listUnfinished(bucket: Bucket, olderThanMs: number) {
  const { sdk, client, name: Bucket, root: Prefix } = bucket;
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {};
  try {
    while (from !== null) {
      const command = new sdk.ListMultipartUploadsCommand({ Bucket, Prefix, ...from });
      const page: ListMultipartUploadsCommandOutput = await client.send(command);
      // The SDK types all fields as optional, but every server sends these.
      for (const { Key, UploadId, Initiated } of (page.Uploads ?? []) as (Omit<Target, "Bucket"> & { Initiated: Date })[]) {
        const target: Target = { Bucket, Key, UploadId };
        const touchedAt = await lastPartAt(bucket, target, Initiated);
        const abort = () => client.send(new sdk.AbortMultipartUploadCommand(target));
        // Null if another process has finished or aborted it.
        const remove = async () => (await orNull(abort(), isMissing)) !== null;
        yield { endsAt: new Date(touchedAt.getTime() + olderThanMs), remove };
      }
      from = page.IsTruncated === true ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
    }
  } catch (error) {
    if (!isNotImplemented(error)) throw error;
  }
}

/** The time of the last part, which may be hours after the start. */
async function lastPartAt({ sdk, client }: Bucket, target: Target, begun: Date): Promise<Date> {
  let last = begun;
  // The paginator of the SDK never ends, because it ignores IsTruncated.
  for (let PartNumberMarker: string | undefined = "0"; PartNumberMarker !== undefined;) {
    const pending: Promise<ListPartsCommandOutput> = client.send(new sdk.ListPartsCommand({ ...target, PartNumberMarker }));
    const page = await orNull(pending, isMissing);
    for (const { LastModified } of page?.Parts ?? []) if (LastModified !== undefined && LastModified > last) last = LastModified;
    PartNumberMarker = page?.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  }
  return last;
}
