import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Report } from "./report.ts";
import type { Figure } from "./stats.ts";
import { OURS } from "./subjects.ts";

/** One line of JSON per recorded run. */
export const HISTORY = new URL("./history.jsonl", import.meta.url);

/** With fewer rounds, the noise of a machine looks like a change. */
const ROUNDS_MIN = 5;
/** A ratio that is smaller than this share of the recorded one is a regression. */
const TOLERANCE = 0.9;
const JUDGED: readonly Figure[] = ["bothUs", "serverUs"];

export function lastRecord(history: URL = HISTORY): Report | null {
  if (!existsSync(history)) return null;
  const last = readFileSync(history, "utf8").trim().split("\n").at(-1);
  return last === undefined || last === "" ? null : (JSON.parse(last) as Report);
}

export const record = (report: Report, history: URL = HISTORY): void => appendFileSync(history, `${JSON.stringify(report)}\n`);

export type Regression = { readonly load: string; readonly figure: Figure; readonly before: number; readonly now: number };

/** The loads whose ratio to the floor has become worse since the recorded run; null if the two can't be compared. */
export function regressionsSince(before: Report | null, now: Report): readonly Regression[] | null {
  if (before === null || now.rounds < ROUNDS_MIN) return null;
  return now.loads.flatMap((load) =>
    JUDGED.flatMap((figure) => {
      const [then, today] = [before, now].map((it) => it.figures[figure]?.[load]?.[OURS]?.ratio ?? null);
      if (then === null || today === null || then === undefined || today === undefined) return [];
      return today < then * TOLERANCE ? [{ load, figure, before: then, now: today }] : [];
    }),
  );
}

/** The comparison as a person reads it. */
export function comparisonOf(before: Report | null, now: Report): string {
  if (before === null) return "There is no recorded run to compare with. --record makes one.";
  const regressions = regressionsSince(before, now);
  if (regressions === null) return `Fewer than ${ROUNDS_MIN} rounds are not compared with the recorded run.`;
  const run = `the recorded run of ${before.at.slice(0, 10)}, commit ${before.commit}`;
  if (regressions.length === 0) return `No ratio of ${OURS} is worse than in ${run}.`;
  const lines = regressions.map(
    ({ load, figure, before, now }) => `  ${load} (${figure}): ${before.toFixed(2)} before, ${now.toFixed(2)} now`,
  );
  return [`Worse than in ${run}:`, ...lines].join("\n");
}
