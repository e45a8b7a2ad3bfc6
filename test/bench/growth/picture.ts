import { GROWTH_MAX, type GrowthReport } from "./report.ts";

/** Draws lines over the size of the data: what each operation costs, as a multiple of its cost in the smallest database. */

const WIDTH = 300;
const HEIGHT = 200;
const LEGEND = 210;
const MARGIN = 50;
/** Beyond this many times the smallest cost, a line leaves the panel. */
const COST_MAX = 4;
const COLOURS = ["#4c78a8", "#e4572e", "#54a24b", "#b279a2", "#eeca3b", "#72b7b2", "#9d755d", "#ff9da6", "#79706e", "#222", "#a0cbe8", "#8cd17d", "#d4a6c8"]; // prettier-ignore

type Line = { readonly name: string; readonly costs: readonly number[]; readonly isExcepted: boolean };

export function growthPicture(report: GrowthReport): string {
  const { at, commit, sizes, operations } = report;
  const areas = [...new Set(operations.map((it) => it.operation.area))];
  const panels = areas.map((area, row) => {
    const own = operations.filter((it) => it.operation.area === area);
    const linesOf = (costsOf: (it: (typeof own)[number]) => readonly number[]) =>
      own.flatMap((it): readonly Line[] => {
        const costs = costsOf(it);
        const first = Math.max(costs[0] ?? 0, 1);
        if (costs.length === 0) return [];
        return [
          { name: it.operation.name, costs: costs.map((cost) => cost / first), isExcepted: it.operation.exception !== undefined },
        ];
      });
    const pages = linesOf((it) => it.plans.map((cost) => cost.pages));
    const cpu = linesOf((it) => it.cpuUs);
    const names = own.map(
      ({ operation }, index) => `<text x="0" y="${14 + index * 15}" fill="${colourOf(index)}">${escape(operation.name)}</text>`,
    );
    const y = 90 + row * (HEIGHT + MARGIN);
    return [
      `<g transform="translate(${MARGIN} ${y})">${panel(`${area}: pages`, sizes, pages)}</g>`,
      `<g transform="translate(${2 * MARGIN + WIDTH} ${y})">${panel(`${area}: CPU`, sizes, cpu)}</g>`,
      `<g transform="translate(${3 * MARGIN + 2 * WIDTH} ${y})">${names.join("")}</g>`,
    ].join("\n");
  });
  const size = { width: 3 * MARGIN + 2 * WIDTH + LEGEND, height: 90 + areas.length * (HEIGHT + MARGIN) };
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif" font-size="12">
<title>Cost of each operation over the size of the data</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${MARGIN}" y="30" font-size="18">Cost per request over rows in each table, as a multiple of the smallest database</text>
<text x="${MARGIN}" y="50" fill="#555">red line: the limit, ${GROWTH_MAX} times; dashed: excepted; ${escape(at.slice(0, 10))}, commit ${escape(commit)}</text>
${panels.join("\n")}
</svg>
`;
}

const colourOf = (index: number) => COLOURS[index % COLOURS.length]!;

function panel(title: string, sizes: readonly number[], lines: readonly Line[]): string {
  const x = (index: number) => (sizes.length === 1 ? 0 : (index / (sizes.length - 1)) * WIDTH);
  const y = (cost: number) => HEIGHT - (Math.min(cost, COST_MAX) / COST_MAX) * HEIGHT;
  const grid = Array.from(
    { length: COST_MAX + 1 },
    (_, n) => `<path d="M0 ${y(n)}H${WIDTH}" stroke="#ddd"/><text x="-6" y="${y(n) + 4}" text-anchor="end">${n}</text>`,
  );
  const marks = sizes.map(
    (size, index) => `<text x="${x(index)}" y="${HEIGHT + 16}" text-anchor="middle">${size.toLocaleString("en")}</text>`,
  );
  const limit = `<path d="M0 ${y(GROWTH_MAX)}H${WIDTH}" stroke="#e4572e" stroke-width="2"/>`;
  const drawn = lines.map(({ costs, isExcepted }, index) => {
    const points = costs.map((cost, at) => `${x(at).toFixed(1)},${y(cost).toFixed(1)}`).join(" ");
    return `<polyline points="${points}" fill="none" stroke="${colourOf(index)}" stroke-width="2"${isExcepted ? ' stroke-dasharray="4 3"' : ""}/>`;
  });
  return `<text x="0" y="-8" font-weight="bold">${escape(title)}</text>${grid.join("")}${limit}${drawn.join("")}${marks.join("")}`;
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
