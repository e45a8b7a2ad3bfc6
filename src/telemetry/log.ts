import { styleText } from "node:util";
import { destination, pino, type DestinationStream, type Logger } from "pino";
import { printable } from "../util/printable.ts";

type Line = { level: number; time: number; msg?: string; err?: { message: string; stack: string }; [name: string]: unknown };

const STDOUT = 1;
const WARN = 40;
/** Lines are written in blocks of this size, or after this time, because a write costs more than ten lines. */
const BLOCK_LENGTH = 16 * 1024;
const BLOCK_MS = 100;
/** The maximum length of buffered lines, for a pipe that is not read. Further lines are dropped. */
const BUFFER_MAX = 8 * 1024 * 1024;

/** Creates a logger that writes lines of JSON to stdout, or readable text to a terminal. */
export function createLog(level: string): Logger {
  const options = { level, base: null, redact: ["req.headers.authorization"] };
  if (level === "silent") return pino(options);
  if (!process.stdout.isTTY) return pino(options, openStdout());
  return pino(options, { write: (line) => void process.stdout.write(readableLine(line)) });
}

/** Logs the warnings of Node and libraries, which Node otherwise prints to stderr as text. */
export function logWarnings(log: Logger): void {
  process.removeAllListeners("warning");
  process.on("warning", (warning) => log.warn({ err: warning }, "Node warns"));
}

/** Waits until all log lines are written. */
export const flushLog = (log: Logger): Promise<void> => new Promise((done) => log.flush(() => done()));

/**
 * Writes to stdout in the background, because a pipe that is not read would otherwise block the service. Lines are written in blocks;
 * warnings and errors are written at once. The exit of the process writes the rest.
 */
function openStdout(): DestinationStream {
  // With the default minimum of 0, `flush` would not wait.
  const stdout = destination({ dest: STDOUT, sync: false, minLength: 1, maxLength: BUFFER_MAX });
  let buffered = "";
  let timer: NodeJS.Timeout | null = null;
  let dropped = 0;
  const writeAll = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const text = buffered;
    buffered = "";
    if (text !== "") stdout.write(text);
  };
  stdout.on("drop", (text: string) => (dropped += text.split("\n").length - 1));
  stdout.on("drain", () => {
    if (dropped === 0) return;
    const line = { level: WARN, time: Date.now(), dropped, msg: "log lines were dropped, because nothing read stdout" };
    dropped = 0;
    stdout.write(`${JSON.stringify(line)}\n`);
  });
  process.once("exit", () => {
    writeAll();
    stdout.flushSync();
  });
  const stream = {
    // With this symbol, pino sets `lastLevel` before it writes.
    [Symbol.for("pino.metadata")]: true,
    lastLevel: 0,
    write(line: string) {
      buffered += line;
      if (buffered.length >= BLOCK_LENGTH || stream.lastLevel >= WARN) writeAll();
      else timer ??= setTimeout(writeAll, BLOCK_MS).unref();
    },
    flush(done: () => void) {
      writeAll();
      stdout.flush(done);
    },
  };
  return stream;
}

function readableLine(json: string): string {
  const { level, time: _, msg = "", err, ...fields } = JSON.parse(json) as Line;
  const label = styleText(level >= 50 ? "red" : level >= 40 ? "yellow" : "dim", (pino.levels.labels[level] ?? "").padEnd(5));
  if (msg === "request") return `${label} ${readableRequest(fields)}\n`;
  const details = Object.entries(fields).map(([name, value]) => `${name}: ${[value].flat().map(text).join(", ")}`);
  const reason = err === undefined ? [] : [printable(level >= 50 ? err.stack : err.message)];
  return [`${label} ${msg}`, ...[...details, ...reason].map((it) => styleText("dim", `      ${it}`))].join("\n") + "\n";
}

/** A request in one line. A path can contain control characters. */
function readableRequest(line: Record<string, unknown>): string {
  const { method, path, status, duration_ms, waited_ms, operation, client_left } = line;
  const code = Number(status ?? 0);
  const shown = styleText(code >= 500 ? "red" : code >= 400 ? "yellow" : "green", text(status ?? "---"));
  const target = text(path).replaceAll(/[^ -~]/g, "?");
  const name = operation === null ? "" : ` ${text(operation)}`;
  const waited = waited_ms === 0 ? "" : `, ${text(waited_ms)} of them waiting`;
  const rest = `${text(duration_ms)} ms${waited}${name}${client_left === true ? " client disconnected" : ""}`;
  return `${text(method)} ${target} ${shown} ${styleText("dim", rest)}`;
}

const text = (value: unknown) => printable(typeof value === "string" ? value : JSON.stringify(value));
