import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { createClient, type Client } from "../support/client.ts";
import { createFileStore } from "../../src/storage/file-store.ts";
import { createDeployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { prepare } from "../support/prepare.ts";
import { linesIn, requestsIn, repository, run, temporaryDataDir, type LogLine, type Running } from "../support/processes.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { storeResult } from "../support/stored-result.ts";
import { smallClip, upload, uploadPath } from "../support/videos.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const FORWARDED = { "X-Forwarded-For": "203.0.113.1" };
const UNTRUSTED = /X-Forwarded-For, but TRUST_PROXY is 0/g;

const deployment = prepare(createDeployment);
let service: Running;
let url: string;
let ada: Client;
let authorization: string;

/** Starts one more process with a log. */
async function started(
  settings: Readonly<Record<string, string>> = {},
  role: "all" | "api" = "api",
  args: readonly string[] | undefined = undefined,
) {
  const running = await deployment.start(role, { LOG_LEVEL: "info", ...settings }, args);
  return { running, url: (await running.ready()).url };
}

beforeAll(async () => {
  ({ running: service, url } = await started({ RATE_LIMITS: "writes=1/3600" }, "all"));
  ada = await deployment.as();
  authorization = ada.authorization!;
});

/** Sends a request, and returns its line when there is one. */
async function lineOf(path: string, init: RequestInit = {}, from: { url: string; running: Running } = { url, running: service }) {
  const response = await fetch(from.url + path, { redirect: "manual", ...init });
  await response.arrayBuffer();
  const id = response.headers.get("x-request-id");
  const linesOfRequest = () => requestsIn(from.running.stdout()).filter((it) => it["request_id"] === id);
  await eventually("the line of a request", () => linesOfRequest().length > 0);
  expect(linesOfRequest()).toHaveLength(1);
  return { response, line: linesOfRequest()[0]! };
}

describe("the log has exactly one line for a request", () => {
  it("with operation, method, path, status, duration, user, request id and trace id, and without the query", async () => {
    const { response, line } = await lineOf("/posts?limit=3", {
      headers: { authorization, traceparent: `00-${TRACE}-${SPAN}-01` },
    });
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      msg: "request",
      operation: "listPosts",
      method: "GET",
      path: "/posts",
      status: 200,
      duration_ms: expect.any(Number),
      waited_ms: 0,
      user: ada.userId,
      request_id: response.headers.get("x-request-id"),
      trace_id: TRACE,
      client_left: false,
    });
    expect(line["duration_ms"]).toBeGreaterThan(0);
  });

  it("with how long it has waited because its client asked for that", async () => {
    const { line } = await lineOf("/notifications?wait=1", { headers: { authorization } });
    expect(line["waited_ms"]).toBeGreaterThan(900);
    expect(line["duration_ms"]).toBeGreaterThanOrEqual(line["waited_ms"] as number);
  });

  it.each([
    ["a document", "/docs", {}, { operation: null, path: "/docs", status: 200, user: null }],
    ["an unknown path", "/nowhere", {}, { operation: null, path: "/nowhere", status: 404 }],
    ["a preflight", "/posts", { method: "OPTIONS" }, { operation: null, method: "OPTIONS", status: 204 }],
    ["a method that a path lacks", "/posts", { method: "DELETE" }, { operation: null, status: 405 }],
    ["a request without a credential", "/posts", {}, { operation: "listPosts", status: 401, user: null }],
    ["a very long path", `/${"a".repeat(3_000)}`, {}, { operation: null, path: `/${"a".repeat(199)}` }],
    ["a short URL, without its id", "/u/only-friends", {}, { operation: "followUrl", path: "/u/{id}", status: 404 }],
    ["the path of a short URL with another method", "/u/only-friends", { method: "PUT" }, { path: "/u/{id}", status: 405 }],
    ["a file behind a link, without its token", "/playback/x/480p.mp4?token=secret", {}, { path: "/playback/x/480p.mp4" }],
    ["a path below a short URL", "/urls/only-friends/x", {}, { operation: null, path: "/urls/{id}", status: 404 }],
  ])("for %s", async (_what, path, init, expected) => {
    expect((await lineOf(path, init)).line).toMatchObject(expected);
  });

  it("for bytes that are not HTTP", async () => {
    const before = requestsIn(service.stdout()).length;
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
    socket.end("not a request\r\n\r\n").resume();
    await once(socket, "close");
    const added = () => requestsIn(service.stdout()).slice(before);
    await eventually("the line", () => added().length > 0);
    expect(added()).toEqual([expect.objectContaining({ operation: null, method: null, path: null, status: 400 })]);
  });

  it("that marks a client that disconnects before the end, while it sends or while it reads", async () => {
    const leave = async (head: string, whenToLeave: "now" | "after the first bytes") => {
      const before = requestsIn(service.stdout()).length;
      const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
      socket.write(head);
      if (whenToLeave === "after the first bytes") await once(socket, "data");
      socket.pause();
      // A reset, so that the service sees it at once.
      setImmediate(() => socket.resetAndDestroy());
      const added = () => requestsIn(service.stdout()).slice(before);
      await eventually("the line", () => added().length > 0);
      return added();
    };
    const headers = `Host: x\r\nAuthorization: ${authorization}\r\n`;
    const half = `POST /posts HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{"title":`;
    const left: LogLine[] = await leave(half, "now");
    expect(left).toEqual([expect.objectContaining({ operation: "createPost", client_left: true, status: null })]);
    // More than the buffers of the kernel take.
    const objects = createFileStore(join(deployment.dataDir, "objects"));
    const id = await storeResult(deployment, ada, objects, Buffer.alloc(32_000_000));
    const download = `GET /video-uploads/${id}/renditions/480p HTTP/1.1\r\n${headers}\r\n`;
    expect(await leave(download, "after the first bytes")).toEqual([
      expect.objectContaining({ operation: "getVideoRendition", status: 200, client_left: true }),
    ]);
  });

  it("with a trace id only if the header is valid", async () => {
    const valid = [`00-${TRACE}-${SPAN}-00`, `cc-${TRACE}-${SPAN}-01-what-the-future-adds`];
    const invalid = [
      `00-${TRACE}-${SPAN}`,
      `00-${TRACE}-${SPAN}-01-more`,
      `ff-${TRACE}-${SPAN}-01`,
      `00-${"0".repeat(32)}-${SPAN}-01`,
      `00-${TRACE}-${"0".repeat(16)}-01`,
      `00-${TRACE.toUpperCase()}-${SPAN}-01`,
      "secret",
    ];
    for (const traceparent of [...valid, ...invalid]) {
      const { line } = await lineOf("/posts", { headers: { traceparent } });
      expect({ traceparent, trace: line["trace_id"] }).toEqual({
        traceparent,
        trace: valid.includes(traceparent) ? TRACE : null,
      });
    }
  });
});

it("health checks are logged only if they fail, and failures are logged whatever LOG_REQUESTS is, except off", async () => {
  await using proxy = await startTcpProxy(deployment.databaseUrl);
  const settings = { DATABASE_URL: proxy.url, DATABASE_POOL_TIMEOUT_SECONDS: "1", TRUST_PROXY: "1" };
  const [none, few] = await Promise.all([
    started({ ...settings, LOG_REQUESTS: "off" }),
    started({ ...settings, LOG_REQUESTS: "0.000001" }),
  ]);
  const ask = async (asked: { url: string }, path: string) =>
    (await fetch(asked.url + path, { headers: { authorization, ...FORWARDED } })).status;
  for (const it of [none, few])
    for (const [path, status] of Object.entries({ "/health": 200, "/posts": 200, "/nowhere": 404 }))
      await eventually(`${status} for ${path}`, async () => (await ask(it, path)) === status);
  await proxy.cut();
  for (const it of [none, few])
    for (const path of ["/health", "/posts"]) await eventually(`503 for ${path}`, async () => (await ask(it, path)) === 503);
  const logged = () => new Set(requestsIn(few.running.stdout()).map((it) => `${String(it["path"])} ${String(it["status"])}`));
  await eventually("two lines", () => logged().size >= 2);
  expect([...logged()].sort()).toEqual(["/health 503", "/posts 503"]);
  expect(requestsIn(none.running.stdout())).toEqual([]);
  for (const it of [none, few]) expect(it.running.stdout()).not.toMatch(UNTRUSTED);
  await proxy.mend();
}, 60_000);

it("X-Forwarded-For causes one warning if no proxy is trusted", async () => {
  expect(service.stdout()).not.toMatch(UNTRUSTED);
  for (let n = 0; n < 3; n++) await lineOf("/nowhere", { headers: FORWARDED });
  expect(service.stdout().match(UNTRUSTED)).toHaveLength(1);
});

it("a health check that succeeds is not logged", async () => {
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await lineOf("/nowhere");
  expect(requestsIn(service.stdout(), "/health")).toEqual([]);
});

const REQUESTS = 300;
const sendAll = (to: string, path: string) =>
  Promise.all(Array.from({ length: REQUESTS }, async (_, n) => (await fetch(`${to}/${path}/${n}`)).arrayBuffer()));
const countOf = (running: Running, path: string) =>
  requestsIn(running.stdout()).filter((it) => String(it["path"]).startsWith(`/${path}/`)).length;

describe("the log also has a line", () => {
  it("for a warning of Node or of a library, which is not on stderr then, and for the stop, at which no line is lost", async () => {
    const warns = 'data:text/javascript,setInterval(() => process.emitWarning("first line\\nsecond line"), 200)';
    const { running, url: own } = await started({}, "api", ["--import", warns, "src/main.ts"]);
    const warnings = () => linesIn(running.stdout()).filter((it) => it.msg === "Node warns");
    await eventually("the line", () => warnings().length > 0);
    // There can be warnings before there is a log.
    const before = running.stderr();
    await eventually("more lines", () => warnings().length > 2);
    expect(warnings()[0]).toMatchObject({ level: 40, err: { message: "first line\nsecond line" } });
    expect(running.stderr()).toBe(before);

    const socket = connect(Number(new URL(own).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(`POST /video-uploads HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nContent-Length: 500000\r\n`);
    socket.write("Content-Type: application/octet-stream\r\nExpect: 100-continue\r\n\r\n");
    // The service asks for the body, so the request is open.
    await once(socket, "data");
    await sendAll(own, "nowhere");
    running.child.kill("SIGTERM");
    const lineWith = (msg: string) => linesIn(running.stdout()).find((it) => it.msg === msg);
    await eventually("the line", () => lineWith("the service is shutting down") !== undefined);
    expect(lineWith("the service is shutting down")).toMatchObject({ level: 30, signal: "SIGTERM", open_requests: 1 });
    expect(lineWith("the service has stopped")).toBeUndefined();
    socket.destroy();
    expect(await running.exited).toBe(0);
    expect(lineWith("the service has stopped")).toMatchObject({ level: 30, duration_ms: expect.any(Number) });
    expect(countOf(running, "nowhere")).toBe(REQUESTS);
  });

  it("for a video that was processed, with its id and the time, and without its name", async () => {
    const { id } = await upload(ada, await smallClip(), "?name=a-name-of-a-person.mp4");
    const lineOfVideo = () =>
      linesIn(service.stdout()).find((it) => it.msg === "video job succeeded" && it["video_upload_id"] === id);
    await eventually("the line", () => lineOfVideo() !== undefined);
    expect(lineOfVideo()).toEqual({
      level: 30,
      time: expect.any(Number),
      video_upload_id: id,
      attempt: 1,
      duration_ms: expect.any(Number),
      msg: "video job succeeded",
    });
    expect(service.stdout()).not.toContain("a-name-of-a-person");
  });
});

describe("no line is lost", () => {
  it("when the start fails", async () => {
    await using dataDir = await temporaryDataDir();
    const settings = { DATABASE_URL: "postgresql://unknown@127.0.0.1:1/none", DATA_DIR: dataDir.path };
    await using failing = run({ ...settings, LOG_LEVEL: "info", METRICS_PORT: "0" });
    expect(await failing.exited).toBe(1);
    expect(failing.stderr()).toContain("cannot be used");
    expect(failing.stdout()).toContain("metrics are served");
  });

  it("while nothing reads stdout, and the service answers all the same", async () => {
    service.child.stdout!.pause();
    for (let round = 0; round < 5; round++) await sendAll(url, "unread");
    expect(countOf(service, "unread")).toBeLessThan(5 * REQUESTS);
    service.child.stdout!.resume();
    await eventually("all lines", () => countOf(service, "unread") === 5 * REQUESTS);
  });
});

describe('the runbook\'s command for "is it one user?"', () => {
  /** Runs the commands of the section of an alert in a shell, in a folder and with settings as an operator has them. */
  function runbook(alert: string, env: NodeJS.ProcessEnv, folder: string): string {
    const text = readFileSync(new URL("../../scripts/deploy/monitoring/RUNBOOK.md", import.meta.url), "utf8");
    const [, command] = new RegExp(`^## ${alert}$[^]*?\`\`\`sh\\n([^]*?)\`\`\``, "m").exec(text)!;
    const script = command!.replaceAll("service.log", join(folder, "service.log"));
    const { PATH, HOME } = process.env;
    return spawnSync("/bin/bash", ["-o", "pipefail", "-c", script], {
      cwd: repository,
      env: { PATH, HOME, ...env },
      encoding: "utf8",
    }).stdout;
  }

  it("counts refused requests by user, the most first", async () => {
    const [bob, eve] = [await deployment.as(), await deployment.as()];
    for (const [client, times] of [
      [eve, 3],
      [bob, 5],
    ] as const)
      for (let n = 0; n < times; n++)
        await lineOf("/posts", { method: "POST", headers: { authorization: client.authorization! } });
    await using folder = await temporaryDataDir();
    await writeFile(join(folder.path, "service.log"), service.stdout());
    expect(
      runbook("PlumblineShedding", {}, folder.path)
        .trim()
        .split(/\s*\n\s*/),
    ).toEqual([`4 "user":"${bob.userId}"`, `2 "user":"${eve.userId}"`]);
  });

  it("counts failed videos by user", async () => {
    const { userId, userName: name, authorization: key } = await deployment.as();
    const bob = createClient(url, { userId, name, authorization: key! });
    const job = await upload(bob, Buffer.from("not a video"));
    await eventually("a failed video", async () => (await bob("GET", uploadPath(job))).body.status === "failed");
    const env = { NODE_ENV: "test", DATABASE_URL: deployment.databaseUrl, DATA_DIR: deployment.dataDir };
    expect(runbook("PlumblineVideosFail", env, "").trim()).toBe(`1 "owner_id":"${bob.userId}"`);
  });
});
