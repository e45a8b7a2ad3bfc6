import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../src/util/command.ts";
import { StartupError } from "../../src/util/startup-error.ts";
import { missingCode, unpackCommit } from "../support/previous-release.ts";
import { repository } from "../support/processes.ts";
import { createFixtureOf, tidyUp } from "./fixture.ts";
import { currentCommit, judge, loadsNamed, log, openBench, positive, positiveInteger, runBenchmark } from "./harness.ts";
import type { Bar, Bench } from "./harness.ts";
import { LOADS, type Load } from "./loads.ts";
import { measureOnce, orderFor, WARM_UP, type Footprint, type Results } from "./measure.ts";
import { residentBytes } from "./processes.ts";
import { byFolder, profiled } from "./profile.ts";
import { changeTable, folderTable, footprintChanges } from "./report.ts";
import { changeBetween, changeOf, orderOf, type Sample } from "./stats.ts";
import { freePort, SERVICE, startSubject, type Subject } from "./subjects.ts";

/** How many times as much CPU a request may take as at the other commit. */
const COST_MAX = 1.05;
/** How often the rounds of a load above the maximum are repeated. One start of a process can cost a tenth more than the next. */
const SETS_MAX = 5;
const NAMES = LOADS.map(({ name }) => name);

const USAGE = `Compares the service with an earlier commit, on a machine that does nothing else. The figures are the CPU time per request, and
the multiple of that of the commit in the same round. Each has a database that its own code creates, and starts again for each round.
A load above ${COST_MAX} x is measured again, in up to ${SETS_MAX} times as many rounds, and then fails with a CPU profile of both.

Usage: npm run bench -- --against COMMIT [LOAD...] [--rounds N] [--seconds S] [--profile]

  LOAD         only these loads: ${NAMES.join(", ")}
  --rounds N   measure each load N times; the default is 6
  --seconds S  measure for S seconds each time; the default is 1
  --profile    print the profiles of all loads`;

const options = {
  against: { type: "string", default: "" },
  rounds: { type: "string", default: "6" },
  seconds: { type: "string", default: "1" },
  profile: { type: "boolean", default: false },
} as const;

/** One of the two commits, with its data. */
type Side = { readonly subject: Subject; readonly bench: Bench; readonly databaseUrl: string };

/** The code of a commit, with the packages of its lockfile: those of this checkout, if the lockfile is the same. */
function checkOut(commit: string): { readonly folder: string } & Disposable {
  const missing = missingCode({ commit });
  if (missing !== null) throw new StartupError(missing);
  const code = unpackCommit(commit);
  const lockOf = (folder: string) => readFileSync(join(folder, "package-lock.json"), "utf8");
  if (lockOf(code.folder) === lockOf(repository))
    symlinkSync(join(repository, "node_modules"), join(code.folder, "node_modules"));
  else execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: code.folder, stdio: ["ignore", "ignore", "inherit"] });
  return code;
}

async function openSide(subject: Subject, bench: Bench): Promise<Side> {
  const databaseUrl = await bench.createDatabase(subject.name);
  // The first start of the service creates the tables of its job queue.
  await startSubject(subject, databaseUrl).then((it) => it.stop());
  return { subject, bench, databaseUrl };
}

/** Starts both sides, and measures each load of one after that of the other. */
async function measureRound(sides: readonly Side[], loads: readonly Load[], round: number, seconds: number): Promise<Results> {
  await using stack = new AsyncDisposableStack();
  const started = [];
  for (const side of orderOf(sides, round))
    started.push({ ...side, running: stack.adopt(await startSubject(side.subject, side.databaseUrl), (it) => it.stop()) });
  const samples: Sample[] = [];
  for (const load of loads)
    for (const { running, bench } of started) {
      samples.push(await measureOnce({ load, round, running, seconds, warmUp: WARM_UP.started }, bench));
      if (load.writes) await tidyUp(running.databaseUrl);
    }
  const footprints: Footprint[] = [];
  for (const { subject, running } of started)
    footprints.push({ subject: subject.name, startMs: running.startMs, residentBytes: await residentBytes(running.pid) });
  log(`Round ${round + 1} of ${loads.length} loads.`);
  return { samples, footprints };
}

/** The microseconds of a request of each load, by folder. */
async function profileOf({ subject, bench, databaseUrl }: Side, loads: readonly Load[], seconds: number) {
  const port = await freePort();
  const settings = { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` };
  const running = await startSubject(subject, databaseUrl, { settings });
  await using _running = { [Symbol.asyncDispose]: () => running.stop() };
  const profiles = new Map<Load, ReadonlyMap<string, number>>();
  for (const load of loads) {
    const order = await orderFor(load, running, bench);
    await bench.generator.send({ ...order, ...WARM_UP.started });
    let count = 0;
    const profile = await profiled(port, async () => ({ count } = await bench.generator.send({ ...order, seconds })));
    const folders = [...byFolder(profile, subject.folder ?? repository)];
    profiles.set(load, new Map(folders.map(([folder, us]) => [folder, us / count])));
    if (load.writes) await tidyUp(databaseUrl);
  }
  return profiles;
}

async function printProfiles([ours, theirs]: readonly [Side, Side], loads: readonly Load[], seconds: number): Promise<void> {
  const [after, before] = [await profileOf(ours, loads, seconds), await profileOf(theirs, loads, seconds)];
  for (const load of loads) console.log(`\n${folderTable(load.name, before.get(load)!, after.get(load)!)}`);
}

await runBenchmark({ usage: USAGE, options, arguments: LOADS.length }, async ({ values, positionals }) => {
  if (values.against === "") throw new UsageError();
  const [rounds, seconds] = [positiveInteger(values.rounds), positive(values.seconds)];
  const loads = loadsNamed(positionals, NAMES);
  using code = checkOut(values.against);
  const { folder } = code;
  await using bench = await openBench();
  await using otherBench = await openBench(undefined, (serverUrl) => createFixtureOf(folder, serverUrl));
  const ours = await openSide(SERVICE, bench);
  const theirs = await openSide({ ...SERVICE, name: "against", folder }, otherBench);

  const samples: Sample[] = [];
  const footprints: Footprint[] = [];
  const footprintOf = (figure: (it: Footprint) => number) => {
    const of = (name: string) => footprints.filter((it) => it.subject === name).map(figure);
    return changeBetween(of(theirs.subject.name), of(ours.subject.name));
  };
  const barsOf = (load: Load): readonly Bar[] =>
    (["serverUs", "bothUs"] as const).map((figure) => ({
      what: `${load.name}, ${figure === "serverUs" ? "server" : "server and PostgreSQL"}, x ${values.against}`,
      value: changeOf(samples, figure, load.name, ours.subject.name, theirs.subject.name).times.median,
      atMost: COST_MAX,
    }));
  let costlier = loads;
  for (let round = 0; round < SETS_MAX * rounds && costlier.length > 0; round++) {
    const measured = await measureRound([ours, theirs], costlier, round, seconds);
    samples.push(...measured.samples);
    footprints.push(...measured.footprints);
    if ((round + 1) % rounds === 0) costlier = costlier.filter((load) => barsOf(load).some(({ value }) => value > COST_MAX));
  }

  console.log(
    `${new Date().toISOString()}, commit ${currentCommit()} against ${values.against}, ${rounds} rounds of ${seconds} s.\n`,
  );
  console.log(changeTable(samples, loads, ours.subject.name, theirs.subject.name));
  const [start, memory] = [footprintOf((it) => it.startMs), footprintOf((it) => it.residentBytes / 1e6)];
  console.log(`\n${footprintChanges(start, memory)}`);
  const shown = values.profile ? loads : costlier;
  if (shown.length > 0) await printProfiles([ours, theirs], shown, 5 * seconds);
  console.log();
  const footprintBars = [
    { what: `start, x ${values.against}`, value: start.times.median, atMost: COST_MAX },
    { what: `memory, x ${values.against}`, value: memory.times.median, atMost: COST_MAX },
  ];
  return judge([...loads.flatMap(barsOf), ...footprintBars]);
});
