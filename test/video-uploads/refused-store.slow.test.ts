import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { createS3Store } from "../../src/storage/s3-store.ts";
import type { Client } from "../support/client.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { linesIn, run, temporaryDataDir, type Running } from "../support/processes.ts";
import { itNeeds } from "../support/needs.ts";
import { s3rver, type S3Server } from "../support/s3-server.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
import { storeResult } from "../support/stored-result.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { createTestDatabase } from "../support/database.ts";
import { upload } from "../support/videos.ts";

const LOGGED = { LOG_LEVEL: "info", LOG_REQUESTS: "off", MIN_FREE_BYTES: "0" };
const away = { status: 503, body: { code: "unavailable" } };
const isReady = async (client: Client) => (await client("GET", "/health")).status === 200;
const becomes = (client: Client, ready: boolean) =>
  eventually(ready ? "a process that is ready" : "a process that is not ready", async () => (await isReady(client)) === ready);
/** The lines about the store: whether it is a problem, and the sentence. */
const storeLines = (api: Running) =>
  linesIn(api.stdout())
    .filter((it) => /object store can/.test(it.msg ?? ""))
    .map((it) => [it["store_problem"] ?? null, it.msg!]);

/** The same, as soon as there is one. */
async function firstStoreLines(api: Running) {
  await eventually("a line about the store", () => storeLines(api).length > 0);
  return storeLines(api);
}

/** What a client sees while the store can't be written: uploads and the readiness say so, and nothing else changes. */
async function expectRefusals(client: Client): Promise<void> {
  await becomes(client, false);
  const plain = await client("POST", "/video-uploads", randomBytes(2_000));
  expect(plain).toMatchObject(away);
  expect(Number(plain.headers.get("retry-after"))).toBeGreaterThan(0);
  const begun = await client("POST", "/video-uploads", randomBytes(2_000), { headers: { "Upload-Complete": "?0" } });
  expect(begun).toMatchObject(away);
  expect(await client("GET", "/health")).toMatchObject({ ...away, body: { detail: "Videos cannot be stored." } });
  expect(await client("GET", "/health/live")).toMatchObject({ status: 200 });
  expect(await client("POST", "/posts", { title: "Words need no store", body: "x" })).toMatchObject({ status: 201 });
}

/** The settings of a service with a prefix of its own in a bucket. */
function settingsOf(server: S3Server, { bucket, prefix, credentials } = server.settings()) {
  const keys = { S3_ACCESS_KEY_ID: credentials!.accessKeyId, S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey };
  return { OBJECT_STORE: `s3://${bucket}/${prefix}`, S3_ENDPOINT: server.endpoint, ...keys };
}

describe("an API whose object store can't be written", () => {
  it("returns 503 for uploads and is not ready, logs why in one line, and recovers", async () => {
    await using deployment = await createDeployment();
    const api = await deployment.start("api", LOGGED);
    const ada = await deployment.as();
    await upload(ada, randomBytes(100));
    await becomes(ada, true);
    for (const [at, name] of ["objects/objects", "objects/incoming"].entries()) {
      // Instead of a folder, a file stops even root.
      const folder = join(deployment.dataDir, name);
      await rename(folder, `${folder}-away`);
      await writeFile(folder, "");
      await expectRefusals(ada);
      await rm(folder);
      await rename(`${folder}-away`, folder);
      await becomes(ada, true);
      await eventually("a line about its end", () => storeLines(api).length > 2 * at + 1);
      expect(storeLines(api).slice(2 * at)).toEqual([
        ["refused", expect.stringMatching(/^The object store can't be written, so [^\n]*(ENOTDIR|EACCES)[^\n]*$/)],
        [null, "the object store can be written again"],
      ]);
      await upload(ada, randomBytes(100));
    }
  });

  itNeeds("mount", "also if its disk becomes read-only", async () => {
    await using disk = await mountSmallDisk(2 ** 22);
    await using deployment = await createDeployment({ dataDir: disk.path });
    const api = await deployment.start("api", LOGGED);
    const ada = await deployment.as();
    execFileSync("mount", ["-o", "remount,ro", disk.path]);
    await expectRefusals(ada);
    expect(await firstStoreLines(api)).toEqual([["refused", expect.stringContaining("EROFS")]]);
    execFileSync("mount", ["-o", "remount,rw", disk.path]);
    await becomes(ada, true);
    await upload(ada, randomBytes(100));
  });

  it("also if its bucket refuses a write, from the first one on, and a start with such a bucket ends in a sentence", async () => {
    await using stack = new AsyncDisposableStack();
    const server = stack.adopt(await s3rver.start(), (it) => it.stop());
    let refuses = false;
    const proxy = stack.use(
      await startTcpProxy(server.endpoint, (client, target) => {
        target.on("data", (bytes) => void client.write(bytes));
        client.on("data", (bytes) => {
          if (!refuses || !/^(PUT|POST) /.test(bytes.toString("latin1"))) return void target.write(bytes);
          const xml = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
          client.removeAllListeners("data").resume();
          client.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: application/xml\r\nContent-Length: ${xml.length}\r\n\r\n${xml}`);
        });
      }),
    );
    const settings = { ...LOGGED, ...settingsOf(server), S3_ENDPOINT: proxy.url };
    const deployment = stack.use(await createDeployment());
    const api = await deployment.start("api", settings);
    const ada = await deployment.as();
    refuses = true;
    // Writes to a bucket cost money, so the service finds out only when one is refused.
    expect(await ada("POST", "/video-uploads", randomBytes(100))).toMatchObject(away);
    await expectRefusals(ada);
    expect(await firstStoreLines(api)).toEqual([["refused", expect.stringContaining("Access Denied")]]);
    for (const ROLE of ["api", "worker"]) {
      await using late = run({ ...settings, ROLE, NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl });
      expect(await late.exited).toBe(1);
      expect(late.stderr()).toMatch(/^The bucket \S+ at \S+ cannot be written: Access Denied[^\n]*\n$/);
    }
    refuses = false;
    await becomes(ada, true);
    await upload(ada, randomBytes(100));
  });
});

it("an API whose bucket is unavailable returns 503, and logs the download it broke, but no client disconnect", async () => {
  await using stack = new AsyncDisposableStack();
  const server = stack.adopt(await s3rver.start(), (it) => it.stop());
  const settings = server.settings();
  const bucket = await createS3Store(settings);
  const proxy = stack.use(await startTcpProxy(server.endpoint));
  const deployment = stack.use(await createDeployment());
  const api = await deployment.start("api", { ...settingsOf(server, settings), S3_ENDPOINT: proxy.url, LOG_LEVEL: "warn" });
  const { url } = await api.ready();
  const ada = await deployment.as();
  const video = `/video-uploads/${await storeResult(deployment, ada, bucket, randomBytes(32 * 1024 * 1024))}/renditions/480p`;
  const reader = async () => {
    const answer = await fetch(`${url}${video}`, { headers: { Authorization: ada.authorization! } });
    expect(answer.status).toBe(200);
    return answer.body!.getReader();
  };
  const leaving = await reader();
  await leaving.read();
  await leaving.cancel();
  const staying = await reader();
  await staying.read();
  await proxy.cut();
  const readAll = async () => {
    while (!(await staying.read()).done);
  };
  await expect(readAll()).rejects.toThrow(/terminated/);
  await eventually("a log line about the download", () => api.stdout().includes(video));
  const refused = await ada("GET", video);
  expect(refused).toMatchObject({ status: 503, body: { code: "unavailable" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  const lines = () => linesIn(api.stdout()).filter((it) => JSON.stringify(it).includes(video));
  await eventually("a log line about the refusal", () => lines().length >= 2);
  expect(lines().map((it) => Number(it["status"]) >= 500)).toEqual([true, true]);
  await proxy.mend();
  expect(await ada("GET", video, undefined, { headers: { Range: "bytes=0-9" } })).toMatchObject({ status: 206 });
});

it.each([
  ["has a file instead of its store", "taken", "worker"],
  // The error of /proc is that the parent is missing, although it exists. Node's own mkdir then never ends.
  ["is where no folder can be made", "/proc/nope", "all"],
])("a start with a DATA_DIR that %s ends at once with exit code 1 and one sentence", async (_what, path, ROLE) => {
  await using root = await temporaryDataDir();
  await mkdir(join(root.path, "taken"));
  for (const it of ["objects", "scratch"]) await writeFile(join(root.path, "taken", it), "");
  await using stack = new AsyncDisposableStack();
  const database = stack.adopt(await createTestDatabase(), (it) => it.drop());
  await using service = run({ NODE_ENV: "test", DATA_DIR: resolve(root.path, path), ROLE, DATABASE_URL: database.url });
  const ended = await Promise.race([service.exited, delay(60_000, "still runs", { ref: false })]);
  expect([ended, service.stdout()]).toEqual([1, ""]);
  expect(service.stderr()).toMatch(/^The data directory [^\n]+ cannot be written: [^\n]+\.\n$/);
});
