import { mkdir, readFile } from "node:fs/promises";
import { runCommand, UsageError } from "../../src/util/command.ts";
import { run } from "./commands.ts";
import { excerpts } from "./excerpts.ts";
import { generators, type Generator } from "./generators.ts";
import { startNextMinorVersion } from "./next-minor-version.ts";
import { blockIn, readPage, withBlock, writePage, type Block } from "./page.ts";
import { startService, type RunningService, type User } from "./service.ts";
import { obstacleTo, refusesIn, type Skip } from "./skip.ts";
import { isGood, STEPS, updatedTable, type Finding } from "./table.ts";

const USAGE = `Makes a client with every generator, compiles it strictly, and runs the same journey with it.

Usage: npm run test:clients -- [--only NAME] [--write] [--all]

  --only NAME  one generator: ${generators.map(({ name }) => name).join(", ")}
  --write      update openapi/CLIENTS.md
  --all        fail when a generator had to be skipped, unless only the compiler for Go or Rust is missing; for CI`;

/** The limit for one generator, with all its steps. Most of it is for a compiler that also builds all dependencies. */
const SECONDS_AT_MOST = 600;
const VIDEO = new URL("../../src/demo/clip.mp4", import.meta.url).pathname;

/** The target of a journey: the service itself, or the service as after a minor version. */
type Place = { readonly url: string; readonly user: User; readonly colleague: User };

async function tryOut(
  generator: Generator,
  service: RunningService,
  nextMinor: string,
  colleague: User,
): Promise<Finding | Skip> {
  const folder = new URL(`./${generator.name}/`, import.meta.url).pathname;
  const started = performance.now();
  const say = (text: string): void => console.log(`${generator.name.padEnd(30)} ${text}`);
  const did = async (
    step: string,
    line: string,
    settings: NodeJS.ProcessEnv = { API_URL: service.url },
  ): Promise<{ ok: boolean; output: string }> => {
    const begun = performance.now();
    const outcome = await run(line, folder, settings, SECONDS_AT_MOST - (begun - started) / 1000);
    if (!outcome.ok) say(`FAILED  ${step}: ${line}\n${outcome.output.slice(-4000)}`);
    else say(`ok      ${step} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
    return outcome;
  };
  const travel = async (
    step: string,
    line: string,
    { url, user, colleague: { userId, apiKey } }: Place,
  ): Promise<{ steps: number; notes: string[] }> => {
    const { ok, output } = await did(step, line, {
      ...{ API_URL: url, API_KEY: user.apiKey, VIDEO },
      ...{ COLLEAGUE_ID: userId, COLLEAGUE_KEY: apiKey },
    });
    const lines = output.split("\n");
    const passed = lines.filter((it) => /^ok \d+ /.test(it));
    for (const it of passed) say(`        ${it}`);
    const steps = new Set(passed.map((it) => it.split(" ")[1])).size;
    // A journey that fails after its last step is not complete.
    return {
      steps: ok ? steps : Math.min(steps, STEPS - 1),
      notes: lines.filter((it) => it.startsWith("note ")).map((it) => it.slice(5)),
    };
  };

  await mkdir(`${folder}build`, { recursive: true });
  // A failed download says nothing about the contract.
  if (!(await did("install", generator.install)).ok)
    return { reason: `SKIPPED ${generator.name}: not installed`, isAccepted: false };
  const made = (await did("generate", generator.generate)).ok;
  const compiles = made && (await did("compile", generator.compile)).ok;
  let journey = { steps: 0, notes: [] as string[] },
    later = journey;
  if (compiles) {
    journey = await travel("journey", generator.journey, {
      url: service.url,
      user: await service.addUser(generator.name),
      colleague,
    });
    later = await travel("journey, next minor version", generator.journey, {
      url: nextMinor,
      user: await service.addUser(generator.name),
      colleague,
    });
  }
  return {
    generator,
    version: await versionOf(generator),
    compiles,
    steps: journey.steps,
    stepsNextMinor: later.steps,
    notes: journey.notes,
  };
}

/** The version that the manifest pins. */
async function versionOf({ name, tool, manifest }: Generator): Promise<string> {
  const text = await readFile(new URL(`./${name}/${manifest}`, import.meta.url), "utf8");
  const pinned = text
    .split("\n")
    .filter((line) => line.includes(tool))
    .map((line) => /\d+\.\d+\.\d+/.exec(line)?.[0])
    .find((it) => it !== undefined);
  if (pinned === undefined) throw new Error(`${name}/${manifest} pins no version of ${tool}`);
  return pinned;
}

const options = {
  only: { type: "string" },
  write: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
} as const;

async function travelAll(only: string | undefined, write: boolean, all: boolean): Promise<boolean> {
  const chosen = generators.filter(({ name }) => only === undefined || name === only);
  if (chosen.length === 0) throw new UsageError();
  const started = performance.now();
  const samples = excerpts();
  const service = await startService();
  const nextMinor = await startNextMinorVersion(service.url);
  const findings: Finding[] = [],
    skipped: Skip[] = [];
  try {
    const colleague = await service.addUser("Colleague");
    for (const generator of chosen) {
      const finding = obstacleTo(generator) ?? (await tryOut(generator, service, nextMinor.url, colleague));
      if (!("reason" in finding)) {
        findings.push(finding);
        continue;
      }
      skipped.push(finding);
      console.log(finding.reason);
    }
  } finally {
    nextMinor.stop();
    await service.stop();
  }
  const bad = findings.filter((finding) => !isGood(finding));
  const travelled = findings.filter(isGood);
  const languages = new Set(travelled.map(({ generator }) => generator.language));
  const stale = bad.length === 0 ? comparePage(findings, samples, write) : [];
  console.log(
    `\n${travelled.length} generators in ${languages.size} languages compile and pass all ${STEPS} steps, also against the next minor version;` +
      ` ${bad.length} failed, ${skipped.length} skipped; ${Math.round((performance.now() - started) / 1000)} s`,
  );
  for (const { reason } of skipped) console.log(reason);
  for (const { generator } of bad) console.log(`FAILED  ${generator.name}`);
  for (const what of stale) console.log(`STALE   ${what} in openapi/CLIENTS.md; --write updates it`);
  return bad.length === 0 && stale.length === 0 && !(all && refusesIn(skipped));
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
await runCommand({ usage: USAGE, options }, async ({ values: { only, write, all } }) =>
  (await travelAll(only, write, all)) ? 0 : 1,
);
