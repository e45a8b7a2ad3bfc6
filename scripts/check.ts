import { parseArgs } from "node:util";
import { GATES, passGates } from "./check/gates.ts";
import { checkOperation } from "./check/operation.ts";

const HELP = `npm run check                            runs every gate, cheap ones first
npm run check -- GATE...                 runs some: ${GATES.map((it) => it.name).join(", ")}
npm run check -- --contract              runs the gates of the contract alone, as the git hook does
npm run check -- --for OPERATION         says what is missing for one operation, in order, and runs its tests
npm run check -- --list                  names the gates`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    for: { type: "string" },
    contract: { type: "boolean" },
    list: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});

const unknown = positionals.filter((name) => !GATES.some((it) => it.name === name));
if (values.help) console.log(HELP);
else if (values.list) console.log(GATES.map((it) => it.name).join("\n"));
else if (unknown.length > 0) {
  console.error(`There is no gate named ${unknown.join(" or ")}.\n${HELP}`);
  process.exitCode = 2;
} else if (values.for !== undefined) {
  if (!(await checkOperation(values.for))) process.exitCode = 1;
} else {
  const gates = GATES.filter(({ name, isOfContract = false }) =>
    values.contract ? isOfContract : positionals.length === 0 || positionals.includes(name),
  );
  if (!(await passGates(gates))) process.exitCode = 1;
}
