import type * as Sdk from "@aws-sdk/client-s3";
import { keySegments, StorageFailure } from "./object-store.ts";

/** A bucket with its SDK and client. The client throws StorageFailures. */
export type Bucket = {
  readonly sdk: typeof Sdk;
  readonly client: Sdk.S3Client;
  readonly name: string;
  /** The prefix of every key: empty, or ending with a slash. */
  readonly root: string;
  /** The parameters of a command that identify an object. */
  at(key: string): { readonly Bucket: string; readonly Key: string };
};

export type S3Settings = {
  readonly retainDeletedMs?: number;
  readonly bucket: string;
  /** Precedes every key, so that a bucket can be shared. */
  readonly prefix?: string | undefined;
  /** The URL of an S3-compatible server; Amazon S3 by default. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** By default, the SDK uses the environment, a profile, or the role of the machine. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
};

const CONNECT_TIMEOUT_MS = 5_000;
/** The time limit of one request until its response begins. Reading the body can take longer. */
const REQUEST_TIMEOUT_MS = 120_000;
/** Many, because a paused player keeps its socket. */
const SOCKETS_MAX = 1_000;

/** Connects to a bucket. Throws if the bucket cannot be read. */
export async function openBucket({ bucket, prefix, endpoint, region, credentials }: S3Settings): Promise<Bucket> {
  // Imported only when needed, because the SDK takes 0.2 s and 35 MB (measured).
  const sdk = await import("@aws-sdk/client-s3");
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true, region: "us-east-1" }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    // The SHA-256 in the signature protects a body already, and some servers do not support the newer checksums.
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
  const translate = (error: unknown): never => {
    throw asStorageFailure(error);
  };
  const step = { step: "initialize", priority: "high", name: "asStorageFailure" } as const;
  client.middlewareStack.add((next) => async (args) => next(args).catch(translate), step);
  // HeadBucket would fail with a bare 403 or 404. The error of a list names the reason.
  await client.send(new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 }));
  const root = prefix ? `${keySegments(prefix).join("/")}/` : "";
  const at = (key: string) => ({ Bucket: bucket, Key: `${root}${keySegments(key).join("/")}` });
  return { sdk, client, name: bucket, root, at };
}

/** Whether an error means that there is no such object, rather than no such bucket. */
export function isMissing(error: unknown): boolean {
  const { status, name } = detailsOf(error);
  return status === 404 && name !== "NoSuchBucket";
}

/** Whether an error means that a key that must be new already has an object. */
export function isTaken(error: unknown): boolean {
  return [409, 412].includes(detailsOf(error).status ?? 0);
}

/** Whether an error means that the server does not support the call. */
export function isNotImplemented(error: unknown): boolean {
  const { status, name } = detailsOf(error);
  return status === 501 || name === "NotImplemented";
}

const FULL = /^(XMinioStorageFull|XMinioAdminBucketQuotaExceeded|(Storage)?QuotaExceeded|InsufficientCapacity)$/;
/** The clocks of the service and of the bucket differ too much for a signature. */
const CLOCKS_DIFFER = "RequestTimeTooSkewed";
/** A credential that has expired, or none. */
const NO_CREDENTIAL = /^(ExpiredToken(Exception)?|TokenRefreshRequired|CredentialsProviderError)$/;
const NO_RESPONSE = /TimeoutError|ECONN[A-Z]+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EPIPE|EHOSTUNREACH|ENETUNREACH/;

/** Maps an error of the bucket to a StorageFailure. Returns errors about a single object as they are. */
export function asStorageFailure(error: unknown): unknown {
  const { status, name, code } = detailsOf(error);
  if (status === 416) return new StorageFailure("invalid_range", "no byte of the object is in the range", { cause: error });
  if (FULL.test(name) || status === 507)
    return new StorageFailure("store_full", "the bucket has no space left", { cause: error });
  const hasNoResponse = status === undefined && NO_RESPONSE.test(`${name} ${code} ${String(error)}`);
  if (hasNoResponse || name === CLOCKS_DIFFER || status === 429 || (status !== undefined && status >= 500 && status !== 501))
    return new StorageFailure("unavailable", "the bucket does not respond", { cause: error });
  if (status === 401 || status === 403 || name === "NoSuchBucket" || NO_CREDENTIAL.test(name))
    return new StorageFailure("refused", `${name}: ${(error as Error).message}`, { cause: error });
  return error;
}

/** The details of an error of the SDK. It has a status if the bucket has responded. */
function detailsOf(error: unknown) {
  type Details = { readonly name?: string; readonly code?: string; readonly $metadata?: { readonly httpStatusCode?: number } };
  const { name = "", code = "", $metadata } = error as Details;
  return { name, code, status: $metadata?.httpStatusCode };
}
