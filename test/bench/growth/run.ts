import { writeFileSync } from "node:fs";
import { startScratchPostgres } from "../../../scripts/scratch-postgres.ts";
import { runCommand, UsageError } from "../../../src/util/command.ts";
import { StartupError } from "../../../src/util/startup-error.ts";
import { SERVER_SETTINGS } from "../fixture.ts";
import { startGenerator } from "../load-generator.ts";
import { currentCommit, log, positive } from "../command-line.ts";
import { createData, type Data } from "./data.ts";
import { measureCpu } from "./measure.ts";
import { AREAS, operationsOf, type Area } from "./operations.ts";
import { growthPicture } from "./picture.ts";
import { explain, LOG_SETTINGS, titleOf } from "./plans.ts";
import { faultsOf, growthTable, GROWTH_MAX, type GrowthReport } from "./report.ts";

const USAGE = `Measures what each operation costs in databases of different sizes: the rows and pages that PostgreSQL reads, and the CPU time.
Fails if an operation costs more than ${GROWTH_MAX} times as much in the largest database as in the smallest one.

Usage: npm run bench:growth -- [AREA...] [--sizes N,N,N] [--messages N] [--plans-only] [--rounds N] [--count N]
       [--svg FILE] [--json FILE]

  AREA           only these areas: ${AREAS.join(", ")}
  --sizes N,N,N  rows in each table, the smallest first, multiples of 1000; the default is 10000,100000,1000000
  --messages N   messages in the largest database, such as 10000000; the default is as many as rows
  --plans-only   measure no CPU, only what PostgreSQL reads
  --rounds N     measure the CPU of each operation N times; the default is 5. CPU is judged from 5 rounds on
  --count N      send N writes, or four times as many reads, in each measurement; the default is 40
  --svg FILE     draw the costs over the sizes
  --json FILE    write the report, with the plans of every statement

How to read the table: test/bench/LOG.md.`;

const options = {
  sizes: { type: "string", default: "10000,100000,1000000" },
  messages: { type: "string" },
  "plans-only": { type: "boolean", default: false },
  rounds: { type: "string", default: "5" },
  count: { type: "string", default: "40" },
  svg: { type: "string" },
  json: { type: "string" },
} as const;

type Extent = {
  readonly areas: readonly Area[];
  readonly sizes: readonly number[];
  readonly messages: number | null;
  readonly rounds: number;
  readonly count: number;
};

async function measure({ areas, sizes, messages, rounds, count }: Extent): Promise<GrowthReport> {
  // Everything fits into the buffers, so that no size waits for the disk.
  const settings = { ...SERVER_SETTINGS, ...LOG_SETTINGS, shared_buffers: "5GB" };
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(settings), (it) => it.stop());
  using generator = startGenerator();
  const all = await createData(postgres.url, sizes, messages, log);
  const plans: Awaited<ReturnType<typeof explain>>[] = [];
  for (const data of all) {
    plans.push(await explain(data, areas, generator));
    log(`${data.rows} rows in each table: read the plans of ${plans.at(-1)!.length} operations`);
  }
  const cpu = rounds === 0 ? [] : await measureCpu(all, generator, { areas, rounds, count, log });
  return {
    at: new Date().toISOString(),
    commit: currentCommit(),
    sizes,
    messages: all.at(-1)!.messages,
    rounds,
    operations: operationsOf(all[0] as Data, areas, "").map(({ area, name, exception }, index) => ({
      operation: { area, name, ...(exception === undefined ? {} : { exception }) },
      plans: plans.map((it) => it[index]!),
      cpuUs: cpu[index] ?? [],
    })),
  };
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await runCommand({ usage: USAGE, options, arguments: AREAS.length }, async ({ values, positionals }) => {
  const areas = AREAS.filter((it) => positionals.length === 0 || positionals.includes(it));
  const unknown = positionals.filter((it) => !(AREAS as readonly string[]).includes(it));
  if (unknown.length > 0) throw new StartupError(`There is no area ${unknown.join(", ")}. --help lists them.`);
  const sizes = values.sizes.split(",").map(positive);
  if (sizes.some((it) => it % 1_000 !== 0)) throw new UsageError();
  const report = await measure({
    areas,
    sizes,
    messages: values.messages === undefined ? null : positive(values.messages),
    rounds: values["plans-only"] ? 0 : Math.ceil(positive(values.rounds)),
    count: Math.ceil(positive(values.count)),
  });
  if (values.svg !== undefined) writeFileSync(values.svg, growthPicture(report));
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report, null, 1));
  console.log(growthTable(report));
  const growing = report.operations.map((it) => ({ title: titleOf(it.operation), faults: faultsOf(it, report) }));
  const found = growing.filter(({ faults }) => faults.length > 0);
  console.log(found.length === 0 ? "\nNo operation grows with the tables." : "\nThese operations grow with the tables:");
  for (const { title, faults } of found) console.log(`  ${title} ${faults.join(", ")}`);
  return found.length > 0 ? 1 : 0;
});
