import { styleText } from "node:util";
import { pino, type Logger } from "pino";

type Line = { level: number; time: number; msg?: string; err?: { message: string; stack: string }; [name: string]: unknown };

/** Creates a logger that writes to stdout: a line of JSON for each event, or readable text if stdout is a terminal. */
export function createLog(level: string): Logger {
  const options = { level, base: null, redact: ["req.headers.authorization"] };
  if (!process.stdout.isTTY) return pino(options);
  return pino(options, { write: (line) => void process.stdout.write(lineForPeople(line)) });
}

function lineForPeople(json: string): string {
  const { level, time: _, msg = "", err, ...fields } = JSON.parse(json) as Line;
  const details = Object.entries(fields).map(([name, value]) => `${name}: ${[value].flat().map(text).join(", ")}`);
  const label = styleText(level >= 50 ? "red" : level >= 40 ? "yellow" : "dim", (pino.levels.labels[level] ?? "").padEnd(5));
  const reason = err === undefined ? [] : [level >= 50 ? err.stack : err.message];
  return [`${label} ${msg}`, ...[...details, ...reason].map((it) => styleText("dim", `      ${it}`))].join("\n") + "\n";
}

const text = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
