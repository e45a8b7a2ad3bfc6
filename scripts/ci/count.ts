/** The numbers of passed and failed tests and steps, and the first lines of each failure. */
export type Count = { readonly passed: number; readonly failed: number; readonly failures: readonly string[] };

export type Total = Count & {
  readonly skipped: readonly string[];
  readonly warnings: readonly string[];
};

const FAILURE_LINES_MAX = 200;
const LINE_LENGTH_MAX = 400;

/** The end of the output. Failures come last, because a long log is often truncated at its beginning. */
export function reportOf({ passed, failed, failures, skipped, warnings }: Total): string {
  const lines = failures.flatMap((it) => `FAILED: ${it}`.split("\n")).map((it) => it.slice(0, LINE_LENGTH_MAX));
  const more = lines.length - FAILURE_LINES_MAX;
  return [
    ...lines.slice(0, FAILURE_LINES_MAX),
    ...(more > 0 ? [`and ${more} more lines`] : []),
    ...warnings.map((it) => `WARNING: ${it}`),
    ...skipped.map((it) => `SKIPPED: ${it}`),
    `${passed} passed, ${failed} failed`,
  ].join("\n");
}
