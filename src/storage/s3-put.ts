import type { CompletedPart } from "@aws-sdk/client-s3";
import { drain } from "./drain.ts";
import type { PutOptions, PutResult } from "./object-store.ts";
import type { Bucket } from "./s3-bucket.ts";

/** What S3 wants a part to have at least, unless it is the last one. */
const PART_MIN_BYTES = 5 * 1024 * 1024;
const PARTS_MAX = 10_000;

/**
 * Stores a source as one object: what fits into one part by one request, more in parts, one of which is sent while the
 * next is filled. So a put holds two parts in memory, 10 MiB, whatever the size of the source (two ten-thousandths of
 * `maxBytes` above 50 GiB). Nothing is to be seen under the key before the last request, and an abort comes too late then.
 */
export async function putInParts(
  bucket: Bucket,
  key: string,
  source: AsyncIterable<Uint8Array>,
  { maxBytes, signal }: PutOptions,
): Promise<PutResult> {
  const broken = new AbortController();
  const stop = signal === undefined ? broken.signal : AbortSignal.any([signal, broken.signal]);
  const multipart = createMultipart(bucket, key, stop, (error) => broken.abort(error));
  const partBytes = Math.min(maxBytes, Math.max(PART_MIN_BYTES, Math.ceil(maxBytes / PARTS_MAX)));
  let part: Buffer = Buffer.allocUnsafeSlow(partBytes);
  let spare: Buffer | null = null;
  let filledBytes = 0;

  const take = async (chunk: Uint8Array): Promise<void> => {
    for (let takenBytes = 0; takenBytes < chunk.byteLength;) {
      if (filledBytes === partBytes) {
        // When it resolves, the part before this one has arrived, and its buffer is free.
        await multipart.send(part);
        [part, spare] = [spare ?? Buffer.allocUnsafeSlow(partBytes), part];
        filledBytes = 0;
      }
      const piece = chunk.subarray(takenBytes, takenBytes + partBytes - filledBytes);
      part.set(piece, filledBytes);
      filledBytes += piece.byteLength;
      takenBytes += piece.byteLength;
    }
  };

  try {
    const result = await drain(source, { maxBytes, signal: stop }, take);
    await multipart.finish(part.subarray(0, filledBytes));
    return result;
  } catch (error) {
    await multipart.abort();
    throw stop.aborted ? stop.reason : error;
  }
}

type Multipart = {
  /** Begins to send a part, when the one before it has arrived. */
  send(part: Buffer): Promise<void>;
  /** Sends the last part and makes the object out of them all. */
  finish(last: Buffer): Promise<void>;
  /** Removes the parts; content when there are none. */
  abort(): Promise<void>;
};

function createMultipart(
  { sdk, client, name }: Bucket,
  key: string,
  stop: AbortSignal,
  onBroken: (error: unknown) => void,
): Multipart {
  const target = { Bucket: name, Key: key };
  const parts: CompletedPart[] = [];
  let uploadId: string | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const begin = async (): Promise<string> => {
    const begun = await client.send(new sdk.CreateMultipartUploadCommand(target), { abortSignal: stop });
    if (begun.UploadId === undefined) throw new Error("S3 began a multipart upload without an id.");
    return begun.UploadId;
  };
  const sendPart = async (UploadId: string, body: Buffer): Promise<void> => {
    const PartNumber = parts.push({}); // Its place is taken now, its tag comes with the answer.
    const { ETag } = await client.send(
      new sdk.UploadPartCommand({ ...target, UploadId, PartNumber, Body: body, ContentLength: body.byteLength }),
      { abortSignal: stop },
    );
    parts[PartNumber - 1] = { PartNumber, ETag };
  };

  const send = async (part: Buffer): Promise<void> => {
    await underWay;
    uploadId ??= await begin();
    underWay = sendPart(uploadId, part);
    // Nobody may be waiting for it while the source is waited for.
    underWay.catch(onBroken);
  };

  return {
    send,
    async finish(last) {
      if (uploadId === undefined) {
        stop.throwIfAborted();
        await client.send(new sdk.PutObjectCommand({ ...target, Body: last, ContentLength: last.byteLength }));
        return;
      }
      await send(last);
      await underWay;
      stop.throwIfAborted();
      await client.send(
        new sdk.CompleteMultipartUploadCommand({ ...target, UploadId: uploadId, MultipartUpload: { Parts: parts } }),
      );
    },
    async abort() {
      if (uploadId === undefined) return;
      // A part that arrived after the abort would stay for ever.
      await underWay.catch(() => undefined);
      // What cannot be removed now is what `removeUnfinished` is for; the caller is to learn what happened before.
      await client.send(new sdk.AbortMultipartUploadCommand({ ...target, UploadId: uploadId })).catch(() => undefined);
    },
  };
}
