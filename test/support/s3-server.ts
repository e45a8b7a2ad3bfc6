/** Real S3 servers for tests: a small one from npm that is always installed, and one with more features if it is installed. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { S3Settings } from "../../src/storage/s3-bucket.ts";

export type S3Server = {
  readonly endpoint: string;
  /** An SDK client, to inspect the bucket directly. */
  readonly client: S3Client;
  readonly bucket: string;
  /** Settings for a separate store, with a unique prefix. */
  settings(): S3Settings & { readonly prefix: string };
  stop(): Promise<void>;
};
export type S3Program = { readonly name: string; start(): Promise<S3Server> };

const BUCKET = "plumbline-test";
const CREDENTIALS = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
const REGION = "us-east-1";

/** Small and always available. It can neither list nor abort multipart uploads. */
export const s3rver: S3Program = {
  name: "s3rver",
  start: () =>
    startServer((folder) => [
      process.execPath,
      // The token of a list that is not complete is encrypted with DES.
      "--openssl-legacy-provider",
      "--import",
      new URL("whole-puts.mjs", import.meta.url).href,
      createRequire(import.meta.url).resolve("s3rver/bin/s3rver.js"),
      "--directory",
      folder,
      "--address",
      "127.0.0.1",
      "--port",
      "0",
      "--silent",
    ]),
};

/** The server of moto from PyPI, which supports every call of the service. For tests that need `moto_server`. */
export const moto: S3Program = {
  name: "moto",
  start: () => startServer(() => ["moto_server", "-H", "127.0.0.1", "-p", "0"]),
};

async function startServer(command: (folder: string) => readonly string[]): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-s3-"));
  const [program = "", ...args] = command(folder);
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    const listen = (text: Buffer) => {
      said += text.toString();
      const found = /127\.0\.0\.1:\d+/.exec(said);
      if (found !== null) resolve(found[0]);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("error", reject);
    child.once("close", () => reject(new Error(`${program} did not start: ${said}`)));
  });
  const endpoint = `http://${address}`;
  const client = new S3Client({ endpoint, region: REGION, forcePathStyle: true, credentials: CREDENTIALS });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    endpoint,
    client,
    bucket: BUCKET,
    stop,
    settings: () => ({ endpoint, bucket: BUCKET, region: REGION, credentials: CREDENTIALS, prefix: `test/${randomUUID()}` }),
  };
}
