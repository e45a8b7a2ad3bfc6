import { withDistribution } from "./operations/distribution.ts";
import { distribute, planDistribution, type PlannedStep } from "../src/database/distribution/index.ts";
import { runCommand, UsageError } from "../src/util/command.ts";

const USAGE = `Distributes the tables of DATABASE_URL over the nodes of Citus, as the tables.ts of each area says.

Without --yes, it only shows what it would do. The service can run meanwhile: it reads, and writes to the tables of a step get 503 or
wait until the step ends. If it is interrupted, run it again: it continues with the missing step.

Usage:
  npm run distribute             show the steps, their statements, and the rows of their tables
  npm run distribute -- --yes    distribute

  --shards N    how many shards the rows of a table are spread over; the default is two for each node. Each of them makes lists that
                ask all nodes slower. prisma/DISTRIBUTED.md says how to split them when you have more nodes`;

const AFTERWARDS = `To add a node, install Citus there, create this database and the extension citus in it, and run on the coordinator:
  SELECT citus_add_node('host', 5432);
Then run npm run distribute -- --yes again, which gives the node its settings, and move shards to it, on the coordinator. If there is
less than one shard of each table for a node, split them first: prisma/DISTRIBUTED.md.
  SELECT citus_rebalance_start();
  SELECT * FROM citus_rebalance_status();`;

/** What Citus allows. */
const SHARDS_MAX = 64_000;

const rowsOf = ({ counts }: PlannedStep) =>
  Object.entries(counts)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ");

/** Throws a UsageError unless it is a number of shards that Citus allows. */
function countIn(text: string | undefined): number | undefined {
  if (text !== undefined && !(/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= SHARDS_MAX)) throw new UsageError();
  return text === undefined ? undefined : Number(text);
}

function show(steps: readonly PlannedStep[]): void {
  for (const step of steps) {
    console.log(`\n${step.title}`);
    if (step.tables.length > 0)
      console.log(
        `  Rows: ${rowsOf(step)}. It locks ${step.lock!.tables.join(", ")} (${step.lock!.mode})${step.end === undefined ? "" : `, and at its end ${step.end.lock.join(", ")} (ACCESS EXCLUSIVE)`}.`,
      );
    for (const statement of [...step.statements, ...(step.end?.statements ?? [])])
      console.log(`  ${/^[A-Z].*$/m.exec(statement)![0]};`);
  }
  console.log("\nNothing has changed. To distribute, run npm run distribute -- --yes.");
}

const options = { yes: { type: "boolean", default: false }, shards: { type: "string" } } as const;

await runCommand({ usage: USAGE, options }, ({ values }) => {
  const shards = countIn(values.shards);
  return withDistribution(async (session, distributions, statementTimeoutSeconds) => {
    const options = { shards, statementTimeoutSeconds };
    const steps = await planDistribution(session, distributions, options);
    if (steps.length === 0) return console.log("Nothing to do: every table is where it should be.");
    if (!values.yes) return show(steps);
    await distribute(
      session,
      distributions,
      (step) => {
        const rows = step.tables.length > 0 ? `; rows before and after: ${rowsOf(step)}` : "";
        console.log(`Done: ${step.title}${rows}.`);
      },
      options,
    );
    console.log(AFTERWARDS);
  });
});
