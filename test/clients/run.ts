import { runCommand, UsageError } from "../../src/util/command.ts";
import { excerpts } from "./excerpts.ts";
import { generators } from "./generators.ts";
import { startNextMinorVersion } from "./next-minor-version.ts";
import { blockIn, readPage, withBlock, writePage, type Block } from "./page.ts";
import { RELEASED } from "./released-program.ts";
import { startService } from "./service.ts";
import { obstacleTo, refusesIn, type Skip } from "./skip.ts";
import { isGood, STEPS, updatedTable, type Finding } from "./table.ts";
import { tryOut } from "./try-out.ts";

const USAGE = `Makes a client with every generator, compiles it strictly, and runs the same journey with it.
Then does the same with a client of ${RELEASED}, made from the frozen contract.

Usage: npm run test:clients -- [--only NAME] [--write] [--all]

  --only NAME  one generator: ${generators.map(({ name }) => name).join(", ")}
  --write      update openapi/CLIENTS.md
  --all        fail when a generator had to be skipped, unless only the compiler for Go or Rust is missing; for CI`;

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
    const destinations = { service: service.url, nextMinor: nextMinor.url, colleague, addUser: service.addUser };
    for (const generator of chosen) {
      const finding = obstacleTo(generator) ?? (await tryOut(generator, destinations));
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
    `\n${travelled.length} generators in ${languages.size} languages compile and pass all ${STEPS} steps, also against the next minor version, and as` +
      ` clients of ${RELEASED}; ${bad.length} failed, ${skipped.length} skipped; ${Math.round((performance.now() - started) / 1000)} s`,
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
