import { availableParallelism } from "node:os";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { runCommand } from "../../src/util/command.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { cpuMs } from "../support/cpu.ts";
import { judge } from "./bar.ts";
import { currentCommit, log, positive } from "./command-line.ts";
import { connect, copyFixture, createFixture, SERVER_SETTINGS, tidyUp, type World } from "./fixture.ts";
import { startGenerator } from "./load-generator.ts";
import { LOADS, type Load } from "./loads.ts";
import { ask } from "./measure.ts";
import { CORE_OF_OTHERS, CORE_OF_SERVERS, pin, startBusyLoop } from "./cores.ts";
import { cpuOfPostgres, cpuSince, parentOf } from "./processes.ts";
import { markdown } from "./report.ts";
import { geometricMean, median, orderOf } from "./stats.ts";
import { OURS, startSubject, SUBJECTS, type Running } from "./subjects.ts";

const FACTOR_MIN = 1.8;
/** With more of their core in use, PostgreSQL and the load generator are the limit: what the kernel does for them isn't counted. */
const LIMIT_SHARE = 0.85;
/** Loads whose work is in the server. */
const DEFAULT_LOADS = ["health", "url-read", "posts-cursor", "history", "message-many"];
const USAGE = `Measures how many times the requests per second of one process two processes of the service reach.
Each process gets a quarter of core 0, and busy loops take the rest, so that PostgreSQL and the load generator, which share
core 1, are not the limit. Fails if the geometric mean of the factors is below ${FACTOR_MIN}, without the loads that use
more than ${LIMIT_SHARE * 100} % of core 1.

Usage: npm run bench:processes -- [LOAD...] [--rounds N] [--seconds S]

  LOAD         the default is ${DEFAULT_LOADS.join(", ")}; npm run bench -- --help lists all
  --rounds N   the default is 5
  --seconds S  measure for S seconds each time; the default is 4

How to read the table: test/bench/LOG.md.`;

const options = { rounds: { type: "string", default: "5" }, seconds: { type: "string", default: "4" } } as const;

/** So many that a process always has work, and uses all of its share. */
const CONNECTIONS_EACH = 128;
/** How many processes share the core of the servers: one or two servers, and busy loops. */
const SHARES = 4;
/** With a quarter of a core, new connections take longer. */
const PINNED = { prefix: ["taskset", "-c", CORE_OF_SERVERS], settings: { DATABASE_POOL_TIMEOUT_SECONDS: "30" } } as const;

type Sample = { readonly perSecond: number; readonly serverUs: number; readonly coreOfOthers: number };
type Results = ReadonlyMap<string, readonly { readonly one: Sample; readonly two: Sample }[]>;
type Extent = { readonly loads: readonly Load[]; readonly rounds: number; readonly seconds: number };

async function measure({ loads, rounds, seconds }: Extent): Promise<Results> {
  if (process.platform !== "linux" || availableParallelism() < 2) throw new StartupError("This needs Linux and two cores.");
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(SERVER_SETTINGS), (it) => it.stop());
  const { template, world } = await createFixture(postgres.url);
  const url = await copyFixture(postgres.url, template, OURS);
  await using client = await connect(url);
  const postmaster = await parentOf((await client.run("SELECT pg_backend_pid() AS pid"))[0]!["pid"] as number);
  // Before the processes connect, because a session inherits the core.
  pin(postmaster, CORE_OF_OTHERS);
  const ours = SUBJECTS.find((it) => it.name === OURS)!;
  const servers: Running[] = [];
  for (let n = 0; n < 2; n++) servers.push(stack.adopt(await startSubject(ours, url, PINNED), (it) => it.stop()));
  const generators = [stack.use(startGenerator()), stack.use(startGenerator())];
  for (const { pid } of generators) pin(pid, CORE_OF_OTHERS);
  const results = new Map(loads.map(({ name }) => [name, [] as { one: Sample; two: Sample }[]]));
  for (const load of loads) {
    for (let round = 0; round < rounds; round++) {
      const samples = new Map<1 | 2, Sample>();
      for (const count of orderOf([1, 2] as const, round)) {
        samples.set(
          count,
          await measureOnce({ load, world, servers: servers.slice(0, count), generators, postmaster, url }, seconds),
        );
        if (load.writes) await tidyUp(url);
      }
      results.get(load.name)!.push({ one: samples.get(1)!, two: samples.get(2)! });
    }
    log(load.name);
  }
  return results;
}

type Turn = {
  readonly load: Load;
  readonly world: World;
  readonly servers: readonly Running[];
  readonly generators: readonly ReturnType<typeof startGenerator>[];
  readonly postmaster: number;
  readonly url: string;
};

async function measureOnce({ load, world, servers, generators, postmaster, url }: Turn, seconds: number): Promise<Sample> {
  using loops = new DisposableStack();
  for (let count = servers.length; count < SHARES; count++) loops.use(startBusyLoop());
  const database = new URL(url).pathname.slice(1);
  const send = (duration: number) =>
    Promise.all(
      generators.map(async (it, index) => {
        const { origin } = servers[index % servers.length]!;
        const requests = await load.requests(world, ask(origin));
        const outcome = await it.send({
          origin,
          requests,
          connections: (CONNECTIONS_EACH * servers.length) / generators.length,
          seconds: duration,
        });
        if (outcome.failure !== null)
          throw new StartupError(`${load.name}: ${outcome.failures} requests have failed. ${outcome.failure}`);
        return outcome;
      }),
    );
  await send(seconds / 2);
  const cpuOfServers = async () => (await Promise.all(servers.map(({ pid }) => cpuMs(pid)))).reduce((sum, it) => sum + it, 0);
  const cpuOfGenerators = async () =>
    (await Promise.all(generators.map(({ pid }) => cpuMs(pid)))).reduce((sum, it) => sum + it, 0);
  const before = {
    servers: await cpuOfServers(),
    generators: await cpuOfGenerators(),
    postgres: await cpuOfPostgres(postmaster, database),
  };
  const outcomes = await send(seconds);
  const serverMs = (await cpuOfServers()) - before.servers;
  const othersMs =
    (await cpuOfGenerators()) - before.generators + cpuSince(before.postgres, await cpuOfPostgres(postmaster, database));
  const count = outcomes.reduce((sum, it) => sum + it.count, 0);
  const taken = Math.max(...outcomes.map((it) => it.seconds));
  return { perSecond: count / taken, serverUs: (serverMs * 1_000) / count, coreOfOthers: othersMs / 1_000 / taken };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await runCommand({ usage: USAGE, options, arguments: LOADS.length }, async ({ values, positionals }) => {
  const names = positionals.length === 0 ? DEFAULT_LOADS : positionals;
  const unknown = names.filter((name) => !LOADS.some((it) => it.name === name));
  if (unknown.length > 0) throw new StartupError(`There is no load ${unknown.join(", ")}. npm run bench -- --help lists them.`);
  const loads = LOADS.filter(({ name }) => names.includes(name));
  const extent = { loads, rounds: Math.ceil(positive(values.rounds)), seconds: positive(values.seconds) };
  const results = await measure(extent);
  const factors: number[] = [];
  const rows = [...results].map(([name, samples]) => {
    const factor = median(samples.map(({ one, two }) => two.perSecond / one.perSecond));
    const cpu = median(samples.map(({ one, two }) => two.serverUs / one.serverUs));
    const others = median(samples.map(({ two }) => two.coreOfOthers));
    if (others <= LIMIT_SHARE) factors.push(factor);
    return [
      name,
      `${Math.round(median(samples.map(({ one }) => one.perSecond)))} /s`,
      factor.toFixed(2),
      cpu.toFixed(2),
      `${Math.round(others * 100)} %`,
    ];
  });
  console.log(
    `Commit ${currentCommit()}, ${extent.rounds} rounds of ${extent.seconds} s. × is two processes, as a multiple of one, each with a quarter of a core.\n`,
  );
  console.log(`${markdown([["load", "one process", "requests ×", "CPU per request ×", "core 1 in use"], ...rows])}\n`);
  return judge([
    { what: "requests per second of two processes, geometric mean ×", value: geometricMean(factors), atLeast: FACTOR_MIN },
  ]);
});
