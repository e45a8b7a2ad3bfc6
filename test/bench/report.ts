import type { Footprint, Options, Results } from "./measure.ts";
import { cellOf, changeOf, meanRatio, type Cell, type Change, type Figure, type Sample } from "./stats.ts";
import { FLOOR } from "./subjects.ts";

const TABLES: readonly (readonly [Figure, string, string])[] = [
  ["bothUs", "CPU of server and PostgreSQL", "us"],
  ["serverUs", "CPU of the server", "us"],
  ["postgresUs", "CPU of PostgreSQL", "us"],
  ["requestsPerSecond", "Requests per second", "/s"],
  ["p50Ms", "Latency, p50", "ms"],
  ["p99Ms", "Latency, p99", "ms"],
];
const HALF_LOAD = ["halfLoadP99Ms", "Latency at half of the service's requests per second, p99", "ms"] as const;

type Context = Pick<Options, "rounds" | "seconds" | "loads" | "subjects" | "halfLoad"> & {
  readonly at: string;
  readonly commit: string;
};

/** Tables in Markdown: the floor as measured, and every other subject as its share of the floor. */
export function tablesOf(results: Results, context: Context): string {
  const { at, commit, rounds, seconds } = context;
  const head = `${at.slice(0, 16).replace("T", " ")} UTC, commit ${commit}, ${rounds} rounds of ${seconds} s. Each ratio is the share of the floor that a subject reaches; higher is better.`;
  const shown = context.halfLoad ? [...TABLES, HALF_LOAD] : TABLES;
  const tables = shown.map((it) => tableOf(results, context, ...it));
  return [head, ...tables, footprintTable(results.footprints)].join("\n\n");
}

/** The loads that the mean includes, the mean, and the loads that stand apart, with the reason. */
function tableOf({ samples }: Results, { loads, subjects }: Context, figure: Figure, title: string, unit: string): string {
  const others = subjects.map(({ name }) => name).filter((it) => it !== FLOOR);
  const cell = (load: string, subject: string) => cellOf(samples, figure, load, subject, FLOOR);
  const row = ({ name, apart }: Context["loads"][number]) => [
    apart === undefined ? name : `${name} (${apart})`,
    valueOf(cell(name, FLOOR), unit),
    ...others.map((it) => ratioOf(cell(name, it)?.ratio ?? null)),
  ];
  const counted = loads.filter((it) => it.apart === undefined);
  const means = others.map((subject) => meanRatio(counted.map((it) => cell(it.name, subject))));
  const mean = [`**geometric mean of ${counted.length}**`, "", ...means.map((it) => `**${ratioOf(it)}**`)];
  const apart = loads.filter((it) => it.apart !== undefined);
  return `${title}\n\n${markdown([["load", "floor", ...others], ...counted.map(row), mean, ...apart.map(row)])}`;
}

/** The framework that the start and the memory of the others are compared with. */
const COMMON_CHOICE = "fastify-prisma";

function footprintTable(footprints: readonly Footprint[]): string {
  const common = footprints.find((it) => it.subject === COMMON_CHOICE);
  const times = (value: number, other: number | undefined) => (other === undefined ? "-" : (value / other).toFixed(2));
  const rows = footprints.map((it) => [
    it.subject,
    `${Math.round(it.startMs)} ms`,
    times(it.startMs, common?.startMs),
    `${Math.round(it.residentBytes / 1e6)} MB`,
    times(it.residentBytes, common?.residentBytes),
  ]);
  const sentence = `Start to the first 200, and memory after the loads; × is a multiple of ${COMMON_CHOICE}`;
  return `${sentence}\n\n${markdown([["subject", "start", "start ×", "memory", "memory ×"], ...rows])}`;
}

/** What a request of each load costs the server, PostgreSQL and both, at a commit and since. */
export function changeTable(samples: readonly Sample[], loads: Context["loads"], subject: string, baseline: string): string {
  const figures = ["serverUs", "postgresUs", "bothUs"] as const;
  const rows = loads.map(({ name }) => {
    const [server, postgres, both] = figures.map((figure) => changeOf(samples, figure, name, subject, baseline));
    return [name, usOf(server!), timesOf(server!), usOf(postgres!), timesOf(postgres!), timesOf(both!)];
  });
  return markdown([["load", "server, us", "x [quartiles]", "PostgreSQL, us", "x [quartiles]", "both, x [quartiles]"], ...rows]);
}

/** The start and the memory of the service at a commit and since. */
export function footprintChanges(start: Change, memory: Change): string {
  const row = (name: string, change: Change) => [name, usOf(change), timesOf(change)];
  return markdown([["", "before -> after", "x [quartiles]"], row("start, ms", start), row("memory, MB", memory)]);
}

const usOf = ({ before, after }: Change) => `${digits(before)} -> ${digits(after)}`;
function timesOf({ before, times: { q1, median, q3 } }: Change): string {
  // Such as PostgreSQL for a load without it.
  return before < 1 ? "-" : `${median.toFixed(2)} [${q1.toFixed(2)}-${q3.toFixed(2)}]`;
}

/** The microseconds of the server for a request by folder, the largest growth first. Without what is too little to matter. */
export function folderTable(load: string, before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const folders = [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? 0, after: after.get(name) ?? 0 }))
    .filter((it) => Math.max(it.before, it.after) >= FOLDER_MIN_US)
    .sort((a, b) => b.after - b.before - (a.after - a.before));
  const rows = folders.map((it) => [it.name, ...[it.before, it.after, it.after - it.before].map((us) => us.toFixed(1))]);
  const sum = (of: ReadonlyMap<string, number>) => [...of.values()].reduce((all, us) => all + us, 0);
  const all = [sum(before), sum(after), sum(after) - sum(before)].map((us) => us.toFixed(1));
  return markdown([[`${load}, us of the profile`, "before", "after", "more"], ...rows, ["all", ...all]]);
}
const FOLDER_MIN_US = 0.2;

const valueOf = (cell: Cell | null, unit: string) => (cell === null ? "-" : `${digits(cell.value)} ${unit}`);
const ratioOf = (ratio: number | null) => (ratio === null ? "-" : ratio.toFixed(2));
const digits = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));

/** The first row is the head. Columns are padded, so that the table can be read as it is. */
export function markdown([head, ...rows]: readonly (readonly string[])[]): string {
  const widths = head!.map((_, column) => Math.max(3, ...[head!, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((it, column) => it.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head!), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}
