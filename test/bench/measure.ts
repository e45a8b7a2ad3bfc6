import { cpuMs } from "../support/processes.ts";
import { tidyUp } from "./fixture.ts";
import { ask, type Bench } from "./harness.ts";
import type { Load } from "./loads.ts";
import { cpuOfPostgres, cpuSince, residentBytes } from "./processes.ts";
import { orderOf, type Sample } from "./stats.ts";
import { OURS, startSubject, type Running, type Subject } from "./subjects.ts";

const CONNECTIONS = 32;
/**
 * What precedes a measurement: of a load with a subject that stays, with one that was just started, and again. V8 compiles the code of a
 * load a last time after about 20,000 requests, and stalls for up to 40 ms then. A slow load shares its code with others.
 */
export const WARM_UP = { first: { count: 25_000, seconds: 20 }, started: { count: 2_000 }, later: { count: 200 } };

export type Options = {
  readonly subjects: readonly Subject[];
  readonly loads: readonly Load[];
  readonly rounds: number;
  readonly seconds: number;
  /** Whether the latency at half load is measured, too. */
  readonly halfLoad: boolean;
  readonly log: (line: string) => void;
};

/** What is measured once per subject, not per load. */
export type Footprint = { readonly subject: string; readonly startMs: number; readonly residentBytes: number };
export type Results = { readonly samples: readonly Sample[]; readonly footprints: readonly Footprint[] };

/** Starts each subject with a database of its own. */
export async function startAll({ subjects, log }: Options, bench: Bench): Promise<readonly Running[]> {
  const all: Running[] = [];
  for (const subject of subjects) {
    const url = await bench.createDatabase(subject.name);
    // The first start of the service creates the tables of its job queue.
    await startSubject(subject, url).then((it) => it.stop());
    all.push(await bench.start(subject, url));
    log(`${subject.name} answers, ${Math.round(all.at(-1)!.startMs)} ms after its start.`);
  }
  return all;
}

/** Measures every load with every subject in each round. All subjects run, but only one at a time gets requests. */
export async function measure(options: Options, all: readonly Running[], bench: Bench): Promise<Results> {
  const samples: Sample[] = [];
  const resident = new Map<Running, number>();
  for (const load of options.loads) {
    for (let round = 0; round < options.rounds; round++) {
      const inRound: Sample[] = [];
      for (const running of orderOf(all, round)) {
        const warmUp = round === 0 ? WARM_UP.first : WARM_UP.later;
        inRound.push(await measureOnce({ load, round, running, seconds: options.seconds, warmUp }, bench));
        resident.set(running, Math.max(resident.get(running) ?? 0, await residentBytes(running.pid)));
        if (load.writes) await tidyUp(running.databaseUrl);
      }
      samples.push(...(options.halfLoad ? await withHalfLoad(inRound, load, options, all, bench) : inRound));
      options.log(`${load.name}: round ${round + 1} of ${options.rounds}`);
    }
  }
  const footprints = all.map((it) => ({ subject: it.subject.name, startMs: it.startMs, residentBytes: resident.get(it)! }));
  return { samples, footprints };
}

/** Adds the latency of each subject when it gets half of the requests per second that the service has reached. */
async function withHalfLoad(
  samples: readonly Sample[],
  load: Load,
  { seconds }: Options,
  all: readonly Running[],
  bench: Bench,
): Promise<readonly Sample[]> {
  const rate = samples.find(({ subject }) => subject === OURS)!.requestsPerSecond / 2;
  const measured: Sample[] = [];
  for (const sample of samples) {
    const running = all.find(({ subject }) => subject.name === sample.subject)!;
    const order = await orderFor(load, running, bench);
    await bench.generator.send({ ...order, ...WARM_UP.later });
    const { p99Ms } = await bench.generator.send({ ...order, seconds, rate });
    measured.push({ ...sample, halfLoadP99Ms: p99Ms });
    if (load.writes) await tidyUp(running.databaseUrl);
  }
  return measured;
}

/** What the load generator sends to a subject. */
export async function orderFor(load: Load, { origin }: Running, { world }: Bench) {
  return { origin, requests: await load.requests(world, ask(origin)), connections: CONNECTIONS };
}

type Measurement = {
  readonly load: Load;
  readonly round: number;
  readonly running: Running;
  readonly seconds: number;
  readonly warmUp: { readonly count: number; readonly seconds?: number };
};

export async function measureOnce({ load, round, running, seconds, warmUp }: Measurement, bench: Bench): Promise<Sample> {
  const { pid, databaseUrl, subject } = running;
  const order = await orderFor(load, running, bench);
  await bench.generator.send({ ...order, ...warmUp });

  const cpu = async () => ({
    server: await cpuMs(pid),
    postgres: await cpuOfPostgres(bench.postmaster, new URL(databaseUrl).pathname.slice(1)),
  });
  const before = await cpu();
  const { count, seconds: taken, p50Ms, p99Ms } = await bench.generator.send({ ...order, seconds });
  const after = await cpu();
  const perRequest = (ms: number) => (ms * 1_000) / count;
  return {
    round,
    load: load.name,
    subject: subject.name,
    serverUs: perRequest(after.server - before.server),
    postgresUs: perRequest(cpuSince(before.postgres, after.postgres)),
    requestsPerSecond: count / taken,
    p50Ms,
    p99Ms,
  };
}
