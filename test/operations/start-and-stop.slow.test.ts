import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { publishedUrl } from "../../src/util/service-url.ts";
import { createClient, type Client } from "../support/client.ts";
import { crowding } from "../support/cpu.ts";
import { eventually } from "../support/eventually.ts";
import { processesNaming } from "../support/processes.ts";
import { itNeeds } from "../support/needs.ts";
import { repository, run, temporaryDataDir, type Running } from "../support/running.ts";
import { startTestService } from "../support/service.ts";

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

const DEMO = { posts: 3, urls: 2, conversations: 1, messages: 2, videos: 1 };

describe("npm start", () => {
  it("prints a request that works, creates demo data in every area, and has the same at a second start", async () => {
    await using dataDir = await temporaryDataDir();
    // As an operator starts it, without code that other tests have compiled.
    const settings = { DATA_DIR: dataDir.path, NODE_COMPILE_CACHE: "" };
    let slowdown = crowding();
    await using first = run(settings);
    const cold = await first.ready();
    slowdown = Math.max(slowdown, crowding());
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
    await stop(first, dataDir.path);
    expect(await publishedUrl(dataDir.path)).toBeNull();

    await using second = run(settings);
    const warm = await second.ready();
    slowdown = Math.max(slowdown, crowding());
    const keyIn = (text: string) => /Bearer (\S+)"/.exec(text)![1];
    expect(keyIn(second.greeting()["try"]!)).toBe(keyIn(curl!));
    expect(await demoCounts(await demoUser(warm.url, dataDir.path))).toEqual(DEMO);
    await stop(second, dataDir.path);
    process.stderr.write(
      `start with an empty data directory: ${(cold.tookMs / 1_000).toFixed(2)} s; the second start: ${(warm.tookMs / 1_000).toFixed(2)} s; the machine: ${slowdown.toFixed(1)} times as slow as a quiet one\n`,
    );
    expect(cold.tookMs).toBeLessThan(10_000 * slowdown);
    expect(warm.tookMs).toBeLessThan(4_000 * slowdown);
  }, 300_000);

  itNeeds(
    ["linux", "script"],
    "prints sentences on a terminal, and lines of JSON elsewhere",
    async () => {
      await using dataDir = await temporaryDataDir();
      const settings = { DATA_DIR: dataDir.path, LOG_LEVEL: "info", NO_COLOR: "1" };
      await using piped = run(settings);
      await piped.ready();
      for (const line of piped.stdout().trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ level: 30 });
      await stop(piped, dataDir.path);

      await using shown = run(settings, ["-qec", "exec node src/main.ts", "/dev/null"], [], "script");
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
    },
    180_000,
  );

  it("completes the demo data of a killed start, with the same key and nothing twice", async () => {
    await using stack = new AsyncDisposableStack();
    const killed = await eventually("a start that was killed before its demo data was complete", async () => {
      const { path } = stack.use(await temporaryDataDir());
      await using service = run({ DATA_DIR: path });
      await eventually("the start of the demo data", () => existsSync(join(path, "demo.json")), undefined, 1);
      service.child.kill("SIGKILL");
      await service.exited;
      const begun = JSON.parse(await readFile(join(path, "demo.json"), "utf8")) as DemoFile;
      if (!begun.complete) return { path, begun };
      // On a busy machine, the signal can be late.
      await using again = run({ DATA_DIR: path });
      await again.ready();
      await stop(again, path);
      return null;
    });
    const { path, begun } = killed;
    const settings = { DATA_DIR: path };
    await using next = run(settings);
    const { url } = await next.ready();
    expect(next.stdout()).toContain(begun.users[0].api_key);
    expect(await demoCounts(await demoUser(url, path))).toEqual(DEMO);
    // The new process uses the PostgreSQL that the killed one left running, and stops it.
    await stop(next, path);
  }, 180_000);

  it("starts even if the configured rate limits prevent the demo data", async () => {
    await using dataDir = await temporaryDataDir();
    await using service = run({ DATA_DIR: dataDir.path, RATE_LIMITS: "writes=2/60" });
    const { url } = await service.ready();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(service.stderr()).toMatch(/^The demo data was not created; .*\n$/);
    service.child.kill("SIGTERM");
    expect(await service.exited).toBe(0);
  }, 180_000);

  it("creates no demo data with DATABASE_URL or in production, and prints how to get a key", async () => {
    const database = await startTestService({ ROLE: "api" });
    try {
      for (const settings of [{}, { NODE_ENV: "production", CURSOR_SECRETS: "a secret of sixteen characters" }]) {
        await using dataDir = await temporaryDataDir();
        // The file of an earlier demo.
        await writeFile(join(dataDir.path, "demo.json"), JSON.stringify({ users: [{ name: "Ada", api_key: "plumb_a_b" }] }));
        await using service = run({ DATA_DIR: dataDir.path, DATABASE_URL: database.databaseUrl, ...settings });
        const { url } = await service.ready();
        for (const path of ["/", "/docs"]) {
          const shown = await fetch(`${url}${path}`);
          expect(shown.headers.get("cache-control")).toBe("public, max-age=300");
          expect(await shown.text()).not.toMatch(/plumb_a_b|Try it as/);
        }
        expect(service.greeting()).toMatchObject({ key: expect.stringContaining("npm run -s plumbline -- user add") });
        expect(service.stdout()).not.toContain("curl");
        expect(await database.db.user.count()).toBe(0);
        await stop(service, dataDir.path);
      }
    } finally {
      await database.close();
    }
  }, 180_000);
});

describe("stopping", () => {
  describe("at a signal", () => {
    let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
    beforeAll(async () => {
      dataDir = await temporaryDataDir();
    });
    afterAll(async () => dataDir[Symbol.asyncDispose]());

    it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
      "ends all processes at %s, including the embedded PostgreSQL, with exit code 0",
      async (signal) => {
        await using service = run({ DATA_DIR: dataDir.path, NODE_ENV: "test" });
        await service.ready();
        expect(await processesNaming(dataDir.path)).not.toEqual([]);
        await stop(service, dataDir.path, signal);
      },
      180_000,
    );
  });

  it.each([
    ["while PostgreSQL creates its files", "postgres.unfinished"],
    ["while PostgreSQL starts", "postgres/postmaster.pid"],
    ["while the demo data is created", "demo.json"],
  ])(
    "%s ends all processes with exit code 0, and the next start succeeds",
    async (_when, sign) => {
      await using dataDir = await temporaryDataDir();
      await using service = run({ DATA_DIR: dataDir.path });
      await eventually(sign, () => existsSync(join(dataDir.path, sign)), undefined, 1);
      await stop(service, dataDir.path);
      expect(await publishedUrl(dataDir.path)).toBeNull();
      await using next = run({ DATA_DIR: dataDir.path });
      const { url } = await next.ready();
      expect(await demoCounts(await demoUser(url, dataDir.path))).toEqual(DEMO);
      await stop(next, dataDir.path);
    },
    180_000,
  );

  it("by Ctrl-C on npm start ends all processes without an error message", async () => {
    await using dataDir = await temporaryDataDir();
    const npm = spawn("npm", ["start"], {
      cwd: repository,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        DATA_DIR: dataDir.path,
        PORT: "0",
        LOG_LEVEL: "silent",
        DATABASE_URL: "",
        NODE_ENV: "development",
      },
    });
    let output = "";
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
      });
    const closed = once(npm, "close");
    await eventually("a service that is ready", () => output.includes("curl"), 60_000);
    process.kill(-npm.pid!, "SIGINT");
    await closed;
    await eventually("the end of all its processes", async () => (await processesNaming(dataDir.path)).length === 0);
    expect(output).not.toMatch(/Error|    at /);
  }, 180_000);

  it("completes requests in progress, doesn't wait for idle connections, and accepts no new ones", async () => {
    const database = await startTestService({ ROLE: "api" });
    await using dataDir = await temporaryDataDir();
    try {
      await using service = run({ DATA_DIR: dataDir.path, DATABASE_URL: database.databaseUrl, NODE_ENV: "test" });
      const { url } = await service.ready();
      const user = await database.as();
      const ada = createClient(url, { userId: user.userId, name: user.userName, authorization: user.authorization! });
      await fetch(`${url}/health`);
      const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
      const begun = ada(
        "POST",
        "/video-uploads",
        ReadableStream.from(
          (async function* () {
            yield Buffer.from("begun before");
            await until;
            yield Buffer.from(", ended after the signal");
          })(),
        ),
      );
      // The folder exists since the start, which has stored a marker.
      const incoming = join(dataDir.path, "objects", "incoming");
      await eventually("an upload under way", () => existsSync(incoming) && readdirSync(incoming).length > 0);
      service.child.kill("SIGTERM");
      await eventually("no new connection", async () =>
        fetch(`${url}/health`).then(
          () => false,
          () => true,
        ),
      );
      goOn();
      expect(await begun).toMatchObject({ status: 202 });
      expect(await service.exited).toBe(0);
      expect(await database.db.videoUpload.count()).toBe(1);
    } finally {
      await database.close();
    }
  }, 180_000);
});
