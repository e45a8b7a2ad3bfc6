import type * as Sdk from "@aws-sdk/client-s3";
import { StorageFailure } from "./object-store.ts";

/** A bucket, with what it takes to speak to it. Its calls throw what `asStorageFailure` makes of their errors. */
export type Bucket = { readonly sdk: typeof Sdk; readonly client: Sdk.S3Client; readonly name: string };

export type S3Settings = {
  readonly bucket: string;
  /** Put before every key, so that a bucket can be shared. */
  readonly prefix?: string | undefined;
  /** Where S3 is, when it is not Amazon's. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Left out, the SDK looks where it always looks: environment, profile, role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
};

const CONNECT_TIMEOUT_MS = 5_000;
/** For one request until its answer begins; an object that is being read may take longer. */
const REQUEST_TIMEOUT_MS = 120_000;
/** Readers who stop to look keep their sockets, so there must be plenty. */
const SOCKETS_MAX = 1_000;

/** Connects to a bucket, and throws when it cannot be read. */
export async function openBucket({ bucket, prefix, endpoint, region, credentials }: S3Settings): Promise<Bucket> {
  // Imported here, so that only a service that keeps its objects in a bucket pays for it: 0.2 s and 35 MB (measured).
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: "us-east-1" }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    // Bodies are signed with their SHA-256 anyway, and not every server knows the newer checksums.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: { maxSockets: SOCKETS_MAX },
      httpsAgent: { maxSockets: SOCKETS_MAX },
    },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw asStorageFailure(error);
      }
    },
    { step: "initialize", priority: "high", name: "asStorageFailure" },
  );
  // Asking for the bucket itself would say no more than 403 or 404; this names the reason.
  await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }));
  return { sdk, client, name: bucket };
}

/** Whether an error is the answer that there is no such object, as opposed to no such bucket. */
export function isMissing(error: unknown): boolean {
  const { status, name } = detailsOf(error);
  return status === 404 && name !== "NoSuchBucket";
}

/** Whether an error is the answer that a key which had to be new is taken. */
export function isTaken(error: unknown): boolean {
  return [409, 412].includes(detailsOf(error).status ?? 0);
}

/** Whether an error is the answer of a server that lacks the call. */
export function isNotImplemented(error: unknown): boolean {
  const { status, name } = detailsOf(error);
  return status === 501 || name === "NotImplemented";
}

const FULL = /^(XMinioStorageFull|XMinioAdminBucketQuotaExceeded|(Storage)?QuotaExceeded|InsufficientCapacity)$/;
const NO_ANSWER = /TimeoutError|ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH/;

/** An error of the bucket as the port has it: no such range, no room left, or not to be had just now. Anything else stays as it is. */
export function asStorageFailure(error: unknown): unknown {
  const { status, name, code } = detailsOf(error);
  if (status === 416) return new StorageFailure("invalid_range", "no byte of the object is in the range", { cause: error });
  if (FULL.test(name) || status === 507) return new StorageFailure("store_full", "the bucket has no room left", { cause: error });
  const isNoAnswer = status === undefined && NO_ANSWER.test(`${name} ${code} ${String(error)}`);
  if (isNoAnswer || status === 429 || (status !== undefined && status >= 500 && status !== 501))
    return new StorageFailure("unavailable", "the bucket does not answer", { cause: error });
  return error;
}

/** What the SDK says of an error; there is a status when the bucket has answered. */
function detailsOf(error: unknown) {
  type Details = { readonly name?: string; readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };
  const { name = "", code = "", $metadata } = error as Details;
  return { name, code, status: $metadata?.httpStatusCode };
}
