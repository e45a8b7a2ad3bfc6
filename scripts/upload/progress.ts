import { styleText } from "node:util";

const BAR_COLUMNS = 28;
const REDRAW_MS = 80;
/** Without a terminal, each step of this size is a line. */
const STEP_PERCENT = 25;

/** A progress bar on a terminal; otherwise a few plain lines. */
export type Progress = {
  show(label: string, percent: number, detail: string): void;
  /** Prints a line that stays. */
  note(text: string): void;
  /** Removes the progress bar. */
  clear(): void;
};

/** Shows progress on a stream: stderr, so that stdout has only the result. */
export function createProgress(stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? barOn(stream) : linesOn(stream);
}

function barOn(stream: NodeJS.WriteStream): Progress {
  const paint = (format: "cyan" | "dim", text: string) => styleText(format, text, { stream });
  const clear = () => void stream.write("\r\x1b[K");
  let drawnMs = -Infinity;
  let drawnLabel = "";
  return {
    clear,
    show(label, percent, detail) {
      const nowMs = performance.now();
      if (label === drawnLabel && percent < 100 && nowMs - drawnMs < REDRAW_MS) return;
      [drawnMs, drawnLabel] = [nowMs, label];
      const filled = Math.round((percent / 100) * BAR_COLUMNS);
      const bar = paint("cyan", "━".repeat(filled)) + paint("dim", "─".repeat(BAR_COLUMNS - filled));
      const text = `${label.padEnd(12)} ${bar} ${String(Math.floor(percent)).padStart(3)} %`;
      const isWide = stream.columns >= 12 + 1 + BAR_COLUMNS + 7 + detail.length;
      clear();
      stream.write(isWide ? `${text}  ${paint("dim", detail)}` : text);
    },
    note(text) {
      clear();
      stream.write(`${text}\n`);
    },
  };
}

function linesOn(stream: NodeJS.WriteStream): Progress {
  let lastStep = "";
  return {
    show(label, percent, detail) {
      const step = `${label} ${Math.floor(percent / STEP_PERCENT)}`;
      if (step === lastStep) return;
      lastStep = step;
      stream.write(`${label}: ${Math.floor(percent)} %${detail === "" ? "" : `, ${detail}`}\n`);
    },
    note: (text) => void stream.write(`${text}\n`),
    clear: () => undefined,
  };
}

/** A number of bytes for people, such as `13.1 MB`. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const power = Math.min(units.length - 1, bytes < 1_000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1_000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}
