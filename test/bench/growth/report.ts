import { markdown } from "../report.ts";
import type { Operation } from "./operations.ts";
import { titleOf, type PlanCost } from "./plans.ts";

/** What an operation costs in each database, the smallest first. */
export type Growth = {
  readonly operation: Pick<Operation, "area" | "name" | "exception">;
  readonly plans: readonly PlanCost[];
  /** Microseconds of server and PostgreSQL per request; empty if it was not measured. */
  readonly cpuUs: readonly number[];
};
export type GrowthReport = {
  readonly at: string;
  readonly commit: string;
  readonly sizes: readonly number[];
  readonly messages: number;
  readonly rounds: number;
  readonly operations: readonly Growth[];
};

/** How many times its cost in the smallest database an operation can cost in the largest one. */
export const GROWTH_MAX = 1.3;
/** With fewer rounds, the noise of a machine looks like growth. */
const ROUNDS_MIN = 5;
/** A tree whose nodes have at least this many entries has one more level for each factor of this size. */
const ENTRIES_OF_NODE = 100;
/** A handful of rows or pages more says nothing about growth. */
const SLACK = 2;

const firstAndLast = <T>(values: readonly T[]) => [values[0]!, values.at(-1)!] as const;
export const ratioOf = (values: readonly number[]) => {
  const [first, last] = firstAndLast(values);
  return last / Math.max(first, 1);
};

/** Why the cost of an operation grows with the table; empty if it does not. */
export function faultsOf(
  { operation, plans, cpuUs }: Growth,
  { sizes, messages, rounds }: Pick<GrowthReport, "sizes" | "messages" | "rounds">,
): readonly string[] {
  if (operation.exception !== undefined) return [];
  const [small, large] = firstAndLast(plans);
  const factor = Math.max(messages, sizes.at(-1)!) / sizes[0]!;
  const levels = Math.ceil(Math.log(factor) / Math.log(ENTRIES_OF_NODE));
  const allowed = (cost: number) => cost * GROWTH_MAX + SLACK;
  const faults: string[] = [];
  if (large.rows > allowed(small.rows)) faults.push(`reads ${large.rows} rows instead of ${small.rows}`);
  if (large.removed > allowed(small.removed)) faults.push(`discards ${large.removed} rows instead of ${small.removed}`);
  if (large.pages > allowed(small.pages) + large.searches * levels)
    faults.push(`reads ${large.pages} pages instead of ${small.pages}`);
  if (large.statements !== small.statements) faults.push(`sends ${large.statements} statements instead of ${small.statements}`);
  if (rounds >= ROUNDS_MIN && ratioOf(cpuUs) > GROWTH_MAX) faults.push(`takes ${ratioOf(cpuUs).toFixed(2)} times the CPU`);
  return faults;
}

const shown = (size: number) => (size >= 1e6 ? `${size / 1e6}M` : `${size / 1e3}k`);

/** A table in Markdown for all operations, in which each cell has the figures of all sizes. */
export function growthTable(report: GrowthReport): string {
  const { at, commit, sizes, messages, rounds, operations } = report;
  const hasCpu = operations.some((it) => it.cpuUs.length > 0);
  const all = (values: readonly number[]) => values.map((it) => Math.round(it)).join(" → ");
  const rows = operations.map((it) => {
    const { operation, plans, cpuUs } = it;
    const pages = plans.map((cost) => cost.pages);
    const verdict = operation.exception !== undefined ? "excepted" : faultsOf(it, report).length > 0 ? "GROWS" : "";
    return [
      titleOf(operation),
      String(plans[0]!.statements),
      all(plans.map((cost) => cost.rows)),
      all(plans.map((cost) => cost.removed)),
      all(pages),
      ratioOf(pages).toFixed(2),
      ...(hasCpu ? [cpuUs.map((it) => (it / cpuUs[0]!).toFixed(2)).join(" → ")] : []),
      verdict,
    ];
  });
  const head = ["operation", "statements", "rows read", "rows removed", "pages", "pages ×", ...(hasCpu ? ["CPU ×"] : []), ""];
  const sentence = `${at.slice(0, 16).replace("T", " ")} UTC, commit ${commit}, ${sizes.map(shown).join(" → ")} rows in each table, ${shown(messages)} messages in the largest, ${rounds} rounds. × is the cost in the largest database, as a multiple of that in the smallest.`;
  return `${sentence}\n\n${markdown([head, ...rows])}`;
}
