import { StartupError } from "../../util/startup-error.ts";
import { reasonOf } from "../database-failure.ts";
import { compareMigrations } from "../migrate.ts";
import { inTransaction, type MigrationSession } from "../migration-session.ts";
import { countRows, hasCitus } from "./catalogue.ts";
import { pendingSteps, type Places, type Step } from "./plan.ts";

/** A step with the rows that it moves. */
export type PlannedStep = Step & { readonly counts: Readonly<Record<string, number>> };

/** What is missing until the tables are where `places` says. Changes nothing. */
export async function planDistribution({ client }: MigrationSession, places: Places): Promise<PlannedStep[]> {
  if (!(await hasCitus(client)))
    throw new StartupError(
      "This database has no extension citus; install Citus on every node, run CREATE EXTENSION citus on each of them, and add the nodes: prisma/DISTRIBUTED.md.",
    );
  const coordinator = await client.query("SELECT 1 FROM pg_dist_node WHERE groupid = 0");
  if (coordinator.rows.length === 0)
    throw new StartupError(
      "The nodes don't know this coordinator; run SELECT citus_set_coordinator_host('its host name', 5432).",
    );
  const { missing } = await compareMigrations(client);
  if (missing.length > 0) throw new StartupError(`This database lacks ${missing.length} migrations; run npm run migrate first.`);
  const steps = await pendingSteps(client, places);
  const planned: PlannedStep[] = [];
  for (const step of steps) planned.push({ ...step, counts: await countRows(client, step.tables) });
  return planned;
}

/**
 * Takes the missing steps, each in a transaction, and calls `report` after each of them. If it is interrupted, the step that ran has
 * changed nothing, and the next run begins with it. A step fails if a table has another number of rows than before.
 */
export async function distribute(session: MigrationSession, places: Places, report: (step: PlannedStep) => void): Promise<void> {
  const { client, lock } = session;
  await lock();
  // What a run that was killed has left on other nodes would hold its locks for a minute.
  if (await hasCitus(client)) await client.query("SELECT recover_prepared_transactions()");
  let last = "";
  for (;;) {
    const [step] = await planDistribution(session, places);
    if (step === undefined) return;
    if (step.title === last) throw new StartupError(`The step "${last}" has run and is still missing.`);
    last = step.title;
    try {
      report({ ...step, counts: await take(session, step) });
    } catch (error) {
      throw new StartupError(
        `The step "${step.title}" failed, and has changed nothing: ${reasonOf(error)}. Correct the cause, and run the command again.`,
        { cause: error },
      );
    }
  }
}

async function take(session: MigrationSession, { title, tables, statements }: Step): Promise<Record<string, number>> {
  const { client } = session;
  let after: Record<string, number> = {};
  await inTransaction(session, `The step "${title}"`, async () => {
    if (tables.length > 0) await client.query(`LOCK TABLE ${tables.join(", ")} IN ACCESS EXCLUSIVE MODE`);
    const before = await countRows(client, tables);
    for (const statement of statements) await client.query(statement);
    after = await countRows(client, tables);
    const changed = tables.filter((it) => after[it] !== before[it]);
    if (changed.length > 0)
      throw new Error(changed.map((it) => `${it} had ${before[it]} rows and would have ${after[it]}`).join(", "));
  });
  return after;
}
