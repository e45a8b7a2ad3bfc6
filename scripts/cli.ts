import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Argv } from "yargs";
import { explain } from "../src/util/command.ts";
import { printable } from "../src/util/printable.ts";
import { auditLog } from "./commands/audit-log.ts";
import { contract } from "./commands/contract.ts";
import { counts } from "./commands/counts.ts";
import { database } from "./commands/database.ts";
import { doctor } from "./commands/doctor.ts";
import { jobs } from "./commands/job.ts";
import { packages } from "./commands/packages.ts";
import { store } from "./commands/store.ts";
import { upload } from "./commands/upload.ts";
import { users } from "./commands/user.ts";
import { videos } from "./commands/video.ts";
import { workflows } from "./commands/workflows.ts";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string };

// By require, because the build of yargs for ESM breaks words where it wraps lines.
const yargs = createRequire(import.meta.url)("yargs") as (args: readonly string[]) => Argv;
const TOO_FEW = "Only %s of %s arguments are given.";

/** Runs the command that the arguments name. Sets the exit code of the process. */
export async function runCli(args: readonly string[]): Promise<void> {
  const cli = yargs(args)
    .scriptName("plumbline")
    .usage("Usage: $0 <noun> <verb>")
    .command([users, auditLog, store, counts, doctor, videos, jobs, upload, database, contract, workflows, packages])
    .demandCommand(1, "Name a command.")
    .completion("completion", "print a script that completes commands in bash or zsh")
    .parserConfiguration({
      "boolean-negation": false,
      "dot-notation": false,
      "duplicate-arguments-array": false,
      "populate--": true,
    })
    .strict()
    .strictCommands()
    .recommendCommands()
    // Otherwise yargs ignores them.
    .check((argv) => {
      const rest = argv["--"] as readonly string[] | undefined;
      if (rest !== undefined) throw new Error(`Unknown argument: -- ${rest.join(" ")}`);
      return true;
    })
    .locale("en")
    // The types lack plural forms.
    .updateStrings({
      "Not enough non-option arguments: got %s, need at least %s": { one: TOO_FEW, other: TOO_FEW } as unknown as string,
    })
    .version(version)
    .alias("h", "help")
    .wrap(120)
    .epilogue(
      "In a checkout, `plumbline` is `npm run -s plumbline --`, and in a container `node scripts/plumbline.ts`. The settings are environment variables, which scripts/deploy/SETTINGS.md lists.",
    )
    .fail((message: string | null, error, usage) => {
      if (message === null) throw error;
      console.error(`${printable(message)}\n`);
      usage.showHelp("error");
      process.exit(1);
    });
  await cli.parseAsync().catch(explain);
}
