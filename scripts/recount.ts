import { runCommand, UsageError } from "../src/util/command.ts";
import { audit } from "./operations/audit.ts";
import { checkAll, COUNTS } from "./operations/counts.ts";
import { openParts } from "./operations/parts.ts";
import { configOfCommand } from "./operations/settings.ts";

const USAGE = `Compares the counts that triggers maintain with the rows: the members of conversations, and the bytes that users have stored.

Usage:
  npm run -s recount [-- --json]            print how many are wrong; the exit code is 2 if one is
  npm run -s recount -- correct [--json]    correct those that are wrong, whether the service runs or not`;

await runCommand(
  { usage: USAGE, options: { json: { type: "boolean", default: false } }, arguments: 1 },
  async ({ values: { json }, positionals: [command = "check"] }) => {
    if (command !== "check" && command !== "correct") throw new UsageError();
    const corrects = command === "correct";
    await using stack = new AsyncDisposableStack();
    const { db, config } = await openParts(configOfCommand(), stack);
    let total = 0;
    for (const count of COUNTS) {
      const { checked, wrong } = await checkAll(db, count, { corrects });
      total += wrong;
      if (corrects && wrong > 0) await audit({ db, config }, "counts.correct", { count: count.name, corrected: wrong });
      if (json) console.log(JSON.stringify({ count: count.name, checked, wrong, corrected: corrects ? wrong : 0 }));
      else
        console.log(
          `${count.name}: ${wrong} of ${checked} ${count.of} ${corrects ? "were wrong, and are corrected" : "are wrong"}.`,
        );
    }
    return corrects || total === 0 ? 0 : 2;
  },
);
