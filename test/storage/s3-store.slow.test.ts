/** Tests for the bucket adapter only: unfinished multipart uploads, objects of other programs, an unavailable server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  ListMultipartUploadsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { removeUnfinished, type ObjectStore } from "../../src/storage/object-store.ts";
import { createS3Store } from "../../src/storage/s3-store.ts";
import { crowding } from "../support/processes.ts";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/media.ts";
import { moto, s3rver, type S3Server } from "../support/s3-server.ts";
import { describeNeeds } from "../support/needs.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { fakeBucket } from "./support/fake-bucket.ts";

const roomy = { maxBytes: 1024 * 1024 * 1024 };

const keysIn = async (store: ObjectStore) => (await Array.fromAsync(store.list(""))).map((it) => it.key).sort();

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
    // More than two parts.
    const put = () =>
      store.put(
        "a",
        megabytes(11, () => doomed.stop()),
        roomy,
      );
    for (const call of [put, () => store.get("a"), () => store.delete("a"), () => keysIn(store)])
      await expect(call()).rejects.toMatchObject({ kind: "unavailable" });
  });
});

const INITIATED = "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>";
/** A server that stops responding: after 1000 bytes of an object, before the response, or at a part of a put. */
async function silentBucket(until: "bytes" | "answer" | "part") {
  const silent = Promise.withResolvers<void>();
  let removed = 0;
  const { store, [Symbol.asyncDispose]: end } = await fakeBucket(({ method }, response, query) => {
    if (query.has("list-type")) return false;
    if (until === "part" && method === "POST") return response.end(INITIATED);
    if (until === "part" && method === "DELETE") {
      removed += 1;
      return response.writeHead(204).end();
    }
    if (until === "bytes") response.writeHead(200, { "Content-Length": "1000000" }).write(Buffer.alloc(1_000));
    return silent.resolve();
  });
  return { store, silent: silent.promise, removed: () => removed, [Symbol.asyncDispose]: end };
}

describe("a bucket that stops responding", () => {
  /** Aborts what is in progress when the server is silent. It must end at once, with the reason. */
  async function endsAtOnce({ silent }: { silent: Promise<void> }, work: (signal: AbortSignal) => Promise<unknown>) {
    const [abort, reason] = [new AbortController(), new Error("deleted by its owner")];
    const working = work(abort.signal);
    await silent;
    const abortedAtMs = performance.now();
    abort.abort(reason);
    await expect(working).rejects.toBe(reason);
    expect(performance.now() - abortedAtMs).toBeLessThan(1_000 * crowding());
  }

  it("keeps no parts of a put that is aborted", async () => {
    await using bucket = await silentBucket("part");
    await endsAtOnce(bucket, (signal) => bucket.store.put("a", megabytes(12), { ...roomy, signal }));
    expect(bucket.removed()).toBe(1);
  });

  it.each(["bytes", "answer"] as const)("leaves no file if fetching is aborted in the middle of the %s", async (until) => {
    await using folder = await temporaryFolder();
    await using bucket = await silentBucket(until);
    await endsAtOnce(bucket, (signal) => bucket.store.fetchToFile("a", join(folder.path, "a"), { signal }));
    expect(await readdir(folder.path)).toEqual([]);
  });

  it("fails as unavailable if no bytes arrive for too long, and leaves no file", async () => {
    await using folder = await temporaryFolder();
    await using bucket = await silentBucket("bytes");
    const fetching = bucket.store.fetchToFile("a", join(folder.path, "a"), { silenceMaxMs: 200 });
    await expect(fetching).rejects.toMatchObject({ kind: "unavailable" });
    expect(await readdir(folder.path)).toEqual([]);
  });
});

it("the S3 store fails as unavailable while its clock and the clock of the bucket differ too much", async () => {
  const error = "<Error><Code>RequestTimeTooSkewed</Code><Message>Set your clock.</Message></Error>";
  await using bucket = await fakeBucket((_request, response, query) =>
    query.has("list-type") ? false : response.writeHead(403).end(error),
  );
  const failed = { kind: "unavailable", cause: { name: "RequestTimeTooSkewed" } };
  await expect(bucket.store.put("a", megabytes(1), roomy)).rejects.toMatchObject(failed);
});

it("the S3 store deletes more objects below a prefix than fit in one request", async () => {
  const keys = new Set(Array.from({ length: 1_050 }, (_, index) => `jobs/1/${String(index).padStart(4, "0")}`));
  await using bucket = await fakeBucket((request, response, query) => {
    if (request.method === "POST") {
      void text(request).then((body) => {
        for (const [, key] of body.matchAll(/<Key>(.*?)<\/Key>/g)) keys.delete(key!);
        response.end("<DeleteResult/>");
      });
      return true;
    }
    const rest = [...keys].filter((it) => it > (query.get("continuation-token") ?? ""));
    const page = rest.slice(0, 1_000);
    const next = `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`;
    const more = `<IsTruncated>${rest.length > 1_000}</IsTruncated>${rest.length > 1_000 ? next : ""}`;
    return response.end(
      `<ListBucketResult>${more}${page.map((it) => `<Contents><Key>${it}</Key></Contents>`).join("")}</ListBucketResult>`,
    );
  });
  await bucket.store.deletePrefix("jobs/1");
  expect(keys.size).toBe(0);
});

describeNeeds("moto_server", "the object store in a bucket on a server that supports every call", () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await moto.start();
  });
  afterAll(() => server.stop());

  const pending = async () =>
    (await server.client.send(new ListMultipartUploadsCommand({ Bucket: server.bucket }))).Uploads?.length ?? 0;

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
      async function* source() { yield new Uint8Array(12e6); console.log("in progress"); setInterval(() => {}, 1000); await new Promise(() => {}); }
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

  it("reports whether the bucket retains old versions of deleted objects, and for how long", async () => {
    const Bucket = "with-versions";
    await server.client.send(new CreateBucketCommand({ Bucket }));
    const store = await createS3Store({ ...server.settings(), bucket: Bucket, prefix: "ours/prod" });
    const found = () => store.findOldVersions();
    expect(await found()).toEqual({ stay: "never" });
    const setVersioning = (Status: "Enabled" | "Suspended") =>
      server.client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));
    await setVersioning("Enabled");
    expect(await found()).toEqual({ stay: "for ever" });
    const Rules = [
      { ID: "all", Status: "Enabled" as const, Filter: { Prefix: "" }, NoncurrentVersionExpiration: { NoncurrentDays: 7 } },
    ];
    await server.client.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules } }));
    expect(await found()).toEqual({ stay: "days", days: 7 });
    await setVersioning("Suspended");
    expect(await found()).toEqual({ stay: "days", days: 7 });
    const missing = await createS3Store({ ...server.settings(), bucket: Bucket });
    await server.client.send(new DeleteBucketCommand({ Bucket }));
    expect(await missing.findOldVersions()).toMatchObject({ stay: "unknown", reason: expect.stringContaining("NoSuchBucket") });
  });
});
