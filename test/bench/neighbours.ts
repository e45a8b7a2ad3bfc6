import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { runCommand } from "../../src/util/command.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { judge } from "./bar.ts";
import { currentCommit, log, positive } from "./command-line.ts";
import { connect, copyFixture, createFixture, SERVER_SETTINGS, tidyUp, type World } from "./fixture.ts";
import { startGenerator } from "./load-generator.ts";
import { LOADS, type Request } from "./loads.ts";
import { ask } from "./measure.ts";
import { preparePeers } from "./peers.ts";
import { markdown } from "./report.ts";
import { median, orderOf } from "./stats.ts";
import { FLOOR, OURS, startSubject, SUBJECTS, type Running } from "./subjects.ts";

const RATIO_MAX = 1.5;
const USAGE = `Measures what one busy conversation does to the reads of other users: how many times as long they take.
Fails if their median latency is more than ${RATIO_MAX} times as long beside the busy conversation as without it.

Usage: npm run bench:neighbours -- [--rounds N] [--seconds S] [--reads N] [--senders N]

  --rounds N    the default is 5
  --seconds S   measure for S seconds each time; the default is 4
  --reads N     reads per second, half of them pages of posts and half short URLs; the default is 50
  --senders N   requests in flight that send messages; the default is 24

How to read the table: test/bench/LOG.md.`;

const options = {
  rounds: { type: "string", default: "5" },
  seconds: { type: "string", default: "4" },
  reads: { type: "string", default: "50" },
  senders: { type: "string", default: "24" },
} as const;

/** What happens beside the reads. `share` is the share of the messages per second that the senders have just reached. */
type Situation = { readonly name: string; readonly load?: "message-pair" | "message-many"; readonly share?: number };
const SITUATIONS: readonly Situation[] = [
  { name: "alone" },
  { name: "hot conversation", load: "message-pair" },
  { name: "hot, half as many", load: "message-pair", share: 0.5 },
  { name: "24 conversations", load: "message-many" },
];
const [ALONE, HOT] = SITUATIONS;

type Extent = { readonly rounds: number; readonly seconds: number; readonly reads: number; readonly senders: number };
type Sample = { readonly p50Ms: number; readonly p99Ms: number; readonly messagesPerSecond: number };
type Results = ReadonlyMap<string, ReadonlyMap<Situation, readonly Sample[]>>;

async function measure(extent: Extent): Promise<Results> {
  await preparePeers(log);
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(SERVER_SETTINGS), (it) => it.stop());
  const { template, world } = await createFixture(postgres.url);
  const subjects: Running[] = [];
  for (const subject of SUBJECTS.filter(({ name }) => name === OURS || name === FLOOR)) {
    const url = await copyFixture(postgres.url, template, subject.name);
    subjects.push(stack.adopt(await startSubject(subject, url), (it) => it.stop()));
  }
  const generators = { reads: stack.use(startGenerator()), messages: stack.use(startGenerator()) };
  const results = new Map(subjects.map((it) => [it.subject.name, new Map(SITUATIONS.map((it) => [it, [] as Sample[]]))]));
  // Round 0 only warms up.
  for (let round = 0; round <= extent.rounds; round++) {
    for (const subject of orderOf(subjects, round)) {
      const reached = new Map<string, number>();
      // In this order, because the second situation says how many messages the third one sends.
      for (const situation of SITUATIONS) {
        const rate = situation.share === undefined ? undefined : reached.get(situation.load!)! * situation.share;
        const sample = await measureOnce({ subject, situation, world, generators, rate }, extent);
        if (situation.load !== undefined && rate === undefined) reached.set(situation.load, sample.messagesPerSecond);
        if (round > 0) results.get(subject.subject.name)!.get(situation)!.push(sample);
        await tidyUp(subject.databaseUrl);
      }
    }
    log(round === 0 ? "warm-up" : `round ${round} of ${extent.rounds}`);
  }
  return results;
}

type Generator = ReturnType<typeof startGenerator>;
type Turn = {
  readonly subject: Running;
  readonly situation: Situation;
  readonly world: World;
  readonly generators: { readonly reads: Generator; readonly messages: Generator };
  readonly rate: number | undefined;
};

async function measureOnce(
  { subject: { origin, databaseUrl }, situation, world, generators, rate }: Turn,
  extent: Extent,
): Promise<Sample> {
  const { seconds, reads, senders } = extent;
  const readings = { origin, requests: await readsOfOthers(world, origin), connections: 16, rate: reads };
  await generators.reads.send({ ...readings, seconds: seconds / 4 });
  const before = await messagesIn(databaseUrl);
  const sending = situation.load === undefined ? null : generators.messages.send({ origin, requests: await requestsOf(situation.load, world, origin), connections: senders, seconds: seconds * 1.5, ...(rate === undefined ? {} : { rate }) }); // prettier-ignore
  // The messages begin before the reads, and end after them.
  if (sending !== null) await generators.reads.send({ ...readings, seconds: seconds / 4 });
  const read = await generators.reads.send({ ...readings, seconds });
  const sent = await sending;
  for (const outcome of [read, sent])
    if (outcome?.failure)
      throw new StartupError(`${situation.name}: ${outcome.failures} requests have failed. ${outcome.failure}`);
  const stored = (await messagesIn(databaseUrl)) - before;
  if (stored !== (sent?.count ?? 0)) throw new StartupError(`${stored} messages are stored, but ${sent?.count ?? 0} were sent.`);
  return { p50Ms: read.p50Ms, p99Ms: read.p99Ms, messagesPerSecond: sent === null ? 0 : sent.count / sent.seconds };
}

const requestsOf = (name: string, world: World, origin: string) =>
  LOADS.find((it) => it.name === name)!.requests(world, ask(origin));

/** Reads of users that are not in the busy conversation. */
async function readsOfOthers(world: World, origin: string): Promise<readonly Request[]> {
  const others = new Set(world.callers.slice(2).map(({ key }) => key));
  const [posts, urls] = [await requestsOf("posts-cursor", world, origin), await requestsOf("url-read", world, origin)];
  const mine = (all: readonly Request[]) => all.filter(({ key }) => others.has(key!)).slice(0, 48);
  return [...mine(posts), ...mine(urls)];
}

async function messagesIn(databaseUrl: string): Promise<number> {
  await using client = await connect(databaseUrl);
  return (await client.run("SELECT count(*)::int AS n FROM messages"))[0]!["n"] as number;
}

/** The median of the ratios within each round. */
function ratio(all: ReadonlyMap<Situation, readonly Sample[]>, situation: Situation, figure: "p50Ms" | "p99Ms"): number {
  const alone = all.get(ALONE!)!;
  return median(all.get(situation)!.map((it, round) => it[figure] / alone[round]![figure]));
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await runCommand({ usage: USAGE, options }, async ({ values }) => {
  const extent = { rounds: Math.ceil(positive(values.rounds)), seconds: positive(values.seconds), reads: positive(values.reads), senders: Math.ceil(positive(values.senders)) }; // prettier-ignore
  const results = await measure(extent);
  const rows = [...results].flatMap(([subject, all]) =>
    SITUATIONS.map((it) => {
      const sample = (figure: keyof Sample) => median(all.get(it)!.map((sample) => sample[figure]));
      const latency = (["p50Ms", "p99Ms"] as const).flatMap((figure) => [
        `${sample(figure).toPrecision(2)} ms`,
        ratio(all, it, figure).toFixed(2),
      ]);
      return [subject, it.name, it === ALONE ? "-" : `${Math.round(sample("messagesPerSecond"))} /s`, ...latency];
    }),
  );
  console.log(
    `Commit ${currentCommit()}, ${extent.rounds} rounds of ${extent.seconds} s, ${extent.reads} reads per second of other users. × is the latency as a multiple of that alone.\n`,
  );
  console.log(`${markdown([["subject", "beside the reads", "messages", "p50", "p50 ×", "p99", "p99 ×"], ...rows])}\n`);
  return judge([
    { what: "reads beside one hot conversation, p50 ×", value: ratio(results.get(OURS)!, HOT!, "p50Ms"), atMost: RATIO_MAX },
  ]);
});
