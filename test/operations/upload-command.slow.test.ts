import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { secondsOf } from "../../scripts/upload/api.ts";
import { publishedUrl, publishUrl, withdrawUrl } from "../../src/util/service-url.ts";
import type { Client } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { makeClip, temporaryFolder } from "../support/media.ts";
import { plumbline, startPlumbline } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";
import { startTestService } from "../support/service.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import { storedFiles } from "../support/videos.ts";

const folder = prepare(temporaryFolder);
let clip: string;
beforeAll(async () => {
  clip = await makeClip({ durationSeconds: 1, width: 160, height: 120, container: "mp4" });
});

const service = prepare(() => startTestService());
/** A service that processes nothing. */
const api = prepare(() => startTestService({ ROLE: "api" }));

const keyOf = (client: Client) => client.authorization!.slice("Bearer ".length);
const inFolder = (settings: Record<string, string> = {}) => ({ DATA_DIR: folder.path, NO_COLOR: "1", ...settings });
const uploadTo = (url: string, args: readonly string[], settings: Record<string, string> = {}) =>
  plumbline(inFolder(settings), "upload", "--url", url, ...args);
const videosOf = async (client: Client) => (await client("GET", "/video-uploads")).body.data;

describe("plumbline upload", () => {
  it("prints one line per change into a pipe", async () => {
    const { exit, stderr } = await uploadTo(service.url, [clip, "--key", keyOf(await service.as())]);
    expect(exit).toBe(0);
    const steps = [...stderr.matchAll(/^(\w+): (\d+) %/gm)].map((it) => `${it[1]} ${Math.floor(Number(it[2]) / 25)}`);
    expect(steps).toContain("uploading 4");
    expect(steps).toEqual([...new Set(steps)]);
    expect(stderr).not.toMatch(/[\r\x1b]/);
  });

  it("polls as Retry-After says, or once a second if a proxy has removed it", () => {
    expect(secondsOf(new Response(null, { headers: { "Retry-After": "5" } }))).toBe(5);
    expect(secondsOf(new Response())).toBe(1);
  });

  it("prints why a file that isn't a video failed, and exits with 1", async () => {
    const path = join(folder.path, "notes.txt");
    await writeFile(path, "not a video\n");
    const { exit, stdout, stderr } = await uploadTo(service.url, [path, "--key", keyOf(await service.as())]);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: "" });
    expect(stderr).toMatch(/^✗ notes\.txt failed: .+ \(unsupported_media\)$/m);
  });

  it("finds the service of this checkout by its published URL, and uses --key, or PLUMBLINE_KEY, or the key of the demo", async () => {
    const [ada, ben, eve] = [await service.as(), await service.as(), await service.as()];
    await writeFile(join(folder.path, "demo.json"), JSON.stringify({ users: [{ api_key: keyOf(ada) }] }));
    await publishUrl(folder.path, service.url);
    const settings = { PLUMBLINE_KEY: keyOf(ben) };
    expect((await plumbline(inFolder(), "upload", clip)).exit).toBe(0);
    expect((await plumbline(inFolder(settings), "upload", clip)).exit).toBe(0);
    expect((await plumbline(inFolder(settings), "upload", clip, "--key", keyOf(eve))).exit).toBe(0);
    for (const user of [ada, ben, eve]) expect(await videosOf(user)).toHaveLength(1);
    await withdrawUrl(folder.path, "http://127.0.0.1:1");
    expect(await publishedUrl(folder.path)).toBe(service.url);
    await withdrawUrl(folder.path, service.url);
    expect(await publishedUrl(folder.path)).toBeNull();
  });

  it("creates one job if the response to an upload is lost", async () => {
    const ada = await service.as();
    await using broken = await startTcpProxy(service.url, (client, server, count) => {
      client.pipe(server);
      // The first response never arrives, although the upload is complete.
      if (count === 1) server.once("data", () => client.destroy());
      else server.pipe(client);
    });
    const { exit, stderr } = await uploadTo(broken.url, [clip, "--key", keyOf(ada)]);
    expect(exit).toBe(0);
    expect(stderr).toMatch(/The connection broke \(\w+\); trying again\./);
    expect(await videosOf(ada)).toHaveLength(1);
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
  ])("prints a one-sentence message about %s, and exits with 1", async (_what, make, sentence) => {
    const { exit, stderr } = await uploadTo(...make(service.url));
    expect(exit).toBe(1);
    expect(stderr.replace(/^uploading: .*\n/, "")).toMatch(sentence);
  });
});

describe("a cancelled plumbline upload", () => {
  const start = (url: string, file: string, client: Client) =>
    startPlumbline(inFolder(), "upload", "--url", url, file, "--key", keyOf(client));

  it("deletes its job", async () => {
    const ada = await api.as();
    await using upload = start(api.url, clip, ada);
    await eventually("a job to follow", () => upload.stderr().includes("queued"));
    upload.child.kill("SIGINT");
    expect(await upload.exited).toBe(130);
    expect(upload.stderr()).toMatch(/Cancelled; the upload was deleted\.\n$/);
    expect(await videosOf(ada)).toEqual([]);
    expect(await storedFiles(api)).toEqual([]);
  });

  it("leaves nothing of an incomplete upload", async () => {
    const ada = await api.as();
    const path = join(folder.path, "large.mp4");
    await writeFile(path, Buffer.alloc(30_000_000));
    // The proxy accepts the first bytes, and then no more.
    await using stuck = await startTcpProxy(api.url, (client, server) =>
      client.once("data", (bytes) => {
        client.pause();
        server.write(bytes);
      }),
    );
    await using upload = start(stuck.url, path, ada);
    await eventually(
      "the beginning of the upload",
      async () => upload.stderr().includes("uploading") && (await storedFiles(api)).length === 1,
    );
    upload.child.kill("SIGINT");
    expect(await upload.exited).toBe(130);
    expect(upload.stderr()).toMatch(/Cancelled before the upload was complete\.\n$/);
    // A proxy that does not read does not notice that the client has disconnected.
    await stuck[Symbol.asyncDispose]();
    await eventually("no file left", async () => (await storedFiles(api)).length === 0);
    expect(await videosOf(ada)).toEqual([]);
  });
});
