import { StartupError } from "../../src/util/startup-error.ts";
import { connect, copyFixture, createFixture, tidyUp, type World } from "./fixture.ts";
import type { Ask, Load } from "./loads.ts";
import { startGenerator } from "./load-generator.ts";
import { cpuOfPostgres, cpuSince, parentOf, residentBytes } from "./processes.ts";
import { cpuMs } from "../support/cpu.ts";
import { median, orderOf, type Sample } from "./stats.ts";
import { startSubject, type Running, type Subject } from "./subjects.ts";

const CONNECTIONS = 32;
/** The share of the measured time that each warm-up takes. The first one of a load is as long as a measurement. */
const WARM_UP = 0.25;

export type Options = {
  readonly subjects: readonly Subject[];
  readonly loads: readonly Load[];
  readonly rounds: number;
  readonly seconds: number;
  /** Whether latency is also measured at half of the requests per second that the subject has just reached. */
  readonly half: boolean;
  readonly log: (line: string) => void;
};

/** What is measured once per subject, not per load. */
export type Footprint = { readonly subject: string; readonly startMs: number; readonly residentBytes: number };
export type Results = { readonly samples: readonly Sample[]; readonly footprints: readonly Footprint[] };

/** The databases of all subjects, in one server. */
export async function createDatabases(serverUrl: string, subjects: readonly Subject[], log: (line: string) => void) {
  log("Creating the data.");
  const { template, world } = await createFixture(serverUrl);
  const urls = new Map<string, string>();
  for (const { name } of subjects) urls.set(name, await copyFixture(serverUrl, template, name));
  return { world, urlOf: ({ name }: Subject) => urls.get(name)! };
}

/** Starts each subject several times, and keeps the last process; the order alternates. */
export async function startAll(
  { subjects, rounds, log }: Options,
  urlOf: (subject: Subject) => string,
  stack: AsyncDisposableStack,
) {
  const starts = new Map(subjects.map(({ name }) => [name, [] as number[]]));
  // The first start of the service creates the tables of its job queue.
  for (const subject of subjects) await startSubject(subject, urlOf(subject)).then((it) => it.stop());
  for (let round = 0; round < rounds - 1; round++) {
    for (const subject of orderOf(subjects, round)) {
      const running = await startSubject(subject, urlOf(subject));
      starts.get(subject.name)!.push(running.startMs);
      await running.stop();
    }
  }
  const all: Running[] = [];
  for (const subject of subjects) {
    const running = stack.adopt(await startSubject(subject, urlOf(subject)), (it) => it.stop());
    starts.get(subject.name)!.push(running.startMs);
    all.push(running);
    log(`${subject.name} answers, ${Math.round(running.startMs)} ms after its start.`);
  }
  return { running: all, startMsOf: (name: string) => median(starts.get(name)!) };
}

type Started = Awaited<ReturnType<typeof startAll>>;

/** Measures every load with every subject in each round. All subjects run, but only one at a time gets requests. */
export async function measure(options: Options, { running, startMsOf }: Started, world: World): Promise<Results> {
  await using client = await connect(running[0]!.databaseUrl);
  const [backend] = await client.run("SELECT pg_backend_pid() AS pid");
  const postmaster = await parentOf(backend!["pid"] as number);
  using generator = startGenerator();
  const samples: Sample[] = [];
  const resident = new Map<string, number>();
  for (const load of options.loads) {
    for (let round = 0; round < options.rounds; round++) {
      for (const subject of orderOf(running, round)) {
        samples.push(await measureOnce({ load, round, subject, world, postmaster, generator }, options));
        const { name } = subject.subject;
        resident.set(name, Math.max(resident.get(name) ?? 0, await residentBytes(subject.pid)));
        if (load.writes) await tidyUp(subject.databaseUrl);
      }
      options.log(`${load.name}: round ${round + 1} of ${options.rounds}`);
    }
  }
  const footprints = running.map(({ subject: { name } }) => ({
    subject: name,
    startMs: startMsOf(name),
    residentBytes: resident.get(name)!,
  }));
  return { samples, footprints };
}

type Turn = {
  readonly load: Load;
  readonly round: number;
  readonly subject: Running;
  readonly world: World;
  readonly postmaster: number;
  readonly generator: Generator;
};
type Generator = ReturnType<typeof startGenerator>;

async function measureOnce(turn: Turn, { seconds, half }: Pick<Options, "seconds" | "half">): Promise<Sample> {
  const { load, round, subject, world, postmaster, generator } = turn;
  const { origin, pid, databaseUrl } = subject;
  const { name } = subject.subject;
  const order = { origin, requests: await load.requests(world, ask(origin)), connections: CONNECTIONS };
  const send = async (extent: { seconds: number; rate?: number }) => {
    const outcome = await generator.send({ ...order, ...extent });
    if (outcome.failure !== null)
      throw new StartupError(`${name}, ${load.name}: ${outcome.failures} requests have failed. ${outcome.failure}`);
    return outcome;
  };
  await send({ seconds: round === 0 ? seconds : seconds * WARM_UP });

  const database = new URL(databaseUrl).pathname.slice(1);
  const before = { server: await cpuMs(pid), postgres: await cpuOfPostgres(postmaster, database) };
  const { count, seconds: taken, p50Ms, p99Ms } = await send({ seconds });
  const serverMs = (await cpuMs(pid)) - before.server;
  const postgresMs = cpuSince(before.postgres, await cpuOfPostgres(postmaster, database));

  const requestsPerSecond = count / taken;
  const halfP99Ms = half ? (await send({ seconds, rate: requestsPerSecond / 2 })).p99Ms : null;
  const perRequest = (ms: number) => (ms * 1_000) / count;
  const cpu = { serverUs: perRequest(serverMs), postgresUs: perRequest(postgresMs) };
  return { round, load: load.name, subject: name, ...cpu, requestsPerSecond, p50Ms, p99Ms, halfP99Ms };
}

export const ask =
  (origin: string): Ask =>
  async (path, key) => {
    const response = await fetch(origin + path, { headers: { authorization: `Bearer ${key}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Awaited<ReturnType<Ask>>;
  };
