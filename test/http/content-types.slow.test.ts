import { describe, expect, it } from "@jest/globals";
import { createClient } from "../support/client.ts";
import { temporaryFolder } from "../support/media.ts";
import { heldBytes, MEASURED, run } from "../support/processes.ts";
import { prepare } from "../support/prepare.ts";
import { seededRandom } from "../support/seed.ts";
import { startTestService } from "../support/service.ts";
import { sized } from "../support/size.ts";

const REQUESTS = sized(1_250, 5_000);
const SAMPLE = 250;
/** One compiled schema for each Content-Type would be many times this. */
const HELD_MIB_MAX = 5;

const service = prepare(() => startTestService({ ROLE: "api" }));
const folder = prepare(temporaryFolder);

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const JSON_IN_ANY_CASE = (index: number) =>
  [..."application/json"].map((it, at) => ((index >> (at % 12)) & 1 ? it.toUpperCase() : it)).join("");
const TYPES: readonly ((index: number) => string)[] = [
  (index) => `application/json; x=${index}`,
  (index) => `application/json;charset=utf-8;v="${index}"`,
  (index) => `${JSON_IN_ANY_CASE(index)}; y=${index}`,
  (index) => `application/vnd.x${index}+json`,
  (index) => `text/plain; charset=x${index}`,
  (index) => `multipart/form-data; boundary=${index}`,
];

/**
 * By default, the validator keeps a compiled schema for each Content-Type. A client that varies the header could make the service
 * slower and larger with each request. This is measured in a process that does nothing else.
 */
describe("thousands of requests with different Content-Types", () => {
  it("don't make the service slower or larger", async () => {
    const random = seededRandom("content types");
    await using running = run(
      { NODE_ENV: "test", ROLE: "api", DATABASE_URL: service.databaseUrl, DATA_DIR: folder.path },
      MEASURED,
    );
    const { url } = await running.ready();
    const { userId, userName, authorization } = await service.as();
    const ada = createClient(url, { userId, name: userName, authorization: authorization! });
    const times: number[] = [];
    const statuses = new Map<number, number>();
    const ask = async (index: number) => {
      const startedMs = performance.now();
      const { status } = await ada("PATCH", "/posts/01a1efac-3ed3-7e8e-9855-dcb0c0290103", '{"title":"x"}', {
        headers: { "Content-Type": TYPES[random(TYPES.length)]!(index) },
      });
      times.push(performance.now() - startedMs);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };

    // Before the measurement, so that work that is done only once doesn't count.
    for (let index = 0; index < 2 * SAMPLE; index++) await ask(-1 - index);
    times.length = 0;
    const before = await heldBytes(running);
    for (let index = 0; index < REQUESTS; index++) await ask(index);
    const grownMib = ((await heldBytes(running)) - before) / 2 ** 20;
    const [first, last] = [median(times.slice(0, SAMPLE)), median(times.slice(-SAMPLE))];
    process.stderr.write(
      `content types: median of the first ${SAMPLE} ${first.toFixed(2)} ms, of the last ${last.toFixed(2)} ms, ratio ${(last / first).toFixed(2)}; it holds ${grownMib.toFixed(1)} MiB more; ${[...statuses].map((it) => it.join("×")).join(" ")}\n`,
    );

    expect([...statuses.keys()].sort()).toEqual([404, 415]);
    expect(last / first).toBeLessThan(2);
    expect(grownMib).toBeLessThan(HELD_MIB_MAX);
  }, 300_000);
});
