import { LOADS } from "./loads.ts";
import type { Report } from "./report.ts";
import { FLOOR, OURS, SUBJECTS } from "./subjects.ts";

/** Draws bars: for each load, what a request costs each subject, with the floor as the unit. */

const BAR = 12;
const GAP = 3;
const LABEL = 190;
const WIDTH = 340;
const MARGIN = 24;
const COLUMNS = 2;
/** Beyond this many times the floor, a bar is cut off, and only its number is right. */
const COST_MAX = 8;

const COLOURS = { server: "#4c78a8", postgres: "#b3c6dd", ours: "#e4572e", oursPostgres: "#f3b8a5" };

export function pictureOf(report: Report): string {
  const panels = [meansOf(report), ...report.loads.map((load) => loadOf(report, load))];
  const height = panels[0]!.height + MARGIN;
  const rows = Math.ceil(panels.length / COLUMNS);
  const size = { width: COLUMNS * (LABEL + WIDTH + 3 * MARGIN), height: 70 + rows * height + MARGIN };
  const placed = panels.map(({ svg }, index) => {
    const x = MARGIN + (index % COLUMNS) * (LABEL + WIDTH + 3 * MARGIN);
    return `<g transform="translate(${x} ${70 + Math.floor(index / COLUMNS) * height})">${svg}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">
<title>CPU per request, as multiples of the floor</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${MARGIN}" y="30" font-size="18">CPU per request, as multiples of node:http + pg (shorter is better)</text>
<text x="${MARGIN}" y="50" fill="#555">dark: server, light: PostgreSQL; ${escape(report.at.slice(0, 10))}, ${report.rounds} rounds of ${report.seconds} s, commit ${escape(report.commit)}</text>
${placed.join("\n")}
</svg>
`;
}

/** What a request costs a subject, as multiples of the floor. */
type Cost = { readonly subject: string; readonly server: number; readonly postgres: number };
type Panel = { readonly svg: string; readonly height: number };

function meansOf({ means, subjects }: Report): Panel {
  const costs = subjects.map((subject) => ({ subject, server: 1 / (means.bothUs[subject] ?? NaN), postgres: 0 }));
  return panelOf("geometric mean of all loads, server and PostgreSQL together", costs);
}

function loadOf({ figures, subjects }: Report, load: string): Panel {
  const floor = figures.bothUs[load]?.[FLOOR]?.value ?? NaN;
  const costOf = (figure: "serverUs" | "postgresUs", subject: string) => (figures[figure][load]?.[subject]?.value ?? 0) / floor;
  const costs = subjects.map((subject) => ({
    subject,
    server: costOf("serverUs", subject),
    postgres: costOf("postgresUs", subject),
  }));
  return panelOf(LOADS.find((it) => it.name === load)?.title ?? load, costs);
}

function panelOf(title: string, costs: readonly Cost[]): Panel {
  const longest = Math.min(COST_MAX, Math.max(...costs.map((it) => it.server + it.postgres), 1));
  const scale = WIDTH / longest;
  const bars = costs.map(({ subject, server, postgres }, index) => {
    const y = 12 + index * (BAR + GAP);
    const [dark, light] = subject === OURS ? [COLOURS.ours, COLOURS.oursPostgres] : [COLOURS.server, COLOURS.postgres];
    const end = Math.min(server + postgres, longest);
    const middle = Math.min(server, longest);
    return [
      words(LABEL - 6, y, SUBJECTS.find((it) => it.name === subject)?.title ?? subject, "end"),
      rect(LABEL, y, middle * scale, dark),
      rect(LABEL + middle * scale, y, (end - middle) * scale, light),
      words(LABEL + end * scale + 4, y, (server + postgres).toFixed(1), "start"),
    ].join("");
  });
  return {
    svg: `<text x="0" y="4" font-weight="bold">${escape(title)}</text>${bars.join("")}`,
    height: 24 + costs.length * (BAR + GAP),
  };
}

const words = (x: number, y: number, text: string, anchor: "start" | "end") =>
  `<text x="${x.toFixed(1)}" y="${y + BAR - 2}" text-anchor="${anchor}">${escape(text)}</text>`;

const rect = (x: number, y: number, width: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0, width).toFixed(1)}" height="${BAR}" fill="${fill}"/>`;

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
