import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { publishedUrl } from "../../src/util/service-url.ts";
import { createClient, type Client } from "../support/client.ts";
import {
  outcomeOf,
  output,
  plumblineProcess,
  processesNaming,
  run,
  temporaryDataDir,
  type Running,
} from "../support/processes.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { openPersistentConnection } from "../support/keep-alive.ts";
import { itNeeds } from "../support/needs.ts";
import { prepare } from "../support/prepare.ts";

/** Stops the service. It must exit with 0 and leave no process running on this data directory. */
async function stop(service: Running, dataDir: string, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  service.child.kill(signal);
  expect({ exit: await service.exited, stderr: service.stderr() }).toEqual({ exit: 0, stderr: "" });
  expect(await processesNaming(dataDir)).toEqual([]);
}

type DemoFile = { readonly users: readonly [{ readonly api_key: string; readonly user_id: string }]; readonly complete: boolean };

async function demoUser(url: string, dataDir: string): Promise<Client> {
  const {
    users: [ada],
  } = JSON.parse(await readFile(join(dataDir, "demo.json"), "utf8")) as DemoFile;
  return createClient(url, { userId: ada.user_id, name: "Ada", authorization: `Bearer ${ada.api_key}` });
}

/** The number of demo resources in every area. */
async function demoCounts(ada: Client): Promise<Readonly<Record<string, number>>> {
  const count = async (path: string) => ((await ada("GET", path)).body.data as unknown[]).length;
  const [conversation] = (await ada("GET", "/conversations")).body.data;
  return {
    posts: await count("/posts"),
    urls: await count("/urls"),
    conversations: await count("/conversations"),
    messages: await count(`/conversations/${conversation.id}/messages`),
    videos: await count("/video-uploads"),
  };
}

/** The folder of all tests, because PostgreSQL takes seconds to create its files. */
const dataDir = prepare(temporaryDataDir);

const DEMO = { posts: 3, urls: 2, conversations: 1, messages: 2, videos: 1 };

it("a stop during a start ends all processes with exit code 0, whatever it is doing", async () => {
  for (const [sign, signal] of [
    // PostgreSQL creates its files, then it starts, then the demo data is created.
    ["postgres.unfinished", "SIGINT"],
    ["postgres/postmaster.pid", "SIGHUP"],
    ["demo.json", "SIGTERM"],
  ] as const) {
    await using service = run({ DATA_DIR: dataDir.path });
    await eventually(sign, () => existsSync(join(dataDir.path, sign)), undefined, 1);
    await stop(service, dataDir.path, signal);
    expect(await publishedUrl(dataDir.path)).toBeNull();
  }
});

describe("npm start", () => {
  it("after that prints a request that works, creates demo data in every area, has the same at a second start, and logs lines of JSON", async () => {
    // As an operator starts it, without code that other tests have compiled.
    const settings = { DATA_DIR: dataDir.path, NODE_COMPILE_CACHE: "" };
    await using first = run(settings);
    const cold = await first.ready();
    const { documentation: docs, contract, try: curl } = first.greeting();
    expect((await fetch(docs!)).headers.get("content-type")).toMatch(/^text\/html/);
    expect(await (await fetch(contract!)).json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
    const shell = spawnSync("/bin/sh", ["-c", `${curl} -sS`], { encoding: "utf8" });
    expect({ status: shell.status, stderr: shell.stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(shell.stdout).data).toHaveLength(3);
    for (const path of ["/", "/docs"]) {
      const shown = await fetch(`${cold.url}${path}`);
      expect(shown.headers.get("cache-control")).toBe("no-store");
      expect((await shown.text()).replaceAll("&quot;", '"')).toContain(curl);
    }
    expect(await publishedUrl(dataDir.path)).toBe(cold.url);
    const ada = await demoUser(cold.url, dataDir.path);
    expect(await demoCounts(ada)).toEqual(DEMO);
    // The demo's video is valid, so its processing succeeds and creates a notification.
    await eventually(
      "the notification of the demo's video",
      async () => (await ada("GET", "/notifications?kind=video_upload.succeeded")).body.data.length === 1,
    );
    expect(await processesNaming(dataDir.path)).not.toEqual([]);
    await stop(first, dataDir.path, "SIGINT");
    expect(await publishedUrl(dataDir.path)).toBeNull();

    // A command starts PostgreSQL, too, and stops it.
    const added = await plumblineProcess(settings, "user", "add", "Mara Lindqvist", "--print", "key");
    expect({ ...added, left: await processesNaming(dataDir.path) }).toMatchObject({ exit: 0, stderr: "", left: [] });

    await using second = run({ ...settings, LOG_LEVEL: "info" });
    const warm = await second.ready();
    const keyIn = (text: string) => /Bearer (\S+)"/.exec(text)![1];
    expect(keyIn(second.greeting()["try"]!)).toBe(keyIn(curl!));
    expect(await demoCounts(await demoUser(warm.url, dataDir.path))).toEqual(DEMO);
    for (const [name, key] of [
      ["Mara Lindqvist", added.stdout],
      ["Tomás", await output(settings, "add", "Tomás", "--print", "key")],
    ] as const) {
      const user = createClient(warm.url, { userId: "", name, authorization: `Bearer ${key.trim()}` });
      expect(await user("GET", "/account")).toMatchObject({ status: 200, body: { display_name: name } });
    }
    // A busy machine can be the cause of a warning.
    for (const line of second.stdout().trim().split("\n")) expect((JSON.parse(line) as { level: number }).level).toBeLessThan(50);
    await stop(second, dataDir.path, "SIGHUP");
  });

  itNeeds(["linux", "script"], "prints sentences on a terminal", async () => {
    await using shown = run(
      { DATA_DIR: dataDir.path, LOG_LEVEL: "info", NO_COLOR: "1" },
      ["-qec", "exec node src/main.ts", "/dev/null"],
      [],
      "script",
    );
    await eventually("a service that is ready", () => /Ctrl-C/.test(shown.stdout()), 60_000);
    expect(shown.stdout()).toMatch(/^Starting Plumbline\..*\r\n/);
    expect(shown.stdout()).toMatch(/^info  the media engine\r\n      engine: .+\r\n/m);
    expect(shown.stdout()).toMatch(/^  documentation  http.+\/docs\r\n(.*\r\n)*  try +curl -H "Authorization: Bearer plumb_/m);
    await fetch(`${/http\S+(?=\/docs)/.exec(shown.stdout())![0]}/posts?limit=1`);
    await eventually("a line for a request", () => /^info  GET \/posts 401 [\d.]+ ms listPosts\r\n/m.test(shown.stdout()));
    expect(shown.stdout()).not.toMatch(/\{"|"\}/);
    shown.child.kill("SIGTERM");
    await shown.exited;
    await eventually("the end of the service", async () => (await processesNaming(dataDir.path)).length === 0);
  });

  it.each<[string, Record<string, string>]>([
    ["with DATABASE_URL", {}],
    ["in production", { NODE_ENV: "production", CURSOR_SECRETS: "a secret of sixteen characters" }],
  ])("creates no demo data %s, and prints how to get a key", async (_when, settings) => {
    await using deployment = await createDeployment();
    // The file of an earlier demo.
    const users = [{ name: "Ada", api_key: "plumb_a_b" }];
    await writeFile(join(deployment.dataDir, "demo.json"), JSON.stringify({ users }));
    const service = await deployment.start("all", settings);
    const { url } = await service.ready();
    for (const path of ["/", "/docs"]) {
      const shown = await fetch(`${url}${path}`);
      expect(shown.headers.get("cache-control")).toBe("public, max-age=300");
      expect(await shown.text()).not.toMatch(/plumb_a_b|Try it as/);
    }
    expect(service.greeting()).toMatchObject({ key: expect.stringContaining("npm run -s plumbline -- user add") });
    expect(service.stdout()).not.toContain("curl");
    expect(await deployment.db.user.count()).toBe(0);
    // The health check of the container.
    const check = async () => (await outcomeOf(run({ PORT: new URL(url).port }, ["scripts/deploy/healthcheck.ts"]))).exit;
    expect(await check()).toBe(0);
    await stop(service, deployment.dataDir);
    expect(await check()).toBe(1);
  });
});

itNeeds("linux", "Ctrl-C on npm start ends all processes without an error message", async () => {
  await using npm = run({ DATA_DIR: dataDir.path, NODE_ENV: "development" }, ["start"], ["setsid"], "npm");
  await npm.ready();
  // A terminal sends the signal to the whole process group.
  process.kill(-npm.pid, "SIGINT");
  await npm.exited;
  await eventually("the end of all its processes", async () => (await processesNaming(dataDir.path)).length === 0);
  expect(npm.stdout() + npm.stderr()).not.toMatch(/Error|    at /);
});

const CLIENTS = 8;

/** Starts a service, and clients that send one request after the other until they are told to close. Resolves once they are busy. */
async function startBusy(deployment: Deployment, delaySeconds: number) {
  const service = await deployment.start("all", { SHUTDOWN_DELAY_SECONDS: String(delaySeconds) });
  const { url } = await service.ready();
  const { authorization } = await deployment.as();
  const connect = () => openPersistentConnection(url, `Authorization: ${authorization}\r\n`);
  let answered = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    const client = connect();
    for (;;) {
      const answer = await client.ask("GET /posts?limit=1");
      if (answer === null) return "reset";
      if (answer.status !== 200) return `status ${answer.status}`;
      answered++;
      if (answer.connection === "close") return "Connection: close";
    }
  });
  await eventually("requests under way", () => answered > 20 * CLIENTS);
  return { service, url, connect, clients };
}
const allClosed = Array.from({ length: CLIENTS }, () => "Connection: close");

it("SIGTERM completes requests in progress, resets no open connection but sends Connection: close, doesn't wait for idle ones, and accepts no new one", async () => {
  await using deployment = await createDeployment();
  const { service, url, connect, clients } = await startBusy(deployment, 0);
  const idle = connect();
  expect(await idle.ask("GET /health")).toMatchObject({ status: 200, connection: "keep-alive" });
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  async function* body() {
    yield Buffer.from("begun before");
    await until;
    yield Buffer.from(", ended after the signal");
  }
  const begun = (await deployment.as())("POST", "/video-uploads", ReadableStream.from(body()));
  // The folder exists since the start, which has stored a marker.
  const incoming = join(deployment.dataDir, "objects", "incoming");
  await eventually("an upload under way", () => existsSync(incoming) && readdirSync(incoming).length > 0);
  service.child.kill("SIGTERM");
  expect(await Promise.all(clients)).toEqual(allClosed);
  const isClosed = () =>
    fetch(`${url}/health`).then(
      () => false,
      () => true,
    );
  await eventually("no new connection", isClosed);
  goOn();
  expect(await begun).toMatchObject({ status: 202 });
  expect(await service.exited).toBe(0);
  expect(await deployment.db.videoUpload.count()).toBe(1);
});

it("during the shutdown delay, every response has Connection: close, GET /health returns 503, and an idle connection stays open", async () => {
  await using deployment = await createDeployment();
  const { service, connect, clients } = await startBusy(deployment, 6);
  const [silent, late] = [connect(), connect()];
  for (const client of [silent, late])
    expect(await client.ask("GET /account")).toMatchObject({ status: 200, connection: "keep-alive" });
  service.child.kill("SIGTERM");
  await eventually("503", async () => (await connect().ask("GET /health"))?.status === 503, 5_000, 1);
  expect(await Promise.all(clients)).toEqual(allClosed);
  expect(await late.ask("GET /account")).toMatchObject({ status: 200, connection: "close" });
  for (const path of ["/health", "/posts", "/nothing", "/docs", "/health/live", "/u/nothing-here"])
    expect({ path, answer: await connect().ask(`GET ${path}`) }).toMatchObject({ path, answer: { connection: "close" } });
  expect(silent.socket.readable).toBe(true);
  expect(await service.exited).toBe(0);
  await eventually("the end of the silent connection", () => !silent.socket.readable);
});
