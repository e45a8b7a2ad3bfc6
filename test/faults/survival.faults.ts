import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { eventually } from "../support/eventually.ts";
import { itNeeds } from "../support/needs.ts";
import { crowding, repository } from "../support/processes.ts";
import { seededRandom } from "../support/seed.ts";
import { startLoad, type Load } from "./clients.ts";
import { FAULTS } from "./faults.ts";
import { violationsIn } from "./final.ts";
import { acknowledgedWrites, acknowledgementsOf, longestGapMs } from "./recorder.ts";
import { createSite, type Site } from "./site.ts";

const ACKNOWLEDGED_MIN = 20_000;
const CALM_MS = 2_000;
const FOLDER = join(repository, ".data/faults");

const random = seededRandom("faults");
/** Each run has another order, because a fault may do harm only after a certain other one. */
const faults = FAULTS.map((fault) => ({ fault, rank: random(2 ** 30) })).sort((one, other) => one.rank - other.rank);

const stack = new AsyncDisposableStack();
let site: Site;
let load: Load;
beforeAll(async () => {
  site = await createSite(stack);
  load = await startLoad(site, random);
  await delay(CALM_MS);
}, 120_000);
afterAll(async () => {
  await load.stop();
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "service.log"), `${site.logs()}${site.postgres.log()}`);
  await stack.disposeAsync();
}, 60_000);

/** When each API process first acknowledged a write after an instant; null if one of them has not yet. */
function acknowledgedAgain(backMs: number): number | null {
  const first = site.apis.map((_, target) => acknowledgementsOf(load.recorder, target).find((it) => it > backMs));
  return first.some((it) => it === undefined) ? null : Math.max(...(first as number[]));
}

describe("under load, both API processes acknowledge writes again", () => {
  for (const { fault } of faults) {
    const { name, needs, backWithinMs, gapMaxMs = Infinity } = fault;
    itNeeds(
      needs,
      `within ${backWithinMs / 1_000} s after: ${name}`,
      async () => {
        // Beside other work on the machine, everything takes so many times as long.
        const crowded = crowding();
        const fromMs = performance.now();
        const { backMs, untilMs = performance.now() } = await fault.inject({ site, load, random });
        const againMs = await eventually("acknowledgements of both", () => acknowledgedAgain(backMs));
        await delay(CALM_MS);
        const gapMs = longestGapMs(load.recorder, fromMs, untilMs);
        expect(againMs - backMs).toBeLessThanOrEqual(backWithinMs * crowded);
        expect(gapMs).toBeLessThanOrEqual(gapMaxMs * crowded);
      },
      120_000,
    );
  }
});

describe("after all faults", () => {
  it(`of ${ACKNOWLEDGED_MIN} acknowledged writes, none is lost, stored twice or at a wrong position, and none exists that no client sent`, async () => {
    await load.finish(ACKNOWLEDGED_MIN);
    const hasEnded = async () =>
      (await site.postgres.run("SELECT FROM video_uploads WHERE status NOT IN ('succeeded', 'failed')")).length === 0;
    await eventually("the end of each job", hasEnded, 120_000, 200);
    expect((await violationsIn(site.postgres, load)).slice(0, 20)).toEqual([]);
    expect(acknowledgedWrites(load.recorder)).toBeGreaterThanOrEqual(ACKNOWLEDGED_MIN);
  }, 400_000);

  it("no response was a 500 or any other that no fault explains", () => {
    expect(load.recorder.unexpected.slice(0, 20)).toEqual([]);
    expect(
      site
        .logs()
        .split("\n")
        .filter((line) => line.includes('"defect'))
        .slice(0, 5),
    ).toEqual([]);
  });

  it("no process has ended by itself", () => {
    expect(site.deaths()).toEqual([]);
  });
});
