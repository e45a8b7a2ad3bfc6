import { parseArgs, type ParseArgsConfig } from "node:util";
import { printable } from "./printable.ts";
import { StartupError } from "./startup-error.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ allowPositionals: true; options: O }>>;
type Description<O extends Options> = {
  /** The output of `--help`: a sentence about what the command does, and then the usage, which starts with "Usage:". */
  readonly usage: string;
  readonly options?: O;
  /** The maximum number of positional arguments. Default: 0. */
  readonly arguments?: number;
};

/** The arguments are invalid. `runCommand` prints the usage. */
export class UsageError extends StartupError {
  constructor() {
    super("Usage");
  }
}

/** Prints lines without control characters of user content. Waits for a slow reader. */
export function print(lines: string): Promise<void> {
  return new Promise((done) => process.stdout.write(`${printable(lines)}\n`, () => done()));
}

/** Ends the process when the reader of its output, such as `head`, closes the pipe before the end. */
export function stopWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
}

/** Sets the exit code 1, and prints only the message of a StartupError. */
export function explain(error: unknown): void {
  process.exitCode = 1;
  if (!(error instanceof StartupError)) throw error;
  console.error(printable(error.message));
}

/**
 * Runs a script of package.json. Parses its arguments, handles `--help`, and prints only the message of a StartupError. `run` can return or
 * set the exit code, which is 1 after an error.
 */
export async function runCommand<const O extends Options = Record<never, never>>(
  { usage, options, arguments: argumentsMax = 0 }: Description<O>,
  run: (parsed: Parsed<O>) => Promise<number | void> | number | void,
): Promise<void> {
  stopWithReader();
  try {
    const help = { type: "boolean", short: "h" } as const;
    const parsed = parseArgs({ allowPositionals: true, options: { ...options, help } });
    if (parsed.values.help === true) return console.log(usage);
    if (parsed.positionals.length > argumentsMax) throw new UsageError();
    const code = await run(parsed as unknown as Parsed<O>);
    if (typeof code === "number") process.exitCode = code;
  } catch (error) {
    const isWrongArgument = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") === true;
    const howTo = usage.slice(usage.indexOf("Usage:"));
    if (error instanceof UsageError) explain(new StartupError(howTo));
    else explain(isWrongArgument ? new StartupError(`${(error as Error).message}\n\n${howTo}`) : error);
  }
}
