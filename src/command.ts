import { parseArgs, type ParseArgsConfig } from "node:util";
import { StartupError } from "./startup-error.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Parsed<O extends Options> = ReturnType<typeof parseArgs<{ allowPositionals: true; options: O }>>;
type Description<O extends Options> = {
  /** What `--help` prints: a sentence on what the command does, and then how it is called, from "Usage:" on. */
  readonly usage: string;
  readonly options?: O;
  /** How many arguments there may be beside the options; none unless given. */
  readonly arguments?: number;
};

/** The arguments make no sense together. `runCommand` prints the usage. */
export class UsageError extends StartupError {
  constructor() {
    super("Usage");
  }
}

/**
 * Runs a command of package.json: reads its arguments, answers `--help`, and prints a StartupError as a sentence. The exit
 * code is the one that `run` returns or sets; 1 after an error.
 */
export async function runCommand<const O extends Options = Record<never, never>>(
  { usage, options, arguments: argumentsMax = 0 }: Description<O>,
  run: (given: Parsed<O>) => Promise<number | void> | number | void,
): Promise<void> {
  try {
    const help = { type: "boolean", short: "h" } as const;
    const given = parseArgs({ allowPositionals: true, options: { ...options, help } });
    if (given.values.help === true) return console.log(usage);
    if (given.positionals.length > argumentsMax) throw new UsageError();
    const code = await run(given as unknown as Parsed<O>);
    if (typeof code === "number") process.exitCode = code;
  } catch (error) {
    process.exitCode = 1;
    const isWrongArgument = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") === true;
    const howTo = usage.slice(usage.indexOf("Usage:"));
    if (error instanceof UsageError) console.error(howTo);
    else if (error instanceof StartupError) console.error(error.message);
    else if (isWrongArgument) console.error(`${(error as Error).message}\n\n${howTo}`);
    else throw error;
  }
}
