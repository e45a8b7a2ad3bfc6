/** Tests for the bucket adapter only: unfinished multipart uploads, objects of other programs, an unavailable server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type LifecycleRule,
} from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { removeUnfinished, type ObjectStore } from "../../src/storage/object-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import { crowding } from "../support/cpu.ts";
import { eventually } from "../support/eventually.ts";
import { moto, s3rver, type S3Server } from "../support/s3-server.ts";
import { describeNeeds } from "../support/needs.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";

const roomy = { maxBytes: 1024 * 1024 * 1024 };
const PART_BYTES = 5 * 1024 * 1024;

async function keysIn(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list("")) keys.push(key);
  return keys.sort();
}

/** Yields `count` mebibytes and then awaits `end`. */
async function* megabytes(count: number, end: () => Promise<void> = async () => undefined): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index += 1) yield new Uint8Array(1024 * 1024);
  await end();
}

describe("the object store in a bucket", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await s3rver.start();
  });
  afterAll(() => server.stop());

  it.each([
    ["stores an object though the answer to its last request is lost", true],
    ["fails if there is no object", false],
  ])("%s, and the server no longer knows its parts", async (_what, isStored) => {
    let [isLast, seen] = [false, 0];
    // Amazon's response to a repeated request.
    const gone = "<Error><Code>NoSuchUpload</Code><Message>The specified upload does not exist.</Message></Error>";
    const answer = `HTTP/1.1 404 Not Found\r\nContent-Type: application/xml\r\nContent-Length: ${gone.length}\r\n\r\n${gone}`;
    await using proxy = await startTcpProxy(server.endpoint, (client, target) => {
      client.on("data", (bytes) => {
        const head = bytes.toString("latin1", 0, 1_000);
        if (/^[A-Z]+ \//.test(head)) isLast = /^POST [^ ]*uploadId=/.test(head);
        if (!isLast || (seen === 0 && isStored)) target.write(bytes);
        else if (/^POST/.test(head)) client.write(answer);
      });
      target.on("data", (bytes) => {
        if (!isLast) return void client.write(bytes);
        seen += 1;
        client.destroy();
      });
    });
    const store = await createS3Store({ ...server.settings(), endpoint: proxy.url.replace(/\/$/, "") });
    const put = store.put("a", megabytes(12), roomy);
    if (isStored) expect(await put).toMatchObject({ sizeBytes: 12 * 1024 * 1024 });
    else await expect(put).rejects.toMatchObject({ name: "NoSuchUpload" });
    expect([seen, await keysIn(store)]).toEqual(isStored ? [1, ["a"]] : [0, []]);
  });

  it("lists and deletes only its own objects below its prefix", async () => {
    const [settings, others] = [server.settings(), server.settings()];
    const [store, neighbour] = [await createS3Store(settings), await createS3Store(others)];
    await store.put("a/b", megabytes(1), roomy);
    await neighbour.put("a/b", megabytes(1), roomy);
    await server.client.send(new PutObjectCommand({ Bucket: server.bucket, Key: `${settings.prefix}/a/folder/`, Body: "x" }));
    expect([await keysIn(store), await keysIn(neighbour)]).toEqual([["a/b"], ["a/b"]]);
    await store.deletePrefix("a");
    expect([await keysIn(store), await keysIn(neighbour)]).toEqual([[], ["a/b"]]);
  });

  it("rejects every call as unavailable if no server responds, also in the middle of a put", async () => {
    const doomed = await s3rver.start();
    const store = await createS3Store(doomed.settings());
    await expect(
      store.put(
        "a",
        megabytes((2 * PART_BYTES) / 1024 / 1024 + 1, () => doomed.stop()),
        roomy,
      ),
    ).rejects.toMatchObject({ kind: "unavailable" });
    for (const call of [() => store.get("a"), () => store.delete("a"), () => keysIn(store)]) {
      await expect(call()).rejects.toMatchObject({ kind: "unavailable" });
    }
  });
});

type SilentServer = AsyncDisposable & {
  readonly endpoint: string;
  readonly silent: Promise<void>;
  /** The number of multipart uploads that the server was asked to abort. */
  removed(): number;
};

it("the S3 store fails as unavailable while its clock and the clock of the bucket differ too much", async () => {
  const code = "RequestTimeTooSkewed";
  await using server = createServer((request, response) => {
    // The first request, when the store opens, is in time.
    if (request.url?.includes("list-type"))
      response.end('<?xml version="1.0"?><ListBucketResult><Name>b</Name><KeyCount>0</KeyCount></ListBucketResult>');
    else
      response.writeHead(403).end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>Set your clock.</Message></Error>`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const store = await createS3Store({ bucket: "b", endpoint, credentials: { accessKeyId: "a", secretAccessKey: "b" } });
  const error = await store.put("a", megabytes(1), roomy).catch((it: unknown) => it);
  expect(error).toMatchObject({ kind: "unavailable", cause: { name: code } });
});

/** Starts a server that stops responding: after 1000 bytes of an object, before the response, or at a part of a put. */
async function silentServer(until: "bytes" | "answer" | "part"): Promise<SilentServer> {
  const silent = Promise.withResolvers<void>();
  let removed = 0;
  const server = createServer((request, response) => {
    if (until === "part" && request.method === "POST")
      return void response.end(
        '<?xml version="1.0"?><InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
      );
    if (until === "part" && request.method === "DELETE") {
      removed++;
      return void response.writeHead(204).end();
    }
    if (request.url?.includes("list-type"))
      return void response.end('<?xml version="1.0"?><ListBucketResult><Name>b</Name><KeyCount>0</KeyCount></ListBucketResult>');
    if (until === "bytes") response.writeHead(200, { "Content-Length": "1000000" }).write(Buffer.alloc(1_000));
    silent.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    silent: silent.promise,
    removed: () => removed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("the S3 store rejects a put at once if it is aborted while the server is silent, and removes its parts", async () => {
  await using server = await silentServer("part");
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  const store = await createS3Store({ bucket: "bucket", endpoint: server.endpoint, credentials });
  const [abort, reason] = [new AbortController(), new Error("deleted by its owner")];
  const putting = store.put("a", megabytes(12), { ...roomy, signal: abort.signal });
  await server.silent;
  const abortedAtMs = performance.now();
  abort.abort(reason);
  await expect(putting).rejects.toBe(reason);
  expect(performance.now() - abortedAtMs).toBeLessThan(1_000 * crowding());
  expect(server.removed()).toBe(1);
});

describe("fetching an object to a file from a bucket that stops responding", () => {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "plumbline-fetch-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each(["bytes", "answer"] as const)(
    "fails at once with the reason if it is aborted in the middle of the %s, and leaves no file",
    async (until) => {
      await using server = await silentServer(until);
      const store = await createS3Store({ bucket: "bucket", endpoint: server.endpoint, credentials });
      const [abort, reason] = [new AbortController(), new Error("deleted by its owner")];
      const fetching = store.fetchToFile("a", join(folder, "a"), { signal: abort.signal });
      await server.silent;
      const abortedAtMs = performance.now();
      abort.abort(reason);
      await expect(fetching).rejects.toBe(reason);
      expect(performance.now() - abortedAtMs).toBeLessThan(1_000 * crowding());
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it("fails as unavailable if no bytes arrive for too long, and leaves no file", async () => {
    await using server = await silentServer("bytes");
    const store = await createS3Store({ bucket: "bucket", endpoint: server.endpoint, credentials });
    await expect(store.fetchToFile("a", join(folder, "a"), { silenceMaxMs: 200 })).rejects.toMatchObject({ kind: "unavailable" });
    expect(await readdir(folder)).toEqual([]);
  });
});

describeNeeds("moto_server", "the object store in a bucket on a server that supports every call", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await moto.start();
  });
  afterAll(() => server.stop());

  const pending = async () =>
    (await server.client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }))).Uploads?.length ?? 0;

  it("deletes more objects below a prefix than fit in one request", async () => {
    const store = await createS3Store(server.settings());
    const keys = Array.from({ length: 1_050 }, (_, index) => `jobs/1/${index}`);
    for (let from = 0; from < keys.length; from += 50)
      await Promise.all(keys.slice(from, from + 50).map((key) => store.put(key, megabytes(0), roomy)));
    await store.put("jobs/2", megabytes(0), roomy);
    expect(await keysIn(store)).toHaveLength(1_051);
    await store.deletePrefix("jobs/1");
    expect(await keysIn(store)).toEqual(["jobs/2"]);
  });

  it("leaves no multipart upload behind if a put of several parts fails, is too large, or is aborted", async () => {
    const store = await createS3Store(server.settings());
    const cut = () => Promise.reject(Object.assign(new Error("the connection broke"), { code: "ECONNRESET" }));
    await expect(store.put("a", megabytes(12, cut), roomy)).rejects.toThrow("the connection broke");
    await expect(store.put("a", megabytes(12), { maxBytes: 11 * 1024 * 1024 })).rejects.toMatchObject({ kind: "too_large" });
    const abort = new AbortController();
    const leave = async () => abort.abort(new Error("the caller left"));
    await expect(store.put("a", megabytes(12, leave), { ...roomy, signal: abort.signal })).rejects.toThrow("the caller left");
    expect(await pending()).toBe(0);
    expect(await keysIn(store)).toEqual([]);
  });

  it("removes the parts of a killed put once they are old enough, and no parts of other prefixes", async () => {
    const settings = server.settings();
    const neighbours = server.settings();
    await server.client.send(new CreateMultipartUploadCommand({ Bucket: server.bucket, Key: `${neighbours.prefix}/a` }));
    const module = fileURLToPath(new URL("../../src/storage/s3-store.ts", import.meta.url));
    const script = `const { createS3Store } = await import(${JSON.stringify(module)});
      async function* source() { yield new Uint8Array(12e6); console.log("under way"); setInterval(() => {}, 1000); await new Promise(() => {}); }
      await (await createS3Store(${JSON.stringify(settings)})).put("a", source(), { maxBytes: 1e9 });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    await eventually("both multipart uploads", async () => (await pending()) === 2);
    child.kill("SIGKILL");
    await once(child, "close");
    const store = await createS3Store(settings);
    expect([await keysIn(store), await pending()]).toEqual([[], 2]);
    const [put, ...others] = await Array.fromAsync(store.listUnfinished(60_000));
    expect(others).toEqual([]);
    expect(Math.abs(put!.endsAt.getTime() - 60_000 - Date.now())).toBeLessThan(30_000);
    expect(await removeUnfinished(store, 60_000)).toBe(0);
    expect(await removeUnfinished(store, 0)).toBe(1);
    expect([await removeUnfinished(store, 0), await pending()]).toEqual([0, 1]);
  });

  it("reports whether the bucket retains old versions of deleted objects, and for how long, but only if a rule removes all of them", async () => {
    const Bucket = "with-versions";
    await server.client.send(new CreateBucketCommand({ Bucket }));
    const store = await createS3Store({ ...server.settings(), bucket: Bucket, prefix: "ours/prod" });
    const found = () => store.findOldVersions();
    expect(await found()).toEqual({ stay: "never" });
    const setVersioning = (Status: "Enabled" | "Suspended") =>
      server.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
    await setVersioning("Enabled");
    expect(await found()).toEqual({ stay: "for ever" });
    const end = { NoncurrentDays: 30 };
    type RuleChange = Partial<LifecycleRule>;
    const rules = async (...changes: readonly RuleChange[]) => {
      const Rules = changes.map((it, n) => ({ ID: `${n}`, Status: "Enabled" as const, Filter: { Prefix: "" }, ...it }));
      await server.client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }));
      return found();
    };
    const endless = { stay: "for ever" };
    expect(await rules({ NoncurrentVersionExpiration: end, Status: "Disabled" })).toEqual(endless);
    expect(await rules({ NoncurrentVersionExpiration: end, Filter: { Prefix: "theirs/" } })).toEqual(endless);
    expect(await rules({ NoncurrentVersionExpiration: end, Filter: { Tag: { Key: "a", Value: "b" } } })).toEqual(endless);
    expect(await rules({ Expiration: { Days: 30 } })).toEqual(endless);
    const days = (count: number) => ({ stay: "days", days: count });
    expect(await rules({ NoncurrentVersionExpiration: end, Filter: { Prefix: "ours/" } })).toEqual(days(30));
    const both = [{ NoncurrentVersionExpiration: end }, { NoncurrentVersionExpiration: { NoncurrentDays: 7 } }];
    await setVersioning("Suspended");
    expect(await rules(...both)).toEqual(days(7));
    const missing = await createS3Store({ ...server.settings(), bucket: Bucket });
    await server.client.send(new DeleteBucketCommand({ Bucket }));
    expect(await missing.findOldVersions()).toMatchObject({ stay: "unknown", reason: expect.stringContaining("NoSuchBucket") });
  });
});
