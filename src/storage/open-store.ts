import { join } from "node:path";
import type { Config } from "../config.ts";
import { unusableFolder } from "../util/make-folder.ts";
import { StartupError } from "../util/startup-error.ts";
import { createFileStore } from "./file-store.ts";
import type { ObjectStore } from "./object-store.ts";
import { createS3Store } from "./s3-store.ts";

/** Opens the object store in the settings. Throws a StartupError if it can't be used. */
export async function openObjectStore(config: Config, dataDir: string): Promise<ObjectStore> {
  const { OBJECT_STORE: location, S3_ENDPOINT: endpoint } = config;
  const { S3_REGION: region, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  const retainDeletedMs = config.KEEP_DELETED_HOURS * 3_600_000;
  if (location === "file") return createFileStore(join(dataDir, "objects"), config.MIN_FREE_BYTES, retainDeletedMs);
  const [bucket = "", ...prefix] = location.slice("s3://".length).replace(/\/$/, "").split("/");
  const credentials = accessKeyId !== undefined && secretAccessKey !== undefined ? { accessKeyId, secretAccessKey } : undefined;
  try {
    return await createS3Store({ bucket, prefix: prefix.join("/"), endpoint, region, credentials, retainDeletedMs });
  } catch (error) {
    throw unusableBucket(config, "used", error);
  }
}

/** The StartupError for a store that opens, but can't be written. */
export function unwritableStore(config: Config, dataDir: string, error: unknown): StartupError {
  if (config.OBJECT_STORE !== "file") return unusableBucket(config, "written", error);
  return unusableFolder(dataDir, (error as Error).cause ?? error);
}

function unusableBucket({ OBJECT_STORE, S3_ENDPOINT: endpoint }: Config, use: "used" | "written", error: unknown): StartupError {
  const [bucket] = OBJECT_STORE.slice("s3://".length).split("/");
  const location = `${bucket}${endpoint === undefined ? "" : ` at ${endpoint}`}`;
  return new StartupError(`The bucket ${location} cannot be ${use}: ${reasonOf(error)}.`, { cause: error });
}

function reasonOf(error: unknown): string {
  const { name = "", message = "", code, cause } = error as { name?: string; message?: string; code?: string; cause?: unknown };
  if (name === "StorageFailure" && cause !== undefined) return reasonOf(cause);
  if (name === "CredentialsProviderError") return "there are no credentials; set S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY";
  if (message === "Region is missing") return "its region is not known; set S3_REGION";
  const sentence = message.split("\n")[0]!.replace(/[.:\s]+$/, "");
  const id = code ?? name;
  // A refused connection to several addresses has an empty message, only a code.
  if (sentence === "" || sentence.includes(id)) return sentence || id;
  return `${sentence} (${id})`;
}
