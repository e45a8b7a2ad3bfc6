import { writeFileSync } from "node:fs";
import { startScratchPostgres } from "../../scripts/scratch-postgres.ts";
import { runCommand } from "../../src/util/command.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { currentCommit, log, positive } from "./command-line.ts";
import { SERVER_SETTINGS } from "./fixture.ts";
import { comparisonOf, lastRecord, record, regressionsSince } from "./history.ts";
import { LOADS, type Load } from "./loads.ts";
import { createDatabases, measure, startAll, type Options } from "./measure.ts";
import { preparePeers } from "./peers.ts";
import { pictureOf } from "./picture.ts";
import { reportOf, tablesOf } from "./report.ts";
import { FLOOR, OURS, SUBJECTS, type Subject } from "./subjects.ts";
import { verifySubjects } from "./verify.ts";

const USAGE = `Compares the service with the same API in other frameworks, on a machine that does nothing else.
The figures are the CPU time per request of the server and of PostgreSQL, each in relation to that of the floor.

Usage: npm run bench -- [LOAD...] [SUBJECT...] [--rounds N] [--seconds S] [--half] [--json] [--svg FILE]
       [--record]

  LOAD         only these loads: ${LOADS.map((it) => it.name).join(", ")}
  SUBJECT      only these subjects beside ${FLOOR} and ${OURS}:
               ${SUBJECTS.filter(isPeer)
                 .map((it) => it.name)
                 .join(", ")}
  --rounds N   measure each load and subject N times; the default is 5
  --seconds S  measure for S seconds each time; the default is 4, and all loads and subjects then take 40 minutes
  --half       also measure latency at half of the requests per second that a subject reaches
  --json       print the report as JSON instead of tables
  --svg FILE   draw the report
  --record     append the report to test/bench/history.jsonl, and draw it as test/bench/bench.svg

The benchmark of video jobs is npm run bench:video. How to read the tables: test/bench/LOG.md.`;

const PICTURE = new URL("./bench.svg", import.meta.url);

const options = {
  rounds: { type: "string", default: "5" },
  seconds: { type: "string", default: "4" },
  half: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  svg: { type: "string" },
  record: { type: "boolean", default: false },
} as const;

function isPeer({ name }: Subject): boolean {
  return name !== FLOOR && name !== OURS;
}

/** The loads and subjects that the words name; all of them if no word names one. */
function chosen(words: readonly string[]): { readonly loads: readonly Load[]; readonly subjects: readonly Subject[] } {
  const unknown = words.filter((word) => ![...LOADS, ...SUBJECTS].some((it) => it.name === word));
  if (unknown.length > 0) throw new StartupError(`There is no load or subject ${unknown.join(", ")}. --help lists them.`);
  const loads = LOADS.filter((it) => words.includes(it.name));
  const isNamed = SUBJECTS.some((it) => words.includes(it.name));
  return {
    loads: loads.length === 0 ? LOADS : loads,
    subjects: SUBJECTS.filter((it) => !isNamed || !isPeer(it) || words.includes(it.name)),
  };
}

async function compare(chosen: Options): Promise<ReturnType<typeof reportOf>> {
  if (process.platform !== "linux") throw new StartupError("The benchmark needs Linux, because it reads CPU times from /proc.");
  await preparePeers(log);
  await using stack = new AsyncDisposableStack();
  const postgres = stack.adopt(await startScratchPostgres(SERVER_SETTINGS), (it) => it.stop());
  const { world, urlOf } = await createDatabases(postgres.url, chosen.subjects, log);
  const started = await startAll(chosen, urlOf, stack);
  const ours = started.running.find(({ subject }) => subject.name === OURS)!;
  log("Comparing what the subjects answer, and the rows that they write.");
  const others = started.running.filter((it) => it !== ours);
  await verifySubjects(ours, others, world);
  const context = { ...chosen, at: new Date().toISOString(), commit: currentCommit() };
  return reportOf(await measure(chosen, started, world), context);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await runCommand({ usage: USAGE, options, arguments: LOADS.length + SUBJECTS.length }, async ({ values, positionals }) => {
  const rounds = Math.ceil(positive(values.rounds));
  const report = await compare({ ...chosen(positionals), rounds, seconds: positive(values.seconds), half: values.half, log });
  const before = lastRecord();
  console.log(values.json ? JSON.stringify(report, null, 2) : tablesOf(report));
  log(comparisonOf(before, report));
  if (values.svg !== undefined) writeFileSync(values.svg, pictureOf(report));
  if (values.record) {
    record(report);
    writeFileSync(PICTURE, pictureOf(report));
  }
  return (regressionsSince(before, report) ?? []).length > 0 ? 1 : 0;
});
