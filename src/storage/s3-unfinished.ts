import type { ListMultipartUploadsCommandOutput, ListPartsCommandOutput } from "@aws-sdk/client-s3";
import { isMissing, type Bucket } from "./s3-bucket.ts";

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
    try {
      await client.send(new sdk.AbortMultipartUploadCommand(target));
      removed += 1;
    } catch (error) {
      // It was finished or aborted meanwhile.
      if (!isMissing(error)) throw error;
    }
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
  try {
    // The SDK's paginator never ends: it does not look at IsTruncated.
    for (let PartNumberMarker: string | undefined = "0"; PartNumberMarker !== undefined;) {
      const page: ListPartsCommandOutput = await client.send(new sdk.ListPartsCommand({ ...target, PartNumberMarker }));
      for (const { LastModified } of page.Parts ?? []) if (LastModified !== undefined && LastModified > last) last = LastModified;
      PartNumberMarker = page.IsTruncated === true ? page.NextPartNumberMarker : undefined;
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  return last;
}
