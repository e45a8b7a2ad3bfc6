/** What ffmpeg reports while it works, read from the lines of `-progress`. */
export type Progress = {
  /** How much of the output is made, in its own time. */
  readonly outTimeMs: number;
  readonly frames: number;
  readonly ended: boolean;
};

/** Takes the lines one by one; gives a progress at the end of each report, else null. Unknown lines are passed over. */
export function createProgressReader(): (line: string) => Progress | null {
  let outTimeMs = 0;
  let frames = 0;
  return (line) => {
    const at = line.indexOf("=");
    const name = line.slice(0, Math.max(0, at));
    const value = line.slice(at + 1).trim();
    // Before the first frame the time is "N/A", or the most negative number there is.
    if (name === "out_time_us") outTimeMs = Math.max(outTimeMs, Math.floor(Number(value) / 1000) || 0);
    if (name === "frame") frames = Math.max(frames, Number(value) || 0);
    return name === "progress" ? { outTimeMs, frames, ended: value === "end" } : null;
  };
}
