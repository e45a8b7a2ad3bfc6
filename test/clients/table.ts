import type { Generator } from "./generators.ts";

const HEAD = "| generator | compiles | journey | after a minor version |\n|---|---|---|---|";
const NOTES = "Limitations and workarounds:";

export const STEPS = 6;

/** What the run found out about one generator. */
export type Finding = {
  readonly generator: Generator;
  readonly version: string;
  readonly compiles: boolean;
  /** Steps passed against the service, and against what it may be after a minor version. */
  readonly steps: number;
  readonly stepsNextMinor: number;
  readonly notes: readonly string[];
};

export function isGood({ generator, compiles, steps, stepsNextMinor }: Finding): boolean {
  return compiles && (generator.journey === null || (steps === STEPS && stepsNextMinor === STEPS));
}

function row({ generator, version, compiles, steps, stepsNextMinor }: Finding): string {
  const journeys = generator.journey === null ? ["", ""] : [`${steps}/${STEPS}`, `${stepsNextMinor}/${STEPS}`];
  const cells = [`${generator.name} ${version}`, `${compiles ? "yes" : "**no**"}, ${generator.strictness}`, ...journeys];
  return `| ${cells.join(" | ")} |`;
}

const noteOf = ({ generator, notes }: Finding): string | undefined =>
  notes.length === 0 ? undefined : `- ${generator.name}: ${notes.join("; ")}`;

/** The lines of a block by the generator that they begin with. */
const byName = (block: string, start: string): Map<string, string> =>
  new Map(
    block
      .split("\n")
      .filter((line) => line.startsWith(start))
      .map((line) => [/^\W+([\w-]+)/.exec(line)?.[1] ?? "", line]),
  );

/** The table and its notes with what this run found; what other runs found stays. And who said something else before. */
export function updatedTable(
  block: string,
  all: readonly Generator[],
  findings: readonly Finding[],
): { table: string; stale: string[] } {
  const [rows, notes] = [byName(block, "| "), byName(block, "- ")];
  const stale: string[] = [];
  for (const finding of findings) {
    const { name } = finding.generator;
    if (rows.get(name) !== row(finding) || notes.get(name) !== noteOf(finding)) stale.push(name);
    rows.set(name, row(finding));
    notes.set(name, noteOf(finding) ?? "");
  }
  const inOrder = (lines: ReadonlyMap<string, string>): string =>
    all
      .map(({ name }) => lines.get(name) ?? "")
      .filter((line) => line !== "")
      .join("\n");
  return { table: `${HEAD}\n${inOrder(rows)}\n\n${NOTES}\n\n${inOrder(notes)}\n`, stale };
}
