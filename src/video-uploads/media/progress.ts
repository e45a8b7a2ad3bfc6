/** A progress report of ffmpeg: the duration of the output so far, and whether time or frames have advanced since the last. */
export type Progress = { readonly outTimeMs: number; readonly hasAdvanced: boolean };

/** Takes the lines of `-progress`. Returns a progress at the end of each report, else null. Ignores unknown lines. */
export function createProgressReader(): (line: string) => Progress | null {
  const reached = new Map([
    ["out_time_us", 0],
    ["frame", 0],
  ]);
  let hasAdvanced = true;
  return (line) => {
    const [name = "", value] = line.split("=");
    // Before the first frame the time is "N/A" or the most negative integer.
    if (Number(value) > (reached.get(name) ?? Infinity)) {
      reached.set(name, Number(value));
      hasAdvanced = true;
    }
    if (name !== "progress") return null;
    const progress = { outTimeMs: Math.floor(reached.get("out_time_us")! / 1000), hasAdvanced };
    hasAdvanced = false;
    return progress;
  };
}
