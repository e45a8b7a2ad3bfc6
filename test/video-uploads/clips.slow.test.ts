/**
 * The table of clips. Whatever recorded a file, its renditions, poster, sprite and cues show it as it was, or the sentence of its
 * failure names what is wrong. `support/clips.ts` has the rows.
 */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Body, Client } from "../support/client.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { eventually } from "../support/eventually.ts";
import { allEngines, canMakeHevc } from "../support/media.ts";
import { crowding, residentBytes, type Running } from "../support/processes.ts";
import { sized } from "../support/size.ts";
import { finished, smallClip, storedFiles, upload } from "../support/videos.ts";
import { setCanary, type Canary } from "./support/canary.ts";
import { faultsOf, PLAIN_FILM, type Row } from "./support/clip-check.ts";
import { FILMS, REFUSED } from "./support/clips.ts";

/** The embedded engine runs the same code, ten times as slowly. So it gets some of each kind, or with `TEST_SIZE=full` all. */
const KINDS = [
  "half of it overwritten",
  "pictures of 16,383 by 16,383",
  "an index that declares 250 million entries",
  "its pictures in another file",
  "behind the first bytes of an MP4: HLS playlist that joins both",
  "a WebRTC call whose phone is turned",
  "a recorder with 9 channels",
  "a recorder that was switched off for an hour",
];
const isIn = (engine: string) => (row: Row) =>
  (engine === "native" || sized(false, true) || KINDS.includes(row[0])) && (!row[0].startsWith("HEVC") || canMakeHevc());

/** How many rows are in work at a time: made, processed by the service, or looked at. */
const AHEAD = 6;
const MIB = 1_024 * 1_024;
/** By how much the memory of the service can grow while it processes the files that it refuses. */
const GROWTH_MAX = 64 * MIB;
/** On an idle machine. A little over the time limit of a probe. No file may take as long as the limit of a transcode. */
const JOB_MAX_MS = 65_000;

describe.each(allEngines())("with the $kind engine", ({ kind }) => {
  const refused = REFUSED.filter(isIn(kind));
  const rows = [...refused, ...FILMS.filter(isIn(kind))];
  const ends = new Map<Row, Promise<{ readonly job: Body; readonly faults: readonly string[] }>>();
  let [folder, deployment, service, ada, canary]: [string, Deployment, Running, Client, Canary] = [] as never;
  let [calmBytes, peakBytes] = [0, 0];
  /** One job after the other, because requests take time from the engine. */
  let polling: Promise<Body> = Promise.resolve({});
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "plumbline-clips-"));
    // The engine must read it, and runs as another user if root runs the tests.
    await chmod(folder, 0o755);
    canary = await setCanary(join(folder, "elsewhere"));
    deployment = await createDeployment();
    service = await deployment.start("all", { MEDIA_ENGINE: kind, VIDEO_CONCURRENCY: "2" });
    ada = await deployment.as();
    await finished(ada, await upload(ada, await smallClip()));
    calmBytes = await residentBytes(service.pid);
  });
  /** Has the service process the file of a row, and looks at what it has made. */
  async function work(row: Row) {
    const file = await row[1](canary);
    const send = () => upload(ada, file, "?name=clip.mp4");
    // While this process looks at pictures, the service can close a connection that the next request then uses.
    const accepted = await send().catch(send);
    const job = await (polling = polling.catch(() => undefined).then(() => finished(ada, accepted)));
    const expected = row[2] ?? {};
    if (job.status !== "succeeded" || (expected !== "plays" && "code" in expected)) return { job, faults: [] };
    const shows = expected === "plays" ? null : { ...PLAIN_FILM, ...expected };
    return { job, faults: await faultsOf(ada, (await service.ready()).url, job, shows, folder) };
  }
  const endOf = (row: Row) => {
    const end = ends.get(row) ?? work(row);
    ends.set(row, end);
    return end;
  };
  afterAll(async () => {
    await deployment?.[Symbol.asyncDispose]();
    await canary?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(rows.map((row) => [row[0], row] as const))("%s", async (_by, row) => {
    const [at, expected = {}] = [rows.indexOf(row), row[2]];
    for (const next of rows.slice(at, at + AHEAD)) endOf(next).catch(() => undefined);
    const { job, faults } = await endOf(row);
    if (at < refused.length) peakBytes = Math.max(peakBytes, await residentBytes(service.pid));
    expect(await canary.reached()).toEqual([]);
    // A long one can begin again in another lane. What is refused is not tried again.
    expect(job.attempt).toBeLessThanOrEqual(job.status === "failed" ? 1 : 2);
    expect(Date.parse(job.finished_at) - Date.parse(job.started_at)).toBeLessThan(JOB_MAX_MS * crowding());
    if (expected !== "plays" && "code" in expected) {
      // For people: no path, no output of a tool.
      const error = { code: expected.code, detail: expect.stringMatching(/^(?!.*(ffprobe|moov|0x))[^/]+$/) };
      expect(job).toMatchObject({ status: "failed", result: null, error });
      expect(job.error.detail).toMatch(expected.detail);
      return;
    }
    expect({ status: job.status, error: job.error }).toEqual({ status: "succeeded", error: null });
    expect(faults).toEqual([]);
  });

  it("leaves no file of a worker, and little more memory in use, and the canary would have told", async () => {
    // A job removes its folder after it has said how it ended.
    await eventually("an empty scratch folder", async () => (await storedFiles(deployment, "scratch")).length === 0);
    expect(peakBytes).toBeGreaterThan(0);
    expect(peakBytes - calmBytes).toBeLessThan(GROWTH_MAX);
    await readFile(canary.victimPath);
    await fetch(canary.url).catch(() => undefined);
    expect(await canary.reached()).toEqual(["the file was read", "1 sockets were opened"]);
  });
});
