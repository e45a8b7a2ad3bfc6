/**
 * Parses the lines of `-progress`, and returns whether time or frames have advanced. Calls `onTime` with the duration of the
 * output.
 */
export function createProgressReader(onTime: (outTimeMs: number) => void): (line: string) => boolean {
  const reached: Record<string, number> = { out_time_us: 0, frame: 0 };
  return (line) => {
    const [name = "", value] = line.split("=");
    // Before the first frame the time is "N/A" or the most negative integer.
    if (!(Number(value) > (reached[name] ?? Infinity))) return false;
    reached[name] = Number(value);
    if (name === "out_time_us") onTime(Math.floor(Number(value) / 1000));
    return true;
  };
}
