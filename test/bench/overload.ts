import { CORE_OF_OTHERS, CORE_OF_SERVERS, pin, startBusyLoop } from "./cores.ts";
import { CROWD, gatherCrowd, requestsOfCrowd } from "./crowd.ts";
import { tidyUp } from "./fixture.ts";
import type { Measured } from "./generator.ts";
import { ask, currentCommit, judge, log, openBench, positive, positiveInteger, runBenchmark } from "./harness.ts";
import { markdown } from "./report.ts";
import { median } from "./stats.ts";
import { SERVICE } from "./subjects.ts";

const GOODPUT_MIN = 0.8;
const LATENCY_RATIO_MAX = 10;
const REFUSAL_MAX_MS = 50;
const USAGE = `Measures what the service does with more requests than it can serve: 0.1 to 4 times its capacity, sent by ${CROWD} users.
Requests begin when they are due, whether earlier ones have ended or not, and latency counts from then. The service gets a
half of core 0, and a busy loop takes the rest, so that PostgreSQL and the load generator on core 1 are not the limit. At
twice the capacity, at least ${GOODPUT_MIN * 100} % of the capacity must be served, the p99 of served requests must be at most ${LATENCY_RATIO_MAX} times that of
an idle service, and 99 % of the refusals must take at most ${REFUSAL_MAX_MS} ms.

Usage: npm run bench -- overload [--rounds N] [--seconds S] [--alone] [SETTING=VALUE...]

  --rounds N     the default is 3
  --seconds S    send for S seconds each time; the default is 8
  --alone        give the service all of core 0
  SETTING=VALUE  a setting of the service

How to read the table: test/bench/LOG.md.`;

const options = {
  rounds: { type: "string", default: "3" },
  seconds: { type: "string", default: "8" },
  alone: { type: "boolean", default: false },
} as const;

/** What part of the capacity is offered. The first one shows the service without a queue. */
const OFFERS = [0.1, 0.5, 1, 2, 4] as const;
/** The other benchmarks set these. */
const DEFAULTS = { LOG_REQUESTS: "all", MAX_QUEUE_MS: "50" };
const CONNECTIONS = { closed: 48, open: 512 } as const;

type Sample = Measured & { readonly goodput: number };
type Rounds = ReadonlyMap<number, readonly Sample[]>;
type Extent = { readonly rounds: number; readonly seconds: number; readonly isAlone: boolean };

async function measure({ rounds, seconds, isAlone }: Extent, settings: Readonly<Record<string, string>>): Promise<Rounds> {
  await using bench = await openBench();
  using loops = new DisposableStack();
  const { generator } = bench;
  const url = await bench.createDatabase(SERVICE.name);
  const crowd = await gatherCrowd(url);
  // Before the service connects, because a session inherits the core.
  pin(bench.postmaster, CORE_OF_OTHERS);
  pin(generator.pid, CORE_OF_OTHERS);
  const prefix = ["taskset", "-c", CORE_OF_SERVERS];
  const { origin } = await bench.start(SERVICE, url, { prefix, settings: { ...DEFAULTS, ...settings } });
  if (!isAlone) loops.use(startBusyLoop());
  const requests = await requestsOfCrowd(crowd, ask(origin));
  // Opens the connections, as a proxy in front of the service keeps them.
  await generator.send({ origin, requests, connections: CONNECTIONS.open, seconds: 1, mayRefuse: true });
  const results = new Map(OFFERS.map((it) => [it as number, [] as Sample[]]));
  for (let round = 0; round < rounds; round++) {
    await generator.send({ origin, requests, connections: CONNECTIONS.closed, seconds: seconds / 2 });
    const closed = await generator.send({ origin, requests, connections: CONNECTIONS.closed, seconds });
    const capacity = closed.count / closed.seconds;
    log(`round ${round + 1}: capacity ${Math.round(capacity)} requests a second`);
    for (const offer of OFFERS) {
      const order = { origin, requests, connections: CONNECTIONS.open, seconds, rate: capacity * offer, mayRefuse: true };
      const outcome = await generator.send(order);
      results.get(offer)!.push({ ...outcome, goodput: outcome.count / outcome.seconds / capacity });
      await tidyUp(url);
    }
  }
  return results;
}

const ms = (value: number) => `${value.toPrecision(2)} ms`;

await runBenchmark({ usage: USAGE, options, arguments: 20 }, async ({ values, positionals }) => {
  const settings = Object.fromEntries(positionals.map((it) => it.split("=") as [string, string]));
  const [rounds, seconds] = [positiveInteger(values.rounds), positive(values.seconds)];
  const results = await measure({ rounds, seconds, isAlone: values.alone }, settings);
  const of = (offer: number, figure: (it: Sample) => number) => median(results.get(offer)!.map(figure));
  const slower = (offer: number) =>
    median(results.get(offer)!.map((it, round) => it.p99Ms / results.get(OFFERS[0])![round]!.p99Ms));
  const rows = OFFERS.map((offer) => [
    `${offer} ×`,
    of(offer, (it) => it.goodput).toFixed(2),
    ms(of(offer, (it) => it.p50Ms)),
    ms(of(offer, (it) => it.p99Ms)),
    slower(offer).toFixed(1),
    String(of(offer, (it) => it.refusals?.count ?? 0)),
    ms(of(offer, (it) => it.refusals?.p50Ms ?? 0)),
    ms(of(offer, (it) => it.refusals?.p99Ms ?? 0)),
  ]);
  console.log(`Commit ${currentCommit()}, ${rounds} rounds of ${seconds} s.\n`);
  const head = ["offered", "served, of capacity", "p50", "p99", "p99, × of 0.1", "refused", "refusal p50", "refusal p99"];
  console.log(`${markdown([head, ...rows])}\n`);
  return judge([
    { what: "served at twice the capacity, of capacity", value: of(2, (it) => it.goodput), atLeast: GOODPUT_MIN },
    { what: "p99 of served requests at twice the capacity, of that at 0.1 ×", value: slower(2), atMost: LATENCY_RATIO_MAX },
    { what: "p99 of refusals at twice the capacity, ms", value: of(2, (it) => it.refusals?.p99Ms ?? 0), atMost: REFUSAL_MAX_MS },
  ]);
});
