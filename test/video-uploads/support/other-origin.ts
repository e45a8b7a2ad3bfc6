/** A site of another origin than the service, with a page that plays a video of the service with a token. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A page with a player. */
const PAGE = `<!doctype html><title>Player</title><video muted></video><script>
/**
 * Fetches the beginning of a video with the token, and plays from its URL: the player requests the ranges that it needs, and the service
 * worker adds the token.
 */
async function seek({ href, authorization }) {
  const answer = await fetch(href, { headers: { Authorization: authorization, Range: "bytes=0-9" } });
  await navigator.serviceWorker.register("/worker.js?" + new URLSearchParams({ authorization }));
  while (!navigator.serviceWorker.controller) await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
  const player = document.querySelector("video");
  player.crossOrigin = "anonymous";
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
  const picture = document.createElement("canvas").getContext("2d");
  picture.drawImage(player, 0, 0);
  const colours = new Set();
  for (let x = 0; x < 300; x += 10) colours.add(picture.getImageData(x, 60, 1, 1).data.join());
  const { status, headers } = answer;
  return { status, etag: headers.get("etag"), seconds: duration, bufferedSeconds, at: player.currentTime, width: player.videoWidth, colours: colours.size };
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

/** What `seek` reports. */
export type Seen = Readonly<Record<"status" | "seconds" | "bufferedSeconds" | "at" | "width" | "colours", number>> & {
  readonly etag: string;
};

/** Starts a site of another origin, with the page. */
export async function startSite(): Promise<{ url: string } & AsyncDisposable> {
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
