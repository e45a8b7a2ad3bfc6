import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { crowding } from "../support/cpu.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import * as hostile from "./support/media-hostile.ts";
import { allEngines, temporaryFolder } from "../support/media.ts";
import { processesNaming } from "../support/processes.ts";
import { residentBytes, type Running } from "../support/running.ts";
import { setCanary, type Canary } from "./support/canary.ts";
import { finished, smallClip, storedFiles, upload } from "../support/videos.ts";

const MIB = 1_024 * 1_024;
/** The maximum growth in memory while the service processes all files, compared with a plain video. */
const GROWTH_MAX = 64 * MIB;
/** On an idle machine. A little over the time limit of a probe. No file may take as long as the limit of a transcode. */
const JOB_MAX_MS = 65_000;

type Meal = { readonly what: string; readonly file: Uint8Array | string; readonly code: string };

/** Every hostile file, with the error code that it must fail with. */
async function meals(canary: Canary): Promise<readonly Meal[]> {
  const clips: readonly (readonly [string, () => Promise<string>, string])[] = [
    ...(["mp4", "mov", "webm", "mkv", "avi"] as const).map(
      (it) => [`truncated ${it}`, () => hostile.truncatedClip(it), "corrupt_media"] as const,
    ),
    // It declares no length, as a live recording.
    ["truncated ts", () => hostile.truncatedClip("ts"), "succeeded"],
    ["a hundred bytes of an avi changed", () => hostile.scratchedClip("avi"), "succeeded"],
    ["a hundred bytes of a ts changed", () => hostile.scratchedClip("ts"), "succeeded"],
    ["truncated, with its lengths corrected", hostile.forgedTruncatedClip, "corrupt_media"],
    ["half of it overwritten", hostile.damagedClip, "corrupt_media"],
    ["every third byte flipped", () => hostile.riddledClip(3), "corrupt_media"],
    ["its media data all zeros", hostile.undecodableClip, "corrupt_media"],
    ["without an index", hostile.clipWithoutIndex, "corrupt_media"],
    ["with an empty index", hostile.clipWithEmptyIndex, "corrupt_media"],
    ["pictures of 0 by 0", hostile.sizelessClip, "corrupt_media"],
    ["pictures of 8,191 by 8,191", () => hostile.giantPictureClip(8_191), "unsupported_media"],
    ["pictures of 16,383 by 16,383", () => hostile.giantPictureClip(16_383), "unsupported_media"],
    // No more pixels than allowed, but a side longer than the contract allows.
    ["pictures of 67,200 by 16", () => hostile.wideClip(67_200), "unsupported_media"],
    ["pictures stretched to 72,000 by 80", hostile.stretchedClip, "unsupported_media"],
    ["five hours in a few kilobytes", hostile.fiveHourClip, "too_long"],
    ["an index that declares 250 million entries", hostile.swollenIndexClip, "corrupt_media"],
    // The rest of the file is valid. The service ignores that entry and makes renditions of the two seconds of data.
    ["a frame that claims to last half of the time there is", hostile.denseIndexClip, "succeeded"],
    ["its pictures in another file", () => hostile.clipNamingAnotherFile(canary.victimPath), "unsupported_media"],
  ];
  const texts = Object.entries(hostile.textsNamingOthers(canary.victimPath, canary.url));
  return [
    ...(await Promise.all(clips.map(async ([what, make, code]) => ({ what, file: await make(), code })))),
    ...texts.map(([what, text]) => ({ what, file: Buffer.from(text), code: "unsupported_media" })),
    { what: "a megabyte of zeros", file: Buffer.alloc(MIB), code: "unsupported_media" },
  ];
}

/** Polls a number and keeps the largest value. */
function largest(poll: () => Promise<number>): { stop(): number } {
  let max = 0;
  const timer = setInterval(
    () =>
      void poll().then(
        (it) => {
          max = Math.max(max, it);
        },
        () => undefined,
      ),
    25,
  );
  return {
    stop: () => {
      clearInterval(timer);
      return max;
    },
  };
}

describe.each(allEngines().map((it) => it.kind))("a service with the %s engine that processes hostile files", (engine) => {
  let deployment: Deployment;
  let service: Running;
  let ada: Client;
  beforeAll(async () => {
    deployment = await createDeployment();
    service = await deployment.start("all", { MEDIA_ENGINE: engine });
    ada = await deployment.as();
  }, 300_000);
  afterAll(async () => {
    await deployment[Symbol.asyncDispose]();
  });

  it("ends each job in time with the expected code, opens no socket and no other file, and its memory stays bounded", async () => {
    await using folder = await temporaryFolder();
    await using canary = await setCanary(folder.path);
    const table = await meals(canary);
    expect(await finished(ada, await upload(ada, await smallClip()))).toMatchObject({ status: "succeeded" });
    const calmBytes = await residentBytes(service.pid);
    const memory = largest(() => residentBytes(service.pid));
    const children = largest(async () => {
      const pids = await processesNaming(join(deployment.dataDir, "scratch"));
      // A process that is ending has no resident memory.
      return Math.max(0, ...(await Promise.all(pids.map((pid) => residentBytes(pid)))).filter(Number.isFinite));
    });
    const outcomes: { what: string; code: string; tookMs: number; maxMs: number }[] = [];
    for (const { what, file } of table) {
      const job: Body = await finished(ada, await upload(ada, file, "?name=clip.mp4"), 900_000);
      const code = job.status === "failed" ? job.error.code : job.status;
      const tookMs = Date.parse(job.finished_at) - Date.parse(job.started_at);
      outcomes.push({ what, code, tookMs, maxMs: JOB_MAX_MS * crowding() });
      // Whatever the outcome is, the list of the owner still works.
      expect(await ada("GET", "/video-uploads")).toMatchObject({ status: 200 });
      expect({ what, attempt: job.attempt, reached: await canary.reached() }).toEqual({ what, attempt: 1, reached: [] });
    }
    const [peakBytes, childBytes] = [memory.stop(), children.stop()];
    const slowest = outcomes.toSorted((a, b) => b.tookMs - a.tookMs)[0]!;
    process.stderr.write(
      `${engine}: ${table.length} hostile files; resident memory of the service ${(calmBytes / MIB).toFixed(0)} MiB after a plain video, at most ${(peakBytes / MIB).toFixed(0)} MiB; of a child at most ${(childBytes / MIB).toFixed(0)} MiB; slowest (${slowest.what}) ${slowest.tookMs} ms\n`,
    );
    expect(outcomes.map(({ what, code }) => ({ what, code }))).toEqual(table.map(({ what, code }) => ({ what, code })));
    expect(outcomes.filter((it) => it.tookMs > it.maxMs)).toEqual([]);
    expect(peakBytes).toBeGreaterThan(0);
    expect(peakBytes - calmBytes).toBeLessThan(GROWTH_MAX);
    // A job removes its folder after it has said how it ended.
    await eventually("an empty scratch folder", async () => (await storedFiles(deployment, "scratch")).length === 0);
    // The service still works. The canary reports an access, so its silence above is proof.
    expect(await finished(ada, await upload(ada, await smallClip()))).toMatchObject({ status: "succeeded" });
    await readFile(canary.victimPath);
    await fetch(canary.url).catch(() => undefined);
    expect(await canary.reached()).toEqual(["the file was read", "1 sockets were opened"]);
  }, 3_600_000);
});

describe("an empty upload", () => {
  it("is refused without a job", async () => {
    await using deployment = await createDeployment();
    await deployment.start("api");
    const ada = await deployment.as();
    expect(await ada("POST", "/video-uploads", new Uint8Array(0))).toMatchObject({
      status: 400,
      body: { code: "malformed_body" },
    });
    expect([await deployment.db.videoUpload.count(), await storedFiles(deployment)]).toEqual([0, []]);
  }, 300_000);
});
