import { setTimeout as delay } from "node:timers/promises";
import { cpuMs } from "../../support/cpu.ts";
import { connect } from "../fixture.ts";
import type { startGenerator } from "../load-generator.ts";
import { cpuOfPostgres, cpuSince, parentOf } from "../processes.ts";
import { median, orderOf } from "../stats.ts";
import { OURS, startSubject, SUBJECTS, type Running } from "../subjects.ts";
import { writeFiles, type Data } from "./data.ts";
import { askForSeen, operationsOf, type Area, type Operation } from "./operations.ts";
import { titleOf } from "./plans.ts";

/** The CPU time of each operation in databases of different sizes, each with a process of the service of its own. */

const CONNECTIONS = 4;
/** Reads need no rows of their own, so there can be more of them. */
const READS_PER_WRITE = 4;
/** After so many, the same rows are read again: the smallest database has only a few hundred of some. */
const DISTINCT_READS = 250;
/** The share of the measured requests that each warm-up takes. */
const WARM_UP = 0.25;
/** Requests that `explain` has sent before. */
const SENT_BEFORE = 10;

/** So that a busy machine does not refuse the first requests, which wait for new connections. */
const PATIENT = { DATABASE_POOL_TIMEOUT_SECONDS: "30" };

type Options = {
  readonly areas: readonly Area[];
  readonly rounds: number;
  readonly count: number;
  readonly log: (line: string) => void;
};
type Generator = ReturnType<typeof startGenerator>;
type Subject = {
  readonly data: Data;
  readonly service: Running;
  readonly operations: readonly Operation[];
  readonly client: Awaited<ReturnType<typeof connect>>;
};

/** Microseconds of CPU per request, of server and PostgreSQL, in the order of the operations and then of the sizes. */
export async function measureCpu(
  all: readonly Data[],
  generator: Generator,
  options: Options,
): Promise<readonly (readonly number[])[]> {
  await using stack = new AsyncDisposableStack();
  const subjects: Subject[] = [];
  for (const data of all) {
    const ours = SUBJECTS.find((it) => it.name === OURS)!;
    const prepare = (dataDir: string) => writeFiles(data, dataDir);
    const service = stack.adopt(await startSubject(ours, data.databaseUrl, { prepare, settings: PATIENT }), (it) => it.stop());
    const client = stack.use(await connect(data.databaseUrl));
    subjects.push({ data, service, client, operations: operationsOf(data, options.areas, await askForSeen(service.origin)) });
  }
  const [backend] = await subjects[0]!.client.run("SELECT pg_backend_pid() AS pid");
  const postmaster = await parentOf(backend!["pid"] as number);

  const costs: number[][] = [];
  for (const [index, operation] of subjects[0]!.operations.entries()) {
    const samples = new Map(subjects.map((it) => [it, [] as number[]]));
    let sent = SENT_BEFORE;
    for (let round = 0; round < options.rounds; round++) {
      const count = Math.min(
        operation.countMax ?? Infinity,
        options.count * (operation.effect === undefined ? READS_PER_WRITE : 1),
      );
      const warmUp = Math.ceil(count * WARM_UP);
      for (const subject of orderOf(subjects, round)) {
        const turn = { subject, operation: subject.operations[index]!, postmaster, generator };
        samples.get(subject)!.push(await measureOnce(turn, { from: sent, warmUp, count }));
      }
      sent += warmUp + count;
    }
    costs.push(subjects.map((it) => median(samples.get(it)!)));
    options.log(
      `${titleOf(operation)}: ${costs
        .at(-1)!
        .map((it) => Math.round(it))
        .join(", ")} us`,
    );
  }
  return costs;
}

type Turn = {
  readonly subject: Subject;
  readonly operation: Operation;
  readonly postmaster: number;
  readonly generator: Generator;
};
type Extent = { readonly from: number; readonly warmUp: number; readonly count: number };

async function measureOnce(
  { subject: { data, service, client }, operation, postmaster, generator }: Turn,
  { from, warmUp, count }: Extent,
): Promise<number> {
  const send = async (first: number, length: number) => {
    const indexOf = (n: number) =>
      operation.effect === undefined && operation.isNewEachTime !== true ? (first + n) % DISTINCT_READS : first + n;
    const requests = Array.from({ length }, (_, n) => operation.request(indexOf(n)));
    const { failure, failures, count } = await generator.send({ origin: service.origin, requests, connections: CONNECTIONS });
    if (failure !== null)
      throw new Error(`${titleOf(operation)}, ${data.rows} rows: ${failures} of ${count} requests have failed. ${failure}`);
    if (operation.settleMs !== undefined) await delay(operation.settleMs);
  };
  const seen = async () => (operation.effect === undefined ? 0 : ((await client.run(operation.effect.sql))[0]!["n"] as number));
  await send(from, warmUp);
  const database = new URL(data.databaseUrl).pathname.slice(1);
  const before = {
    seen: await seen(),
    server: await cpuMs(service.pid),
    postgres: await cpuOfPostgres(postmaster, database),
  };
  await send(from + warmUp, count);
  const serverMs = (await cpuMs(service.pid)) - before.server;
  const postgresMs = cpuSince(before.postgres, await cpuOfPostgres(postmaster, database));
  const changed = (await seen()) - before.seen;
  const expected = count * (operation.effect?.by ?? 0);
  if (changed !== expected)
    throw new Error(`${titleOf(operation)}, ${data.rows} rows: it changed ${changed}, but should have changed ${expected}.`);
  for (const statement of operation.restore ?? []) await client.run(statement);
  if (operation.effect !== undefined) await client.run("CHECKPOINT");
  return ((serverMs + postgresMs) * 1_000) / count;
}
