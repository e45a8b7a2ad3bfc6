import type pg from "pg";
import { StartupError } from "../../util/startup-error.ts";
import { isLockTimeout, isSerializationFailure, reasonOf, sqlState } from "../database-failure.ts";
import { compareMigrations } from "../migrate.ts";
import { inTransaction, type MigrationSession } from "../migration-session.ts";
import { countRows, hasCitus } from "./catalogue.ts";
import { pendingSteps, type DistributionOptions, type TableDistributions } from "./plan.ts";
import { countNodes } from "./sharding.ts";
import type { Step } from "./step.ts";

/** Each node can only recover the transactions that it has begun, so the command runs on all nodes. */
const RECOVER = "SELECT run_command_on_all_nodes('SELECT recover_prepared_transactions()')";

/** A step with the number of rows that it moves. */
export type PlannedStep = Step & { readonly counts: Readonly<Record<string, number>> };

/** The missing steps. Changes nothing. */
export async function planDistribution(
  { client }: MigrationSession,
  distributions: TableDistributions,
  options: DistributionOptions = {},
): Promise<PlannedStep[]> {
  if (!(await hasCitus(client)))
    throw new StartupError(
      "This database has no extension citus; install Citus on every node, run CREATE EXTENSION citus on each of them, and add the nodes: prisma/DISTRIBUTED.md.",
    );
  const coordinator = await client.query("SELECT 1 FROM pg_dist_node WHERE groupid = 0");
  if (coordinator.rows.length === 0)
    throw new StartupError(
      "The nodes don't know this coordinator; run SELECT citus_set_coordinator_host('its host name', 5432).",
    );
  if ((await countNodes(client)) === 0)
    throw new StartupError("This coordinator has no worker; run SELECT citus_add_node('its host name', 5432).");
  const { missing } = await compareMigrations(client);
  if (missing.length > 0) throw new StartupError(`This database lacks ${missing.length} migrations; run npm run migrate first.`);
  const steps = await pendingSteps(client, distributions, options);
  const planned: PlannedStep[] = [];
  for (const step of steps) planned.push({ ...step, counts: await countRows(client, step.tables) });
  return planned;
}

/**
 * Runs the missing steps, each in a transaction, and calls `report` after each. An interrupted step has changed nothing, and the next run
 * begins with it. A step fails if it changes the number of rows of a table.
 */
export async function distribute(
  session: MigrationSession,
  distributions: TableDistributions,
  report: (step: PlannedStep) => void,
  options: DistributionOptions = {},
): Promise<void> {
  const { client, lock } = session;
  await lock();
  // Prepared transactions of a killed run would hold their locks for a minute.
  if (await hasCitus(client)) await client.query(RECOVER);
  let last = "";
  for (;;) {
    const [step] = await planDistribution(session, distributions, options);
    if (step === undefined) return;
    if (step.title === last) throw new StartupError(`The step "${last}" has run and is still missing.`);
    last = step.title;
    try {
      report({ ...step, counts: await runStep(session, step) });
    } catch (error) {
      throw new StartupError(
        `The step "${step.title}" failed, and has changed nothing: ${reasonOf(error)}. Correct the cause, and run the command again.`,
        { cause: error },
      );
    }
  }
}

/** The SQLSTATE of a distributed deadlock in Citus, if the server doesn't log errors. */
const QUERY_CANCELED = "57014";
const isBusy = (error: unknown) => isLockTimeout(error) || isSerializationFailure(error) || sqlState(error) === QUERY_CANCELED;

async function runStep(
  session: MigrationSession,
  { title, tables, lock, statements, end }: Step,
): Promise<Record<string, number>> {
  const { client, locks } = session;
  let after: Record<string, number> = {};
  const work = async () => {
    if (lock !== undefined) await locks.whileLocking(lock.tables, () => lockOnNodes(client, lock.tables, lock.mode));
    const before = await countRows(client, tables);
    for (const statement of statements) await client.query(statement);
    if (end !== undefined) await locks.whileLocking(end.lock, () => lockWithRetries(client, end.lock));
    for (const statement of end?.statements ?? []) await client.query(statement);
    after = await countRows(client, tables);
    const changed = tables.filter((it) => after[it] !== before[it]);
    if (changed.length > 0)
      throw new Error(changed.map((it) => `${it} had ${before[it]} rows and would have ${after[it]}`).join(", "));
  };
  await inTransaction(session, `The step "${title}"`, work, isBusy);
  return after;
}

/**
 * Locks tables on this node, which has their rows, and then on the other nodes. Citus alone would lock the other nodes first, without the
 * `lock_timeout` of this session, and its error would not name a lock. A dump has locks on all nodes, too.
 */
async function lockOnNodes(client: pg.Client, tables: readonly string[], mode: string): Promise<void> {
  const lock = `LOCK TABLE ${tables.join(", ")} IN ${mode} MODE`;
  for (const propagation of ["off", "on"]) await client.query(`SET LOCAL citus.enable_ddl_propagation = ${propagation}; ${lock}`);
}

const LOCK_ATTEMPT_MS = 300;
const LOCK_ATTEMPTS = 100;

/** Takes exclusive locks on tables. Retries only the locks, because the transaction has copied all rows. */
async function lockWithRetries(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query("SAVEPOINT before_lock");
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_ATTEMPT_MS}`);
      await lockOnNodes(client, tables, "ACCESS EXCLUSIVE");
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === LOCK_ATTEMPTS) throw error;
      await client.query("ROLLBACK TO before_lock");
    }
  }
}
