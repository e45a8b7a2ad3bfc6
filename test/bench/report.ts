import type { Load } from "./loads.ts";
import type { Footprint, Results } from "./measure.ts";
import { cellOf, FIGURES, meanRatio, type Cell, type Figure } from "./stats.ts";
import { FLOOR, type Subject } from "./subjects.ts";

/** The results as they are printed, recorded and drawn. */
export type Report = {
  readonly at: string;
  readonly commit: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly loads: readonly string[];
  readonly subjects: readonly string[];
  /** By load and then by subject. */
  readonly figures: Readonly<Record<Figure, Grid>>;
  /** The geometric mean of a subject's ratios over the loads. */
  readonly means: Readonly<Record<Figure, Readonly<Record<string, number | null>>>>;
  readonly footprints: readonly Footprint[];
};
export type Grid = Readonly<Record<string, Readonly<Record<string, Cell | null>>>>;
type Context = Pick<Report, "at" | "commit" | "rounds" | "seconds"> & {
  readonly loads: readonly Load[];
  readonly subjects: readonly Subject[];
};

export function reportOf({ samples, footprints }: Results, { loads, subjects, ...context }: Context): Report {
  const isLeftOut = (figure: Figure, load: Load) => figure === "postgresUs" && load.isIdle === true;
  const cell = (figure: Figure, load: Load, subject: string) => {
    const found = cellOf(samples, figure, load.name, subject, FLOOR);
    return found !== null && isLeftOut(figure, load) ? { ...found, ratio: null } : found;
  };
  const names = { loads: loads.map((it) => it.name), subjects: subjects.map((it) => it.name) };
  const ofSubjects = <T>(valueOf: (subject: string) => T) => toObject(names.subjects, valueOf);
  const all = Object.keys(FIGURES) as Figure[];
  const figures = toObject(all, (figure): Grid =>
    Object.fromEntries(loads.map((load) => [load.name, ofSubjects((subject) => cell(figure, load, subject))])),
  );
  const means = toObject(all, (figure) => {
    const counted = loads.filter((load) => !isLeftOut(figure, load));
    return ofSubjects((subject) => meanRatio(counted.map((load) => cell(figure, load, subject))));
  });
  return { ...context, ...names, figures, means, footprints };
}

const toObject = <K extends string, T>(keys: readonly K[], valueOf: (key: K) => T) =>
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, T>;

const TABLES: readonly (readonly [Figure, string, string])[] = [
  ["bothUs", "CPU of server and PostgreSQL", "us"],
  ["serverUs", "CPU of the server", "us"],
  ["postgresUs", "CPU of PostgreSQL", "us"],
  ["requestsPerSecond", "Requests per second", "/s"],
  ["p50Ms", "Latency, p50", "ms"],
  ["p99Ms", "Latency, p99", "ms"],
  ["halfP99Ms", "Latency at half of the requests per second, p99", "ms"],
];

/** Tables in Markdown: the floor as measured, and every other subject as its share of the floor. */
export function tablesOf(report: Report): string {
  const isMeasured = (figure: Figure) => report.loads.some((load) => report.figures[figure][load]![FLOOR] !== null);
  const tables = TABLES.filter(([figure]) => isMeasured(figure)).map((it) => tableOf(report, ...it));
  return [headOf(report), ...tables, footprintTable(report)].join("\n\n");
}

const headOf = ({ at, commit, rounds, seconds }: Report) =>
  `${at.slice(0, 16).replace("T", " ")} UTC, commit ${commit}, ${rounds} rounds of ${seconds} s. Each ratio is the share of the floor that a subject reaches; higher is better.`;

function tableOf({ loads, subjects, figures, means }: Report, figure: Figure, title: string, unit: string): string {
  const others = subjects.filter((it) => it !== FLOOR);
  const rows = loads.map((load) => {
    const cells = figures[figure][load]!;
    return [load, valueOf(cells[FLOOR] ?? null, unit), ...others.map((it) => ratioOf(cells[it]?.ratio ?? null))];
  });
  const mean = ["**geometric mean**", "", ...others.map((it) => `**${ratioOf(means[figure][it] ?? null)}**`)];
  return `${title}\n\n${markdown([["load", "floor", ...others], ...rows, mean])}`;
}

/** The framework that the start and the memory of the others are compared with. */
const COMMON_CHOICE = "fastify-prisma";

function footprintTable({ footprints }: Report): string {
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

const valueOf = (cell: Cell | null, unit: string) => (cell === null ? "-" : `${digits(cell.value)} ${unit}`);
const ratioOf = (ratio: number | null) => (ratio === null ? "-" : ratio.toFixed(2));
const digits = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(2));

/** The first row is the head. Columns are padded, so that the table can be read as it is. */
export function markdown([head, ...rows]: readonly (readonly string[])[]): string {
  const widths = head!.map((_, column) => Math.max(3, ...[head!, ...rows].map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((it, column) => it.padEnd(widths[column]!)).join(" | ")} |`;
  return [line(head!), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}
