import type { Generator } from "./generators.ts";
import { RELEASES } from "./released-program.ts";

const HEAD = `| generator | compiles | journey | after a minor version |${RELEASES.map(({ version }) => ` client of ${version} |`).join("")}\n|---|---|---|---|${"---|".repeat(RELEASES.length)}`;
const NOTES = "Limitations and workarounds:";

export const STEPS = 12;

/** The results for one generator. */
export type Finding = {
  readonly generator: Generator;
  readonly version: string;
  readonly compiles: boolean;
  /** The steps that passed against the service, against the service as after a minor version, and with each released client. */
  readonly steps: number;
  readonly stepsNextMinor: number;
  readonly stepsReleased: readonly number[];
  readonly notes: readonly string[];
};

export const isGood = ({ compiles, steps, stepsNextMinor, stepsReleased }: Finding): boolean =>
  compiles && steps === STEPS && stepsNextMinor === STEPS && RELEASES.every((it, index) => stepsReleased[index] === it.steps);

function row({ generator, version, compiles, steps, stepsNextMinor, stepsReleased }: Finding): string {
  const released = RELEASES.map((it, index) => `${stepsReleased[index]}/${it.steps}`);
  const journeys = [`${steps}/${STEPS}`, `${stepsNextMinor}/${STEPS}`, ...released];
  const cells = [`${generator.name} ${version}`, `${compiles ? "yes" : "**no**"}, ${generator.strictness}`, ...journeys];
  return `| ${cells.join(" | ")} |`;
}

const noteOf = ({ generator, notes }: Finding): string | undefined =>
  notes.length === 0 ? undefined : `- ${generator.name}: ${notes.join("; ")}`;

/** The lines of a block that begin with `start`, by the name of their generator. */
const byName = (block: string, start: string): Map<string, string> =>
  new Map(
    block
      .split("\n")
      .filter((line) => line.startsWith(start))
      .map((line) => [/^\W+([\w-]+)/.exec(line)?.[1] ?? "", line]),
  );

/**
 * The table and its notes, updated with this run; results of other runs stay. `stale` names the generators whose results
 * differ.
 */
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
