import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { publishedUrl, publishUrl, withdrawUrl } from "../../src/util/service-url.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { makeClip } from "../support/media.ts";
import { startPlumbline } from "../support/plumbline.ts";
import { type Running } from "../support/running.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { storedFiles } from "../support/videos.ts";

let folder: string;
let clip: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plumbline-upload-"));
  clip = await makeClip({ durationSeconds: 2, width: 320, height: 240, container: "mp4" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const keyOf = (client: Client) => client.authorization!.slice("Bearer ".length);
const command = (url: string, args: readonly string[], settings: Record<string, string> = {}): Running =>
  startPlumbline({ DATA_DIR: folder, NO_COLOR: "1", ...settings }, "upload", "--url", url, ...args);

/** A proxy that removes `Retry-After` from responses, and counts the requests for a job. */
async function startProxy(serviceUrl: string): Promise<{ readonly url: string; polls(): number } & AsyncDisposable> {
  let polls = 0;
  const proxy = createHttpServer((incoming, outgoing) => {
    if (/^\/video-uploads\/./.test(incoming.url ?? "")) polls++;
    const onward = request(
      `${serviceUrl}${incoming.url}`,
      { method: incoming.method, headers: incoming.headers, agent: false },
      (answer) => {
        const { "retry-after": _, ...headers } = answer.headers;
        outgoing.writeHead(answer.statusCode!, headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    polls: () => polls,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

describe("plumbline upload", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it("prints one line per change into a pipe, however often it polls", async () => {
    const long = await makeClip({ durationSeconds: 12, width: 1280, height: 720, container: "mp4" });
    const ada = await service.as();
    await using upload = command(service.url, [long, "--key", keyOf(ada)]);
    expect(await upload.exited).toBe(0);
    const steps = [...upload.stderr().matchAll(/^(\w+): (\d+) %/gm)].map((it) => `${it[1]} ${Math.floor(Number(it[2]) / 25)}`);
    expect(steps).toContain("uploading 4");
    expect(steps).toEqual([...new Set(steps)]);
    expect(upload.stderr()).not.toMatch(/[\r\x1b]/);
    // The engine has the lowest priority.
  }, 1_800_000);

  it("finds the running service of this checkout on any port by its published URL", async () => {
    const ada = await service.as();
    const dataDir = await mkdtemp(join(folder, "checkout-"));
    await publishUrl(dataDir, service.url);
    await using upload = startPlumbline({ DATA_DIR: dataDir, NO_COLOR: "1" }, "upload", clip, "--key", keyOf(ada));
    expect(await upload.exited).toBe(0);
    expect((await ada("GET", "/video-uploads")).body.data).toHaveLength(1);
    await withdrawUrl(dataDir, "http://127.0.0.1:1");
    expect(await publishedUrl(dataDir)).toBe(service.url);
    await withdrawUrl(dataDir, service.url);
    expect(await publishedUrl(dataDir)).toBeNull();
  });

  it("polls at most once a second if a proxy removes Retry-After", async () => {
    await using answering = await startProxy(service.url);
    const ada = await service.as();
    await using upload = command(answering.url, [clip, "--key", keyOf(ada)]);
    expect(await upload.exited).toBe(0);
    const [job] = (await ada("GET", "/video-uploads")).body.data;
    const seconds = (Date.parse(job.finished_at) - Date.parse(job.created_at)) / 1_000;
    expect(answering.polls()).toBeGreaterThan(0);
    expect(answering.polls()).toBeLessThanOrEqual(seconds + 2);
  });

  it("prints why a file that isn't a video failed, and exits with 1", async () => {
    const path = join(folder, "notes.txt");
    await writeFile(path, "not a video\n");
    await using upload = command(service.url, [path, "--key", keyOf(await service.as())]);
    expect(await upload.exited).toBe(1);
    expect(upload.stderr()).toMatch(/^✗ notes\.txt failed: .+ \(unsupported_media\)$/m);
    expect(upload.stdout()).toBe("");
  });

  it("uses the key in --key, or else in PLUMBLINE_KEY, or else the key of the demo user", async () => {
    const [ada, ben, eve] = [await service.as(), await service.as(), await service.as()];
    await writeFile(join(folder, "demo.json"), JSON.stringify({ users: [{ api_key: keyOf(ada) }] }));
    for (const [args, settings] of [
      [[], {}],
      [[], { PLUMBLINE_KEY: keyOf(ben) }],
      [["--key", keyOf(eve)], { PLUMBLINE_KEY: keyOf(ben) }],
    ] as const) {
      await using upload = command(service.url, [clip, ...args], settings);
      expect(await upload.exited).toBe(0);
    }
    for (const user of [ada, ben, eve]) expect((await user("GET", "/video-uploads")).body.data).toHaveLength(1);
  });

  it("creates one job if the response to an upload is lost", async () => {
    const ada = await service.as();
    await using broken = await startTcpProxy(service.url, (client, server, count) => {
      client.pipe(server);
      // The first response never arrives, although the upload is complete.
      if (count === 1) server.once("data", () => client.destroy());
      else server.pipe(client);
    });
    await using upload = command(broken.url, [clip, "--key", keyOf(ada)]);
    expect(await upload.exited).toBe(0);
    expect(upload.stderr()).toMatch(/The connection broke \(\w+\); trying again\./);
    expect((await ada("GET", "/video-uploads")).body.data).toHaveLength(1);
  });

  it.each<[string, (url: string) => [string, string[], Record<string, string>?], RegExp]>([
    [
      "a rejected key",
      (url) => [url, [clip, "--key", "plumb_wrong"]],
      /^The API key is not accepted: .+ \((invalid_token|unauthenticated)\)\n$/,
    ],
    ["no key", (url) => [url, [clip], { DATA_DIR: "/nowhere" }], /^There is no API key\. .+\n$/],
    ["a missing file", (url) => [url, ["nowhere.mp4", "--key", "x"]], /^There is no file nowhere\.mp4\.\n$/],
    ["a path that isn't a file", (url) => [url, ["/dev/null", "--key", "x"]], /^\/dev\/null is not a file\.\n$/],
    [
      "a service that doesn't run",
      () => ["http://127.0.0.1:61999", [clip, "--key", "x"]],
      /^http:\/\/127\.0\.0\.1:61999 doesn't respond \(ECONNREFUSED\)\. .+\n$/,
    ],
    ["an invalid URL", () => ["somewhere", [clip, "--key", "x"]], /^somewhere is not the URL of a service\.\n$/],
    ["no argument", (url) => [url, []], /^Only 0 of 1 arguments are given\.\n\nplumbline upload <file>\n/],
  ])("prints a one-sentence message about %s, and exits with 1", async (_what, make, sentence) => {
    await using upload = command(...make(service.url));
    expect(await upload.exited).toBe(1);
    expect(upload.stderr().replace(/^uploading: .*\n/, "")).toMatch(sentence);
  });
});

describe("a cancelled plumbline upload", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ ROLE: "api" });
  });
  afterAll(() => service.close());

  it("deletes its job", async () => {
    const ada = await service.as();
    await using upload = command(service.url, [clip, "--key", keyOf(ada)]);
    await eventually("a job to follow", () => upload.stderr().includes("queued"));
    upload.child.kill("SIGINT");
    expect(await upload.exited).toBe(130);
    expect(upload.stderr()).toMatch(/Cancelled; the upload was deleted\.\n$/);
    expect((await ada("GET", "/video-uploads")).body.data).toEqual([]);
    expect(await storedFiles(service)).toEqual([]);
  });

  it("leaves nothing of an incomplete upload", async () => {
    const ada = await service.as();
    const path = join(folder, "large.mp4");
    await writeFile(path, Buffer.alloc(30_000_000));
    // The proxy accepts the first bytes, and then no more.
    await using stuck = await startTcpProxy(service.url, (client, server) =>
      client.once("data", (bytes) => {
        client.pause();
        server.write(bytes);
      }),
    );
    await using upload = command(stuck.url, [path, "--key", keyOf(ada)]);
    await eventually(
      "the beginning of the upload",
      async () => upload.stderr().includes("uploading") && (await storedFiles(service)).length === 1,
    );
    upload.child.kill("SIGINT");
    expect(await upload.exited).toBe(130);
    expect(upload.stderr()).toMatch(/Cancelled before the upload was complete\.\n$/);
    // A proxy that does not read does not notice that the client has disconnected.
    await stuck[Symbol.asyncDispose]();
    await eventually("no file left", async () => (await storedFiles(service)).length === 0);
    expect((await ada("GET", "/video-uploads")).body.data).toEqual([]);
  });
});
