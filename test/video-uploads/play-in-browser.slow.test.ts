import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "@jest/globals";
import type { Schemas } from "../../src/contract/contract.ts";
import { launchBrowser } from "../support/browser.ts";
import { makeClip } from "../support/media.ts";
import { watchRequests } from "./support/seen-requests.ts";
import { startTestService } from "../support/service.ts";
import { forward, startTcpProxy, throttle } from "../support/tcp-proxy.ts";
import { finished, upload } from "../support/videos.ts";
import { itNeeds } from "../support/needs.ts";

/** A page with a player. `play` fetches a video with the token, plays it, and returns a report after the first frames. */
const PAGE = `<!doctype html><title>Player</title><video muted></video><script>
async function play({ href, authorization }) {
  const player = document.querySelector("video");
  const answer = await fetch(href, { headers: { Authorization: authorization } });
  const happened = [];
  for (const name of ["loadeddata", "playing", "error"]) player.addEventListener(name, () => happened.push(name));
  player.src = URL.createObjectURL(await answer.blob());
  await player.play();
  await new Promise((resolve, reject) => {
    player.addEventListener("error", () => reject(new Error(player.error.message)));
    player.addEventListener("timeupdate", () => { if (player.currentTime > 0.3) resolve(); });
  });
  const picture = document.createElement("canvas").getContext("2d");
  picture.drawImage(player, 0, 0);
  const colours = new Set();
  for (let x = 0; x < 300; x += 10) colours.add(picture.getImageData(x, 60, 1, 1).data.join());
  return { status: answer.status, etag: answer.headers.get("etag"), happened, seconds: player.duration, at: player.currentTime, width: player.videoWidth, height: player.videoHeight, colours: colours.size };
}
/** Plays from the URL of the video: the player requests the ranges that it needs, and the service worker adds the token. */
async function seek({ href, authorization }) {
  await navigator.serviceWorker.register("/worker.js?" + new URLSearchParams({ authorization }));
  while (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
  const player = document.querySelector("video");
  const reached = (name) => new Promise((resolve, reject) => {
    player.addEventListener(name, resolve, { once: true });
    player.addEventListener("error", () => reject(new Error(player.error.message)), { once: true });
  });
  const loaded = reached("loadedmetadata");
  player.src = href;
  await loaded;
  const { duration, buffered } = player;
  const bufferedSeconds = buffered.length === 0 ? 0 : buffered.end(0);
  const sought = reached("seeked");
  player.currentTime = duration - 0.5;
  await sought;
  const ended = reached("ended");
  await player.play();
  await ended;
  return { seconds: duration, bufferedSeconds, at: player.currentTime, width: player.videoWidth };
}
</script>`;

/** A service worker that adds the token to the requests of the player and keeps their Range. */
const WORKER = `
const authorization = new URL(location).searchParams.get("authorization");
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (!event.request.url.includes("/renditions/")) return;
  const range = event.request.headers.get("range");
  event.respondWith(fetch(event.request.url, { mode: "cors", headers: { Authorization: authorization, ...(range === null ? {} : { Range: range }) } }));
});`;
type Seen = {
  readonly status: number;
  readonly etag: string;
  readonly happened: readonly string[];
  readonly seconds: number;
  readonly at: number;
  readonly width: number;
  readonly height: number;
  readonly colours: number;
};

/** Starts a site of another origin, with the page. */
async function startSite(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const isWorker = request.url!.startsWith("/worker.js");
    response.setHeader("Content-Type", isWorker ? "text/javascript" : "text/html").end(isWorker ? WORKER : PAGE);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Starts a browser, the site and the service, and has the service process a video. */
async function watchable(stack: AsyncDisposableStack, video: Parameters<typeof makeClip>[0]) {
  const browser = stack.use(await launchBrowser());
  const site = stack.use(await startSite());
  const service = stack.adopt(await startTestService(), (it) => it.close());
  const ada = await service.as();
  const job = await finished(ada, await upload(ada, await makeClip(video)));
  expect(job.status).toBe("succeeded");
  return {
    browser,
    site,
    service,
    authorization: ada.authorization,
    renditions: job.result.renditions as readonly Schemas["VideoRendition"][],
  };
}

itNeeds(
  "browser",
  "a page of another origin can fetch a rendition with the token and play it in a real browser",
  async () => {
    await using stack = new AsyncDisposableStack();
    const video = { durationSeconds: 2, width: 1280, height: 720, container: "webm" } as const;
    const { browser, site, service, authorization, renditions } = await watchable(stack, video);
    const page = await browser.newPage();
    for (const rendition of renditions) {
      await page.goto(site.url);
      const seen = await page.evaluate<Seen>(
        `play(${JSON.stringify({ href: `${service.url}${rendition.href}`, authorization })})`,
      );
      process.stderr.write(`${browser.version()} plays ${rendition.name}: ${JSON.stringify(seen)}\n`);
      expect(seen).toMatchObject({
        status: 200,
        etag: expect.stringMatching(/^"/),
        width: rendition.width,
        height: rendition.height,
      });
      expect(seen.happened.slice(0, 2).toSorted()).toEqual(["loadeddata", "playing"]);
      expect(seen.at).toBeGreaterThan(0.3);
      expect(Math.abs(seen.seconds * 1_000 - rendition.duration_ms)).toBeLessThanOrEqual(100);
      // The test pattern, not an empty picture.
      expect(seen.colours).toBeGreaterThan(3);
    }
    expect(renditions.map((it) => it.name)).toEqual(["480p", "720p"]);
  },
  120_000,
);

itNeeds(
  "browser",
  "a real browser seeks in a rendition with range requests, without loading the bytes between",
  async () => {
    await using stack = new AsyncDisposableStack();
    const video = { durationSeconds: 20, width: 1280, height: 720, container: "mp4" } as const;
    const { browser, site, service, authorization, renditions } = await watchable(stack, video);
    const rendition = renditions.at(-1)!;
    // Too slow for the player to load the whole file before it seeks.
    await using proxy = await startTcpProxy(service.url, (client, target) => {
      forward(client, target);
      throttle(target, client, rendition.size_bytes / 10);
    });
    using requests = watchRequests();
    const page = await browser.newPage();
    await page.goto(site.url);
    const seen = await page.evaluate<{ seconds: number; bufferedSeconds: number; at: number; width: number }>(
      `seek(${JSON.stringify({ href: `${proxy.url}${rendition.href}`, authorization })})`,
    );
    const ranges = requests.seen
      .filter((it) => it.method === "GET" && it.path === rendition.href)
      .map((it) => ({ status: it.status, first: Number(/^bytes=(\d+)-/.exec(it.headers.range ?? "")?.[1]) }));
    process.stderr.write(`${browser.version()} seeks in ${rendition.size_bytes} bytes: ${JSON.stringify({ seen, ranges })}\n`);
    expect(seen).toMatchObject({ width: rendition.width, at: seen.seconds });
    expect(seen.bufferedSeconds).toBeLessThan(seen.seconds / 2);
    expect(ranges.every((it) => it.status === 206)).toBe(true);
    expect(Math.max(...ranges.map((it) => it.first))).toBeGreaterThan(rendition.size_bytes / 2);
  },
  180_000,
);
