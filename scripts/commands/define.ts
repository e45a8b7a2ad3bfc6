import type { ArgumentsCamelCase, Argv, CommandModule, InferredOptionTypes, Options, PositionalOptions } from "yargs";
import type { Work } from "../operations/parts.ts";

type Positionals = Readonly<Record<string, PositionalOptions>>;
type Named = Readonly<Record<string, Options>>;

/** A command of `plumbline`: a noun with verbs, a verb, or a noun that needs none. */
export type Command = CommandModule<object, never>;

/**
 * A command that does something. `usage` is its name with its positional arguments, such as `show <user-id>`. `run` can return or set the
 * exit code.
 */
export function verb<const P extends Positionals, const O extends Named>(
  usage: string,
  describe: string,
  { args, options }: { readonly args?: P; readonly options?: O },
  run: (argv: ArgumentsCamelCase<InferredOptionTypes<P> & InferredOptionTypes<O>>) => Promise<number | void>,
): Command {
  return {
    command: usage,
    describe,
    builder: (yargs: Argv) => {
      for (const [name, definition] of Object.entries(args ?? {})) yargs.positional(name, definition);
      // An additional word is then an unknown argument, and no unknown command.
      return yargs
        .strictCommands(false)
        .version(false)
        .options(options ?? {}) as unknown as Argv<never>;
    },
    handler: async (argv) => {
      const code = await run(argv);
      if (typeof code === "number") process.exitCode = code;
    },
  };
}

/** A noun, which needs one of its verbs. */
export const noun = (name: string, describe: string, verbs: Command[]): Command => ({
  command: name,
  describe,
  builder: (yargs: Argv) => yargs.version(false).command(verbs).demandCommand(1, "Name a verb.") as unknown as Argv<never>,
  handler: () => undefined,
});

/** Runs `work` with the database of the settings, and prints what it returns. */
export const operate = async (work: Work): Promise<void> => (await import("../operations/parts.ts")).withParts(work);
