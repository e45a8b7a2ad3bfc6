import { cpuMs } from "../support/processes.ts";
import { tidyUp } from "./fixture.ts";
import {
  ask,
  currentCommit,
  judge,
  loadsNamed,
  log,
  openBench,
  positive,
  positiveInteger,
  runBenchmark,
  type Bench,
} from "./harness.ts";
import { LOADS, type Load } from "./loads.ts";
import { markdown } from "./report.ts";
import { geometricMean, median, orderOf } from "./stats.ts";
import { freePort, SERVICE, startSubject, type Running } from "./subjects.ts";

const RATIO_MAX = 1.05;
/** As often as Prometheus usually does. */
const SCRAPE_SECONDS = 15;
const DEFAULT_LOADS = ["health", "url-follow", "url-read", "posts-cursor", "post-create", "history", "message-many"];
const USAGE = `Measures what a line in the log for each request and metrics cost.
It compares the CPU time per request of a process with both to that of a process with neither. The pipe of the log is read, and
the metrics are scraped every ${SCRAPE_SECONDS} seconds. Fails if the geometric mean is above ${RATIO_MAX}.

Usage: npm run bench -- observability [LOAD...] [--starts N] [--rounds N] [--seconds S]

  LOAD         the default is ${DEFAULT_LOADS.join(", ")}; npm run bench -- --help lists all
  --starts N   start both processes N times; the default is 3
  --rounds N   measure each load N times with each of them; the default is 2
  --seconds S  measure for S seconds each time; the default is 2

How to read the table: test/bench/LOG.md.`;

const options = {
  starts: { type: "string", default: "3" },
  rounds: { type: "string", default: "2" },
  seconds: { type: "string", default: "2" },
} as const;

const CONNECTIONS = 32;
/** Shorter than any line of the log. */
const LINE_MIN = 150;

type Extent = { readonly loads: readonly Load[]; readonly starts: number; readonly rounds: number; readonly seconds: number };
type Pair = { readonly plainUs: number; readonly observedUs: number };
/** A process with or without log and metrics. */
type Side = { readonly running: Running; readonly isObserved: boolean };

async function measure({ loads, starts, rounds, seconds }: Extent): Promise<ReadonlyMap<string, readonly Pair[]>> {
  await using bench = await openBench();
  const url = await bench.createDatabase(SERVICE.name);
  const results = new Map(loads.map(({ name }) => [name, [] as Pair[]]));
  // A process keeps the speed that its first optimizations give it, so one start of each would compare two accidents.
  for (let start = 0; start < starts; start++) {
    await using both = new AsyncDisposableStack();
    const port = await freePort();
    const settings = { LOG_REQUESTS: "all", METRICS_PORT: String(port) };
    const begin = async (own?: typeof settings) =>
      both.adopt(await startSubject(SERVICE, url, own === undefined ? {} : { settings: own }), (it) => it.stop());
    const plain: Side = { running: await begin(), isObserved: false };
    const observed: Side = { running: await begin(settings), isObserved: true };
    using scrapes = scrapeRegularly(`http://127.0.0.1:${port}/metrics`);
    for (const load of loads) {
      for (const side of [plain, observed]) await send({ side, load, bench, seconds });
      for (let round = 0; round < rounds; round++) {
        const us = new Map<Side, number>();
        for (const side of orderOf([plain, observed], round + start)) {
          us.set(side, await measureOnce({ side, load, bench, seconds }));
          if (load.writes) await tidyUp(url);
        }
        results.get(load.name)!.push({ plainUs: us.get(plain)!, observedUs: us.get(observed)! });
      }
      log(`${load.name}: start ${start + 1} of ${starts}`);
    }
    if (scrapes.failure !== null || scrapes.count === 0)
      throw new Error("The metrics were not scraped.", { cause: scrapes.failure });
  }
  return results;
}

/** Scrapes at once, and then as Prometheus does. */
function scrapeRegularly(url: string) {
  const state = { count: 0, failure: null as unknown };
  const scrape = () =>
    fetch(url)
      .then((it) => it.text())
      .then(() => state.count++)
      .catch((error: unknown) => (state.failure = error));
  const timer = setInterval(() => void scrape(), SCRAPE_SECONDS * 1_000);
  void scrape();
  return Object.assign(state, { [Symbol.dispose]: () => clearInterval(timer) });
}

type Measurement = { readonly side: Side; readonly load: Load; readonly bench: Bench; readonly seconds: number };

async function send({ side, load, bench, seconds }: Measurement) {
  const { origin } = side.running;
  const requests = await load.requests(bench.world, ask(origin));
  return bench.generator.send({ origin, requests, connections: CONNECTIONS, seconds });
}

/** The CPU time of the service per request, in microseconds. */
async function measureOnce(measurement: Measurement): Promise<number> {
  const { running, isObserved } = measurement.side;
  const [cpuBeforeMs, printedBefore] = [await cpuMs(running.pid), running.printedLength()];
  const { count } = await send(measurement);
  const us = (((await cpuMs(running.pid)) - cpuBeforeMs) * 1_000) / count;
  const printed = running.printedLength() - printedBefore;
  const isLogged = isObserved && measurement.load.name !== "health";
  // What is in the pipe counts for the next measurement.
  if (isLogged ? printed < 0.9 * LINE_MIN * count : printed > LINE_MIN * count * 0.1)
    throw new Error(`${count} requests have printed ${printed} characters.`);
  return us;
}

await runBenchmark({ usage: USAGE, options, arguments: LOADS.length }, async ({ values, positionals }) => {
  const loads = loadsNamed(positionals, DEFAULT_LOADS);
  const [starts, rounds] = [positiveInteger(values.starts), positiveInteger(values.rounds)];
  const seconds = positive(values.seconds);
  const results = await measure({ loads, starts, rounds, seconds });
  const ratios: number[] = [];
  const rows = [...results].map(([name, pairs]) => {
    const ratio = median(pairs.map(({ plainUs, observedUs }) => observedUs / plainUs));
    ratios.push(ratio);
    const plainUs = median(pairs.map((it) => it.plainUs));
    return [name, `${plainUs.toFixed(1)} us`, ratio.toFixed(3), `${((ratio - 1) * plainUs).toFixed(1)} us`];
  });
  console.log(
    `Commit ${currentCommit()}, ${starts} starts with ${rounds} rounds of ${seconds} s. × is the process with log and metrics, as a multiple of the one without.\n`,
  );
  console.log(`${markdown([["load", "without", "CPU ×", "more"], ...rows])}\n`);
  return judge([
    { what: "CPU per request with log and metrics, geometric mean ×", value: geometricMean(ratios), atMost: RATIO_MAX },
  ]);
});
