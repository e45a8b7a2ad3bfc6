import { readFile, writeFile } from "node:fs/promises";
import type { Generator } from "./generators.ts";

const PAGE = new URL("../../openapi/CLIENTS.md", import.meta.url);
const FROM = "<!-- clients: made by `npm run test:clients -- --write` -->\n";
const TO = "<!-- /clients -->";
const HEAD = "| generator | version | language | compiles | journey | next minor | seconds | what it cannot express |\n|---|---|---|---|---|---|---|---|\n";

export const STEPS = 6;

/** What the run found out about one generator. */
export type Finding = {
  readonly generator: Generator;
  readonly version: string;
  /** `null` where the client is only generated. */
  readonly compiles: boolean | null;
  /** Steps passed against the service, and against what it may be after a minor version. */
  readonly steps: number;
  readonly stepsNextMinor: number;
  readonly seconds: number;
  readonly notes: readonly string[];
};

export function isGood({ generator, compiles, steps, stepsNextMinor }: Finding): boolean {
  if (compiles === null) return generator.compile === null;
  return compiles && steps === STEPS && stepsNextMinor === STEPS;
}

function row({ generator, version, compiles, steps, stepsNextMinor, seconds, notes }: Finding): string {
  const cells = [
    `[${generator.name}](../test/clients/${generator.name})`, version, generator.language,
    compiles === null ? "generated only" : `${compiles ? "yes" : "**no**"}: ${generator.strictness}`,
    compiles === null ? "" : `${steps}/${STEPS}`, compiles === null ? "" : `${stepsNextMinor}/${STEPS}`,
    Math.round(seconds), notes.join("; "),
  ];
  return `| ${cells.join(" | ")} |`;
}

const nameIn = (line: string): string | undefined => /^\| \[([^\]]+)\]/.exec(line)?.[1];
/** The row without its seconds, which differ from run to run. */
const lasting = (line: string): string => line.replace(/ \| \d+ \| /, " | ");

/** Writes the rows of this run into the page, or names those that say something else there. Rows of other runs stay. */
export async function compareTable(all: readonly Generator[], findings: readonly Finding[], write: boolean): Promise<string[]> {
  const page = await readFile(PAGE, "utf8");
  const start = page.indexOf(FROM), end = page.indexOf(TO);
  if (start < 0 || end < start) throw new Error("openapi/CLIENTS.md has lost the marks of its table");
  const rows = new Map(page.slice(start, end).split("\n").map((line) => [nameIn(line), line] as const));
  const made = new Map(findings.map((finding) => [finding.generator.name, row(finding)] as const));
  const stale = [...made].filter(([name, line]) => lasting(rows.get(name) ?? "") !== lasting(line)).map(([name]) => name);
  if (write) {
    const lines = all.map(({ name }) => made.get(name) ?? rows.get(name)).filter((line) => line !== undefined);
    await writeFile(PAGE, `${page.slice(0, start)}${FROM}${HEAD}${lines.join("\n")}\n${page.slice(end)}`);
    return [];
  }
  return stale;
}
