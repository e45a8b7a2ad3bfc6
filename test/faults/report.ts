import { acknowledgedWrites, acknowledgementsOf, type Recorder } from "./recorder.ts";

/** What a fault did to the clients. */
export type Effect = {
  readonly fault: string;
  readonly proof: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly longestGapMs: number;
  readonly recoveredMs: number;
};

export function tableOf(effects: readonly Effect[]): string {
  const rows = effects.map(({ fault, proof, longestGapMs, recoveredMs }) => [
    fault,
    proof,
    `${Math.round(longestGapMs)} ms`,
    `${Math.round(recoveredMs)} ms`,
  ]);
  const all = [["fault", "that it happened", "longest gap", "back after"], ...rows];
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const UNEXPECTED_MAX = 5;
const [WIDTH, HEIGHT, MARGIN, LABELS] = [1_200, 180, 50, 330];
const COLOURS = { acknowledged: "#4c78a8", read: "#b3c6dd", failed: "#e4572e", band: "#fff3c4" };

/** Draws the acknowledged and failed requests of each second, with the faults as bands. */
export function timelineOf({ events }: Recorder, effects: readonly Effect[]): string {
  const startMs = events[0]?.atMs ?? 0;
  const seconds = Math.ceil(((events.at(-1)?.atMs ?? startMs) - startMs) / 1_000);
  const count = (outcomes: readonly string[]) => {
    const counts = Array<number>(seconds + 1).fill(0);
    for (const { atMs, outcome } of events) if (outcomes.includes(outcome)) counts[Math.floor((atMs - startMs) / 1_000)]! += 1;
    return counts;
  };
  const [acknowledged, all, failed] = [count(["acknowledged"]), count(["acknowledged", "read"]), count(["refused", "lost"])];
  const highest = Math.max(...all, ...failed, 1);
  const x = (ms: number) => MARGIN + ((ms - startMs) / 1_000 / seconds) * WIDTH;
  const y = (value: number) => MARGIN + HEIGHT - (value / highest) * HEIGHT;
  const bars = (counts: readonly number[], fill: string) =>
    counts
      .map((value, second) => [value, x(startMs + second * 1_000)] as const)
      .filter(([value]) => value > 0)
      .map(([value, left]) => rect(left, y(value), WIDTH / seconds, MARGIN + HEIGHT - y(value), fill))
      .join("");
  const bands = effects.map(({ fromMs, toMs }) =>
    rect(x(fromMs), MARGIN, Math.max(2, x(toMs) - x(fromMs)), HEIGHT, COLOURS.band),
  );
  const names = effects.map(({ fault, fromMs }) => {
    const [left, top] = [x(fromMs) + 4, MARGIN + HEIGHT + 16];
    return `<text transform="translate(${left.toFixed(1)} ${top}) rotate(55)">${fault}</text>`;
  });
  const line = failed
    .map((value, second) => `${x(startMs + (second + 0.5) * 1_000).toFixed(1)},${y(value).toFixed(1)}`)
    .join(" ");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH + 2 * MARGIN} ${HEIGHT + MARGIN + LABELS}" font-family="sans-serif" font-size="11">
<title>Requests per second during faults</title>
<rect width="100%" height="100%" fill="white"/>
<text x="${MARGIN}" y="24" font-size="15">Requests per second: dark blue acknowledged writes, light blue reads, red refused or lost; faults are yellow</text>
<text x="${MARGIN}" y="42" fill="#555">${seconds} s, at most ${highest} requests per second</text>
${bands.join("")}
${bars(all, COLOURS.read)}
${bars(acknowledged, COLOURS.acknowledged)}
<polyline points="${line}" fill="none" stroke="${COLOURS.failed}" stroke-width="1.5"/>
${names.join("\n")}
</svg>
`;
}

const rect = (x: number, y: number, width: number, height: number, fill: string) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}"/>`;

/** A line about the whole run, and the first responses that no fault explains. */
export function summaryOf(recorder: Recorder): string {
  const { events, writes } = recorder;
  const many = (outcome: string) => events.filter((it) => it.outcome === outcome).length;
  const attempted = Object.values(writes).flat();
  const repeated = attempted.filter((it) => it.acknowledgements.length > 1).length;
  const requests = `${acknowledgementsOf(recorder).length + many("read")} requests answered, ${many("refused")} refused, ${many("lost")} lost`;
  const line = `${attempted.length} writes attempted, ${acknowledgedWrites(recorder)} acknowledged, ${repeated} of them repeated with their key; ${requests}`;
  return [line, ...recorder.unexpected.slice(0, UNEXPECTED_MAX).map((it) => `Unexpected: ${it}`)].join("\n");
}
