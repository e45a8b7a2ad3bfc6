import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import type { Browser, Page, Response } from "playwright-core";
import { createFileStore } from "../../src/storage/file-store.ts";
import { openPage, launchBrowser, type BrowserPage } from "../support/browser.ts";
import type { Client } from "../support/client.ts";
import { eventually, usedBeforeExpiry } from "../support/eventually.ts";
import { makeWith } from "../support/media.ts";
import { describeNeeds } from "../support/needs.ts";
import { LINK_SECRET, linkWith, playbackOf } from "../support/playback.ts";
import { startTestService, type TestService } from "../support/service.ts";
import { storeResult } from "../support/stored-result.ts";

const SECONDS = 60;
/** Usually long enough to begin to play. */
const SOON_MS = 6_000;

/** A video with more bytes than a browser reads ahead: a test picture with noise. */
const largeClip = () => {
  const picture = `testsrc2=size=640x360:rate=10:duration=${SECONDS},noise=alls=40:allf=t`;
  const coding = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 20 -b:v 4M -movflags +faststart -f mp4".split(" ");
  return makeWith(["-f", "lavfi", "-i", picture, ...coding], "mp4");
};

describeNeeds("browser", "the player page in a browser", () => {
  let service: TestService;
  let browser: Browser;
  let bytes: Buffer;
  const opened: BrowserPage[] = [];
  beforeAll(async () => {
    service = await startTestService({ CURSOR_SECRETS: LINK_SECRET });
    browser = await launchBrowser();
    bytes = await readFile(await largeClip());
  });
  // A page that stays open stops reading, and the service ends its connection in a later test.
  afterEach(() => Promise.all(opened.map((it) => it.page.close())));
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  async function storeVideo(): Promise<{ ada: Client; jobId: string }> {
    const ada = await service.as();
    return { ada, jobId: await storeResult(service, ada, createFileStore(join(service.dataDir, "objects")), bytes) };
  }

  /** Opens the player, and records what the service returned for files. */
  async function open(hash = "", width = 1280) {
    const window = await openPage(browser, { width });
    opened.push(window);
    const files: Response[] = [];
    window.page.on("response", (it) => void (it.url().includes("/playback/") && files.push(it)));
    await window.open(`${service.url}/docs/player${hash}`);
    return { ...window, files };
  }

  /** Chooses the only video of a user. */
  async function choose(page: Page, user: Client): Promise<void> {
    await page.getByLabel("Token").fill(user.authorization!.replace("Bearer ", ""));
    await page.getByRole("button", { name: "Show my videos" }).click();
    await page.locator("#videos button").click();
  }

  const timeOf = (page: Page) => page.evaluate<number>("document.querySelector('video').currentTime");
  const plays = async (page: Page, after: number) =>
    eventually(`playing beyond ${after} s`, async () => (await timeOf(page)) > after + 0.5, 60_000);
  const stateOf = (page: Page) => page.locator("#state");
  const hashOf = (links: object) => `#${encodeURIComponent(JSON.stringify(links))}`;

  /** Links as a page gets them, with any expiry. */
  async function linksUntil(expiresAt: Date, ada: Client, jobId: string) {
    const { poster, sprite, renditions } = await playbackOf(ada, jobId);
    const link = (file: string) => linkWith({ jobId, file }, { ownerId: ada.userId, expiresAt });
    return {
      expires_at: expiresAt.toISOString(),
      poster: { ...poster, href: link("poster.jpg") },
      sprite,
      renditions: renditions.map((it) => ({ ...it, href: link("480p.mp4") })),
    };
  }

  it("plays, and seeks with a range request, without sending the token for a file", async () => {
    const { ada } = await storeVideo();
    const { page, files } = await open();
    await choose(page, ada);
    await plays(page, 0);
    const before = files.length;
    await page.evaluate(`document.querySelector('video').currentTime = ${SECONDS - 10}`);
    await plays(page, SECONDS - 10);
    const ranges = files.slice(before).map((it) => Number(/^bytes=(\d+)-/.exec(it.request().headers()["range"] ?? "")?.[1]));
    expect(Math.max(...ranges)).toBeGreaterThan(bytes.length / 2);
    expect(files.filter((it) => it.url().includes(".mp4")).map((it) => it.status())).not.toContain(200);
    for (const file of files) expect((await file.request().allHeaders())["authorization"]).toBeUndefined();
    expect(page.url()).toBe(`${service.url}/docs/player`);
  });

  it("shows the tile of the sprite for the time under the pointer, and seeks to where the slider is dragged", async () => {
    const { ada, jobId } = await storeVideo();
    // Three tiles of the same length.
    const [durationMs, intervalMs] = [SECONDS * 1_000, (SECONDS * 1_000) / 3];
    await service.db
      .$executeRaw`UPDATE video_uploads SET result = jsonb_set(jsonb_set(result, '{durationMs}', to_jsonb(${durationMs}::int)),
    '{sprite,intervalMs}', to_jsonb(${intervalMs}::int)) WHERE id = ${jobId}::uuid`;
    const { page, files } = await open();
    await choose(page, ada);
    await plays(page, 0);
    await eventually("the WebVTT file", async () => files.some((it) => it.url().includes("/sprite.vtt") && it.status() === 200));
    const slider = page.getByLabel("Seek");
    const { width } = (await slider.boundingBox())!;
    const tile = page.locator("#tile");
    for (const [part, offset] of [
      [0.1, "0px 0px"],
      [0.5, "-3px 0px"],
      [0.9, "0px -2px"],
    ] as const) {
      await slider.hover({ position: { x: part * width, y: 5 } });
      await tile.waitFor();
      expect(await page.evaluate("getComputedStyle(document.querySelector('#tile')).backgroundPosition")).toBe(offset);
    }
    await slider.click({ position: { x: 0.5 * width, y: 5 } });
    await plays(page, SECONDS / 2 - 2);
    await page.getByLabel("Quality").hover();
    await tile.waitFor({ state: "hidden" });
    expect(files.filter((it) => it.url().includes("/sprite.jpg")).map((it) => it.status())).toContain(200);
  });

  it("continues at the same time of the video with new links, when the links expire", async () => {
    const { ada, jobId } = await storeVideo();
    const { page } = await open();
    const first = await linksUntil(new Date(Date.now() + SOON_MS), ada, jobId);
    await page.route("**/video-uploads/*/playback", (route) => route.fulfill({ status: 201, json: first }), { times: 1 });
    await choose(page, ada);
    await plays(page, 0);
    await page.evaluate("document.querySelector('video').currentTime = 30");
    await stateOf(page).filter({ hasText: "New links since" }).waitFor();
    const renewed = await timeOf(page);
    expect(renewed).toBeGreaterThanOrEqual(30);
    await plays(page, renewed);
    const source = await page.evaluate<string>("document.querySelector('video').currentSrc");
    expect(source).not.toContain(first.renditions[0]!.href);
    expect(await stateOf(page).getAttribute("data-kind")).toBe("running");
  });

  it("plays in a tab without the token until the links expire, and then stops with a message", async () => {
    const { ada, jobId } = await storeVideo();
    const { page, text } = await usedBeforeExpiry(async (expiresAt) => {
      const tab = await open(hashOf(await linksUntil(expiresAt, ada, jobId)));
      const isStopped = async () => (await stateOf(tab.page).getAttribute("data-kind")) === "stopped";
      await tab.page.evaluate("void document.querySelector('video').play().catch(() => undefined)");
      await eventually("playing, or the expiry", async () => (await timeOf(tab.page)) > 0.5 || (await isStopped()));
      return { ...tab, text: await stateOf(tab.page).innerText() };
    });
    expect(text).toMatch(/^The links work until /);
    await stateOf(page).filter({ hasText: "The link has expired. Ask for a new one where you got it." }).waitFor();
    expect(await stateOf(page).getAttribute("data-kind")).toBe("stopped");
    expect(await page.locator("video").getAttribute("src")).toBeNull();
    expect(await page.getByLabel("Token").isVisible()).toBe(false);
  });

  it.each([
    ["The video was deleted.", async (ada: Client, jobId: string) => void (await ada("DELETE", `/video-uploads/${jobId}`)), ""],
    ["The link is not valid.", async () => undefined, "x"],
    ["This link leads to another service.", async () => undefined, "//films.example/"],
  ])("stops and says so: %s", async (text, change, how) => {
    const { ada, jobId } = await storeVideo();
    const links = await playbackOf(ada, jobId);
    const hrefOf = (href: string) => (how.startsWith("/") ? how : href + how);
    await change(ada, jobId);
    const renditions = links.renditions.map((it) => ({ ...it, href: hrefOf(it.href) }));
    const { page } = await open(hashOf({ ...links, renditions }));
    await stateOf(page).filter({ hasText: text }).waitFor();
    expect(await stateOf(page).getAttribute("data-kind")).toBe("stopped");
  });

  it.each([1280, 390])("is accessible and clips nothing with a width of %d", async (width) => {
    const { ada, jobId } = await storeVideo();
    await service.db.videoUpload.update({ where: { id: jobId }, data: { name: `${"long".repeat(40)}.mov` } });
    const { page, ask } = await open("", width);
    const flaws = async () => [...(await ask<string[]>("probe.overflowing()")), ...(await ask<string[]>("probe.findings()"))];
    expect(await flaws()).toEqual([]);
    await choose(page, ada);
    await plays(page, 0);
    expect(await flaws()).toEqual([]);
  });

  // Last, so that it covers every page that was opened.
  it("requests nothing from other origins, and logs no errors except for links that are refused, or that expire during a response", async () => {
    const outside = opened
      .flatMap((it) => it.requests)
      .filter((it) => !/^(about:|data:)/.test(it) && !it.startsWith(service.url));
    expect(outside).toEqual([]);
    const isOfLink = (error: string) => /status of 40[34]|ERR_CONTENT_LENGTH_MISMATCH/.test(error);
    expect(opened.flatMap((it) => it.errors).filter((it) => !isOfLink(it))).toEqual([]);
  });
});
