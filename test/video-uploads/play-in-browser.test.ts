import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "@jest/globals";
import { launchBrowser } from "../support/browser.ts";
import { makeClip } from "../support/media.ts";
import { startTestService } from "../support/service.ts";
import { finished, upload } from "../support/videos.ts";

/** A page with a player: `play` fetches a video with the token, plays it, and says how it went once the picture has moved on. */
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
</script>`;
type Seen = { readonly status: number; readonly etag: string; readonly happened: readonly string[]; readonly seconds: number; readonly at: number; readonly width: number; readonly height: number; readonly colours: number };

/** Somebody else's site, with that page. */
async function startSite(): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((_request, response) => response.setHeader("Content-Type", "text/html").end(PAGE)).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

it("is a video that a page of another site plays in a real browser: fetched with the token, it loads, plays and moves on", async () => {
  await using browser = await launchBrowser();
  if (browser === null) return;
  await using site = await startSite();
  const service = await startTestService();
  try {
    const ada = await service.as();
    const job = await finished(ada, await upload(ada, await makeClip({ durationSeconds: 2, width: 1280, height: 720, container: "webm" })), 90_000);
    expect(job.status).toBe("succeeded");
    const page = await browser.newPage();
    for (const rendition of job.result.renditions) {
      await page.goto(site.url);
      const seen = await page.evaluate<Seen>(`play(${JSON.stringify({ href: `${service.url}${rendition.href}`, authorization: ada.authorization })})`);
      process.stderr.write(`${browser.version()} plays ${rendition.name}: ${JSON.stringify(seen)}\n`);
      expect(seen).toMatchObject({ status: 200, etag: expect.stringMatching(/^"/), width: rendition.width, height: rendition.height });
      expect(seen.happened.slice(0, 2).toSorted()).toEqual(["loadeddata", "playing"]);
      expect(seen.at).toBeGreaterThan(0.3);
      expect(Math.abs(seen.seconds * 1_000 - rendition.duration_ms)).toBeLessThanOrEqual(100);
      // A test pattern, and no empty picture.
      expect(seen.colours).toBeGreaterThan(3);
    }
    expect(job.result.renditions.map((it: { name: string }) => it.name)).toEqual(["480p", "720p"]);
  } finally {
    await service.close();
  }
}, 120_000);
