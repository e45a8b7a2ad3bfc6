import { cleanUpOnDeath } from "../../scripts/scratch-postgres.ts";
import { runCommand, UsageError } from "../../src/util/command.ts";
import { missingCitus } from "../support/citus.ts";
import { startDistributedCluster } from "../support/distributed-cluster.ts";
import type { Answers } from "./answers.ts";
import { startEventReceiver } from "./event-receiver.ts";
import { excerpts } from "./excerpts.ts";
import { generators, type Generator } from "./generators.ts";
import { startNextMinorVersion } from "./next-minor-version.ts";
import { blockIn, readPage, withBlock, writePage, type Block } from "./page.ts";
import { RELEASES } from "./released-program.ts";
import { startService, type RunningService } from "./service.ts";
import { obstacleTo, refusesIn, type Skip } from "./skip.ts";
import { isGood, STEPS, updatedTable, type Finding } from "./table.ts";
import { tryOut } from "./try-out.ts";

const RELEASED = RELEASES.map(({ version }) => version).join(" and ");

const USAGE = `Makes a client with every generator, compiles it strictly, and runs the same journey with it.
Then does the same with clients of ${RELEASED}, made from the frozen contracts.

Usage: npm run test:clients -- [--only NAME]... [--citus NAME]... [--write] [--all]

  --only NAME   only this generator: ${generators.map(({ name }) => name).join(", ")}
  --citus NAME  also run the journeys of this generator against a service on three nodes of Citus; needs a PostgreSQL with Citus
  --write       update openapi/CLIENTS.md
  --all         fail when a generator had to be skipped, unless only the compiler for Go or Rust is missing; for CI`;

const options = {
  only: { type: "string", multiple: true, default: [] as string[] },
  citus: { type: "string", multiple: true, default: [] as string[] },
  write: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
} as const;

type Selection = {
  readonly only: readonly string[];
  readonly citus: readonly string[];
  readonly write: boolean;
  readonly all: boolean;
};
type Travels = {
  readonly findings: readonly Finding[];
  readonly skipped: readonly Skip[];
  /** The responses of each service. */
  readonly answers: readonly (Answers & { readonly where: string })[];
};

async function runAll({ only, citus, write, all }: Selection): Promise<boolean> {
  const chosen = generators.filter(({ name }) => only.length === 0 || only.includes(name));
  if (![...only, ...citus].every((it) => chosen.some(({ name }) => name === it))) throw new UsageError();
  const started = performance.now();
  const samples = excerpts();
  const { findings, skipped, answers } = await travel(chosen, citus);
  const bad = findings.filter((finding) => !isGood(finding));
  const travelled = findings.filter(isGood);
  const languages = new Set(travelled.map(({ generator }) => generator.language));
  const stale = bad.length === 0 ? comparePage(findings, samples, write) : [];
  const failures = answers.flatMap((it) => it.failures);
  console.log(
    `\n${travelled.length} generators in ${languages.size} languages compile and pass all ${STEPS} steps, also against the next minor version, and as` +
      ` clients of ${RELEASED}; ${bad.length} failed, ${skipped.length} skipped; ${Math.round((performance.now() - started) / 1000)} s`,
  );
  for (const { where, counts } of answers) console.log(`The service${where} answered ${counts}`);
  for (const { reason } of skipped) console.log(reason);
  for (const { generator } of bad) console.log(`FAILED  ${generator.name}`);
  for (const line of failures) console.log(`FAILED  ${line}`);
  for (const what of stale) console.log(`STALE   ${what} in openapi/CLIENTS.md; --write updates it`);
  return bad.length === 0 && failures.length === 0 && stale.length === 0 && !(all && refusesIn(skipped));
}

/** Runs the journeys of these generators, and those of `citus` also against a service on Citus. */
async function travel(chosen: readonly Generator[], citus: readonly string[]): Promise<Travels> {
  const findings: Finding[] = [];
  const skipped: Skip[] = [];
  const answers: (Answers & { where: string })[] = [];
  const skip = (it: Skip): void => {
    skipped.push(it);
    console.log(it.reason);
  };
  await using stack = new AsyncDisposableStack();
  const start = async (...args: Parameters<typeof startService>): Promise<RunningService> =>
    stack.adopt(await startService(...args), async ({ where, stop }) => {
      answers.unshift({ where, ...(await stop()) });
    });
  const service = await start("");
  const nextMinor = stack.adopt(await startNextMinorVersion(service.url), (it) => it.stop());
  const events = stack.adopt(await startEventReceiver(), (it) => it.stop());
  const onCitus: RunningService[] = [];
  const obstacle = citus.length === 0 ? null : missingCitus();
  if (obstacle !== null) skip({ reason: `SKIPPED the journeys on Citus: ${obstacle}`, isAccepted: true });
  else if (citus.length > 0) {
    const cluster = stack.use(await startDistributedCluster({ onFolder: cleanUpOnDeath }));
    onCitus.push(await start(" on Citus", { DATABASE_URL: cluster.url }));
  }
  for (const generator of chosen) {
    const services = [service, ...(citus.includes(generator.name) ? onCitus : [])] as const;
    const destinations = {
      ...{ services, eventsUrl: events.url },
      nextMinor: { ...service, url: nextMinor.url, where: ", next minor version" },
    };
    const finding = obstacleTo(generator) ?? (await tryOut(generator, destinations));
    if ("reason" in finding) skip(finding);
    else findings.push(finding);
  }
  await stack.disposeAsync();
  return { findings, skipped, answers };
}

/** The differences between the page and this run. With `write`, updates the page and returns none. */
function comparePage(findings: readonly Finding[], samples: ReadonlyMap<Block, string>, write: boolean): string[] {
  const page = readPage();
  const { table, stale } = updatedTable(blockIn(page, "table"), generators, findings);
  if (write) {
    writePage([["table", table] as const, ...samples].reduce((text, [block, content]) => withBlock(text, block, content), page));
    return [];
  }
  return [
    ...stale.map((name) => `the row of ${name}`),
    ...[...samples].filter(([block, content]) => blockIn(page, block) !== content).map(([block]) => block),
  ];
}

// Every child process is ended on exit, so a signal must cause an exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
await runCommand({ usage: USAGE, options }, async ({ values }) => ((await runAll(values)) ? 0 : 1));
