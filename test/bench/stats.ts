/** The arithmetic of the benchmark: every figure is a median over rounds of ratios within one round. */

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error("There is no median of nothing.");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The smallest value that at least `share` of all values don't exceed. */
export function percentile(values: Float64Array | readonly number[], share: number): number {
  if (values.length === 0) throw new Error("There is no percentile of nothing.");
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
}

/** How much y grows with each x, by least squares. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2) throw new Error("A slope needs two points.");
  const mean = (pick: (it: readonly [number, number]) => number) => points.reduce((sum, it) => sum + pick(it), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

export function geometricMean(values: readonly number[]): number {
  if (values.length === 0) throw new Error("There is no mean of nothing.");
  return Math.exp(values.reduce((sum, it) => sum + Math.log(it), 0) / values.length);
}

/** The order of a round: every other round is reversed, so that no subject is always first. */
export function orderOf<T>(items: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? items : items.toReversed();
}

/** What was measured in one round, of one load and one subject. */
export type Sample = {
  readonly round: number;
  readonly load: string;
  readonly subject: string;
  /** Microseconds of CPU per request. */
  readonly serverUs: number;
  readonly postgresUs: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** At half of the requests per second that the service has reached in this round. */
  readonly halfLoadP99Ms?: number;
};

/** Everything that can be compared; `bothUs` is the main figure. */
export const FIGURES = {
  bothUs: (it: Sample) => it.serverUs + it.postgresUs,
  serverUs: (it: Sample) => it.serverUs,
  postgresUs: (it: Sample) => it.postgresUs,
  requestsPerSecond: (it: Sample) => it.requestsPerSecond,
  p50Ms: (it: Sample) => it.p50Ms,
  p99Ms: (it: Sample) => it.p99Ms,
  halfLoadP99Ms: (it: Sample) => it.halfLoadP99Ms ?? 0,
} as const;
export type Figure = keyof typeof FIGURES;

/** Of requests per second, more is better; of all others, less. */
const MORE_IS_BETTER: readonly Figure[] = ["requestsPerSecond"];

/** The share of the baseline that a value reaches: 1 is as good as the baseline, 0.5 half as good, for every figure. */
function shareOf(figure: Figure, value: number, baseline: number): number {
  return MORE_IS_BETTER.includes(figure) ? value / baseline : baseline / value;
}

/** Medians of one load and subject, as measured and in relation to the baseline of the same rounds. */
export type Cell = { readonly value: number; readonly ratio: number | null };

export function cellOf(samples: readonly Sample[], figure: Figure, load: string, subject: string, baseline: string): Cell | null {
  const read = FIGURES[figure];
  const ofLoad = samples.filter((it) => it.load === load);
  const own = ofLoad.filter((it) => it.subject === subject);
  if (own.length === 0) return null;
  const ratios = own.flatMap((it) => {
    const [value, other] = [it, ofLoad.find(({ subject, round }) => subject === baseline && round === it.round)].map(
      (sample) => sample && read(sample),
    );
    return value && other ? shareOf(figure, value, other) : [];
  });
  return { value: median(own.map(read)), ratio: ratios.length === 0 ? null : median(ratios) };
}

/** The geometric mean of a subject's ratios over the loads; null if one of them is missing. */
export function meanRatio(cells: readonly (Cell | null)[]): number | null {
  const ratios = cells.map((it) => it?.ratio ?? null);
  if (ratios.length === 0 || ratios.includes(null)) return null;
  return geometricMean(ratios as number[]);
}

/** The median of a figure before and after a change, and the multiples within one round: more than 1 is worse. */
export type Change = { readonly before: number; readonly after: number; readonly times: Quartiles };
export type Quartiles = { readonly q1: number; readonly median: number; readonly q3: number };

export function changeOf(samples: readonly Sample[], figure: Figure, load: string, subject: string, baseline: string): Change {
  const of = (name: string) => samples.filter((it) => it.load === load && it.subject === name);
  const before = of(baseline);
  const pairs = of(subject).map((it) => [before.find(({ round }) => round === it.round)!, it] as const);
  return changeBetween(
    pairs.map(([it]) => FIGURES[figure](it)),
    pairs.map(([, it]) => FIGURES[figure](it)),
  );
}

/** The change between values of which those at the same index are from the same round. */
export function changeBetween(before: readonly number[], after: readonly number[]): Change {
  const times = after.map((it, index) => it / before[index]!);
  return {
    before: median(before),
    after: median(after),
    times: { q1: percentile(times, 0.25), median: median(times), q3: percentile(times, 0.75) },
  };
}
