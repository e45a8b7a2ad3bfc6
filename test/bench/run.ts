import { StartupError } from "../../src/util/startup-error.ts";
import { currentCommit, log, openBench, positive, positiveInteger, runBenchmark } from "./harness.ts";
import { LOADS } from "./loads.ts";
import { measure, startAll } from "./measure.ts";
import { preparePeers } from "./peers.ts";
import { tablesOf } from "./report.ts";
import { FLOOR, OURS, SUBJECTS, type Subject } from "./subjects.ts";
import { verifySubjects } from "./verify.ts";

const isPeer = ({ name }: Subject) => name !== FLOOR && name !== OURS;
const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);

const USAGE = `Compares the service with the same API in other frameworks, on a machine that does nothing else.
The figures are the CPU time per request of the server and of PostgreSQL, each in relation to that of the floor.

Usage: npm run bench -- [LOAD...] [SUBJECT...] [--rounds N] [--seconds S] [--half-load]
       npm run bench -- --against COMMIT    the service with an earlier commit; --help shows its options

  LOAD         only these loads: ${namesOf(LOADS).join(", ")}
  SUBJECT      only these subjects beside ${FLOOR} and ${OURS}: ${namesOf(SUBJECTS.filter(isPeer)).join(", ")}
  --rounds N   measure each load and subject N times; the default is 5
  --seconds S  measure for S seconds each time; the default is 4
  --half-load  measure the latency at half of the requests per second that the service reaches, too

The other benchmarks are npm run bench -- capacity, observability, overload, soak, video and waiting. How to read the tables: test/bench/LOG.md.`;

const options = {
  rounds: { type: "string", default: "5" },
  seconds: { type: "string", default: "4" },
  "half-load": { type: "boolean", default: false },
} as const;

/** The loads and subjects that the words name; all of them if no word names one. */
function chosen(words: readonly string[]) {
  const unknown = words.filter((word) => !namesOf([...LOADS, ...SUBJECTS]).includes(word));
  if (unknown.length > 0) throw new StartupError(`There is no load or subject ${unknown.join(", ")}. --help lists them.`);
  const loads = LOADS.filter((it) => words.includes(it.name));
  const isNamed = SUBJECTS.some((it) => words.includes(it.name));
  const subjects = SUBJECTS.filter((it) => !isNamed || !isPeer(it) || words.includes(it.name));
  return { loads: loads.length === 0 ? LOADS : loads, subjects };
}

await runBenchmark({ usage: USAGE, options, arguments: LOADS.length + SUBJECTS.length }, async ({ values, positionals }) => {
  const extent = {
    rounds: positiveInteger(values.rounds),
    seconds: positive(values.seconds),
    halfLoad: values["half-load"],
    log,
  };
  const all = { ...chosen(positionals), ...extent };
  await preparePeers();
  await using bench = await openBench();
  const running = await startAll(all, bench);
  log("Comparing what the subjects answer, and the rows that they write.");
  const ours = running.find(({ subject }) => subject.name === OURS)!;
  const peers = running.filter(({ subject }) => subject !== ours.subject);
  await verifySubjects(ours, peers, bench.world);
  const at = new Date().toISOString();
  console.log(tablesOf(await measure(all, running, bench), { ...all, at, commit: currentCommit() }));
});
