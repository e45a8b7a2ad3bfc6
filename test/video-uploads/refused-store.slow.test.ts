import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import type { Client } from "../support/client.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { linesIn } from "../support/log-lines.ts";
import { itNeeds } from "../support/needs.ts";
import { run, temporaryDataDir, type Running } from "../support/running.ts";
import { s3rver } from "../support/s3-server.ts";
import { mountSmallDisk } from "../support/small-disk.ts";
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

describe("an API whose object store can't be written", () => {
  const folders = ["objects/objects", "objects/incoming"];
  it.each(folders)("returns 503 for uploads and is not ready, logs why in one line, and recovers: %s is a file", async (name) => {
    await using deployment = await createDeployment();
    const api = await deployment.start("api", LOGGED);
    const ada = await deployment.as();
    await upload(ada, randomBytes(100));
    await becomes(ada, true);
    // Instead of a folder, a file stops even root.
    const folder = join(deployment.dataDir, name);
    await rename(folder, `${folder}-away`);
    await writeFile(folder, "");
    await expectRefusals(ada);
    expect(await firstStoreLines(api)).toEqual([
      ["refused", expect.stringMatching(/^The object store can't be written, so [^\n]*(ENOTDIR|EACCES)[^\n]*$/)],
    ]);
    await rm(folder);
    await rename(`${folder}-away`, folder);
    await becomes(ada, true);
    await eventually("a line about its end", () => storeLines(api).length > 1);
    expect(storeLines(api).slice(1)).toEqual([[null, "the object store can be written again"]]);
    await upload(ada, randomBytes(100));
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
    const { bucket, prefix, credentials } = server.settings();
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
    const settings = {
      ...LOGGED,
      OBJECT_STORE: `s3://${bucket}/${prefix}`,
      S3_ENDPOINT: proxy.url,
      S3_ACCESS_KEY_ID: credentials!.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
    };
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

describe("a start with a DATA_DIR that can't be used", () => {
  const cases = [
    ["is below a file", "file/below"],
    ["is a file", "file"],
    ["has a file instead of its store", "taken"],
    // The error of /proc is that the parent is missing, although it exists. Node's own mkdir then never ends.
    ["is where no folder can be made", "/proc/nope"],
  ] as const;
  it.each(cases)("ends at once with exit code 1 and one sentence if it %s, in every role", async (_what, path) => {
    await using root = await temporaryDataDir();
    await writeFile(join(root.path, "file"), "");
    await mkdir(join(root.path, "taken"));
    for (const it of ["objects", "scratch"]) await writeFile(join(root.path, "taken", it), "");
    const database = await createTestDatabase();
    try {
      for (const ROLE of ["api", "worker", "all"]) {
        const dataDir = path.startsWith("/") ? path : join(root.path, path);
        await using service = run({ NODE_ENV: "test", ROLE, DATABASE_URL: database.url, DATA_DIR: dataDir });
        const ended = await Promise.race([service.exited, delay(60_000, "still runs", { ref: false })]);
        expect({ ROLE, ended, stdout: service.stdout() }).toEqual({ ROLE, ended: 1, stdout: "" });
        expect(service.stderr()).toMatch(/^The data directory [^\n]+ cannot be written: [^\n]+\.\n$/);
      }
      if (path === "/proc/nope") {
        await using alone = run({ NODE_ENV: "test", DATA_DIR: path });
        expect(await alone.exited).toBe(1);
        expect(alone.stderr()).toMatch(/^The data directory \/proc\/nope cannot be written: [^\n]+\.\n$/);
      }
    } finally {
      await database.drop();
    }
  });
});
