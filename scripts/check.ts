import { runCommand } from "../src/util/command.ts";
import { StartupError } from "../src/util/startup-error.ts";
import { GATES, passGates } from "./check/gates.ts";
import { checkSubjects } from "./check/subjects.ts";

const USAGE = `Runs the gates that CI runs.

Usage:
  npm run check                            runs every gate, cheap ones first
  npm run check -- GATE...                 runs some: ${GATES.map((it) => it.name).join(", ")}
  npm run check -- --contract              runs only the gates for the contract, as the git hook does
  npm run check -- --for OPERATION         lists what is missing for one operation, in order, and runs its tests
  npm run check -- --for-area AREA         the same for all operations of an area, its tables and its workflow
  npm run check -- --list                  lists the names of the gates`;

const options = {
  for: { type: "string" },
  "for-area": { type: "string" },
  contract: { type: "boolean" },
  list: { type: "boolean" },
} as const;

await runCommand({ usage: USAGE, options, arguments: GATES.length }, async ({ values, positionals }) => {
  if (values.list) return console.log(GATES.map((it) => it.name).join("\n"));
  const unknown = positionals.filter((name) => !GATES.some((it) => it.name === name));
  if (unknown.length > 0) throw new StartupError(`There is no gate named ${unknown.join(" or ")}.\n\n${USAGE}`);
  if (values.for !== undefined) return (await checkSubjects({ operation: values.for })) ? 0 : 1;
  if (values["for-area"] !== undefined) return (await checkSubjects({ area: values["for-area"] })) ? 0 : 1;
  const gates = GATES.filter(({ name, isOfContract = false }) =>
    values.contract ? isOfContract : positionals.length === 0 || positionals.includes(name),
  );
  return (await passGates(gates)) ? 0 : 1;
});
