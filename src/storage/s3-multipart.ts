import type { ListMultipartUploadsCommandOutput, ListPartsCommandOutput, S3Client } from "@aws-sdk/client-s3";
import { Readable } from "node:stream";
import { drain } from "./drain.ts";
import { orNull, type PutOptions, type PutResult } from "./object-store.ts";
import { isMissing, type Bucket } from "./s3-bucket.ts";

/** What S3 wants a part to have at least, unless it is the last one. */
const PART_MIN_BYTES = 5 * 1024 * 1024;
const PARTS_MAX = 10_000;

/**
 * Stores a source as one object: what fits into one part by one request, more in parts. Nothing is visible under the key
 * before the last request, and an abort comes too late then.
 */
export async function putInParts(
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  options: PutOptions,
): Promise<PutResult> {
  const { Upload } = await import("@aws-sdk/lib-storage");
  const { chunks, result } = drain(source, options);
  const upload = new Upload({
    client: abortable(bucket, options.signal),
    // Nothing is read before it is wanted.
    params: { Bucket: bucket.name, Key: key, Body: Readable.from(chunks, { highWaterMark: 0 }) },
    partSize: Math.max(PART_MIN_BYTES, Math.ceil(options.maxBytes / PARTS_MAX)),
    // With more, each upload holds more parts in memory, and a part that fails does not stop the others.
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

/** The client, whose parts end at once when the signal is aborted; the library's own way does not wait for their removal. */
function abortable({ sdk, client }: Bucket, signal: AbortSignal | undefined): S3Client {
  const send = async (command: Parameters<S3Client["send"]>[0]) => {
    // What cannot be removed now is what `removeUnfinished` is for; the caller is to learn what happened before.
    if (command instanceof sdk.AbortMultipartUploadCommand) return client.send(command).catch(() => undefined);
    return client.send(command, command instanceof sdk.UploadPartCommand && signal ? { abortSignal: signal } : {});
  };
  return Object.assign(Object.create(client) as S3Client, { send });
}

/** What every server says of a multipart upload, though the SDK has all of it optional. */
type Unfinished = { readonly Key: string; readonly UploadId: string; readonly Initiated: Date };

/** Removes multipart uploads below a prefix to which nothing has been added for so long, and says how many. */
export async function removeUnfinishedUploads(bucket: Bucket, prefix: string, olderThanMs: number): Promise<number> {
  const { sdk, client, name } = bucket;
  let removed = 0;
  for await (const { Key, UploadId, Initiated } of unfinishedUploads(bucket, prefix)) {
    const target = { Bucket: name, Key, UploadId };
    // The list says when it began; when its last part came, which may be hours later, takes another request.
    if (ageMs(Initiated) < olderThanMs || ageMs(await lastTouched(bucket, target, Initiated)) < olderThanMs) continue;
    // Null if it was finished or aborted meanwhile.
    if ((await orNull(client.send(new sdk.AbortMultipartUploadCommand(target)), isMissing)) !== null) removed += 1;
  }
  return removed;
}

const ageMs = (moment: Date): number => Date.now() - moment.getTime();

async function* unfinishedUploads({ sdk, client, name }: Bucket, prefix: string): AsyncGenerator<Unfinished> {
  let from: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {};
  while (from !== null) {
    const page: ListMultipartUploadsCommandOutput = await client.send(
      new sdk.ListMultipartUploadsCommand({ Bucket: name, Prefix: prefix, ...from }),
    );
    yield* (page.Uploads ?? []) as Unfinished[];
    from = page.IsTruncated === true ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }
}

async function lastTouched(
  { sdk, client }: Bucket,
  target: { Bucket: string; Key: string; UploadId: string },
  begun: Date,
): Promise<Date> {
  let last = begun;
  // The SDK's paginator never ends: it does not look at IsTruncated.
  for (let PartNumberMarker: string | undefined = "0"; PartNumberMarker !== undefined;) {
    const asking: Promise<ListPartsCommandOutput> = client.send(new sdk.ListPartsCommand({ ...target, PartNumberMarker }));
    const page = await orNull(asking, isMissing);
    for (const { LastModified } of page?.Parts ?? []) if (LastModified !== undefined && LastModified > last) last = LastModified;
    PartNumberMarker = page?.IsTruncated === true ? page.NextPartNumberMarker : undefined;
  }
  return last;
}
