/** What has passed and failed, and each failure with the first lines of its message. */
export type Count = { readonly passed: number; readonly failed: number; readonly failures: readonly string[] };

export type Total = Count & {
  readonly skipped: readonly string[];
  readonly warnings: readonly string[];
};

const FAILURE_LINES_MAX = 200;
const LINE_LENGTH_MAX = 400;

/** The end of the output. A long log is often cut at its beginning, so the names of what failed come last. */
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
