/** A figure that has to be on one side of a limit. */
export type Bar = { readonly what: string; readonly value: number; readonly atMost?: number; readonly atLeast?: number };

const isMet = ({ value, atMost = Infinity, atLeast = -Infinity }: Bar) => value <= atMost && value >= atLeast;

/** Prints every bar, and returns the exit code: 0 if all are met, else 1. */
export function judge(bars: readonly Bar[]): 0 | 1 {
  for (const bar of bars) {
    const limit = bar.atMost === undefined ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
    console.log(`${isMet(bar) ? "met    " : "NOT MET"}  ${bar.what}: ${Number(bar.value.toPrecision(3))}, ${limit}`);
  }
  return bars.every(isMet) ? 0 : 1;
}
