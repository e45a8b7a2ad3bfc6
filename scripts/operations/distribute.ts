import { distribute, planDistribution, type PlannedStep } from "../../src/database/distribution/index.ts";
import { withDistribution } from "./distribution.ts";

const AFTERWARDS = `To add a node, install Citus there, create this database and the extension citus in it, and run on the coordinator:
  SELECT citus_add_node('host', 5432);
Then run npm run plumbline -- database distribute --yes again, which gives the node its settings, and move shards to it, on the
coordinator. If there is less than one shard of each table for a node, split them first: prisma/DISTRIBUTED.md.
  SELECT citus_rebalance_start();
  SELECT * FROM citus_rebalance_status();`;

const rowsOf = ({ counts }: PlannedStep) =>
  Object.entries(counts)
    .map(([table, count]) => `${table} ${count}`)
    .join(", ");

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
  console.log("\nNothing has changed. To distribute, run npm run plumbline -- database distribute --yes.");
}

/** Distributes the tables over the nodes of Citus. Without `yes`, only shows the steps. */
export const distributeTables = ({ yes, shards }: { readonly yes: boolean; readonly shards?: number | undefined }) =>
  withDistribution(async (session, distributions, statementTimeoutSeconds) => {
    const options = { shards, statementTimeoutSeconds };
    const steps = await planDistribution(session, distributions, options);
    if (steps.length === 0) return console.log("Nothing to do: every table is where it should be.");
    if (!yes) return show(steps);
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
