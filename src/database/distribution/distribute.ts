import type pg from "pg";
import { StartupError } from "../../util/startup-error.ts";
import { isLockTimeout, isSerializationFailure, reasonOf, sqlState } from "../database-failure.ts";
import { compareMigrations } from "../migrate.ts";
import { inTransaction, type MigrationSession } from "../migration-session.ts";
import { countRows, hasCitus } from "./catalogue.ts";
import { pendingSteps, type Distribution, type Places } from "./plan.ts";
import { countNodes } from "./sharding.ts";
import type { Step } from "./step.ts";

/** A node ends the transactions that it has begun on others, so each is asked. */
const RECOVER = "SELECT run_command_on_all_nodes('SELECT recover_prepared_transactions()')";

/** A step with the rows that it moves. */
export type PlannedStep = Step & { readonly counts: Readonly<Record<string, number>> };

/** What is missing until the tables are where `places` says. Changes nothing. */
export async function planDistribution(
  { client }: MigrationSession,
  places: Places,
  distribution: Distribution = {},
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
  const steps = await pendingSteps(client, places, distribution);
  const planned: PlannedStep[] = [];
  for (const step of steps) planned.push({ ...step, counts: await countRows(client, step.tables) });
  return planned;
}

/**
 * Takes the missing steps, each in a transaction, and calls `report` after each of them. If it is interrupted, the step that ran has
 * changed nothing, and the next run begins with it. A step fails if a table has another number of rows than before.
 */
export async function distribute(
  session: MigrationSession,
  places: Places,
  report: (step: PlannedStep) => void,
  distribution: Distribution = {},
): Promise<void> {
  const { client, lock } = session;
  await lock();
  // What a run that was killed has left on other nodes would hold its locks for a minute.
  if (await hasCitus(client)) await client.query(RECOVER);
  let last = "";
  for (;;) {
    const [step] = await planDistribution(session, places, distribution);
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

/** What Citus says when it has found that two sessions wait for each other, if the server doesn't log errors. */
const QUERY_CANCELED = "57014";
const isBusy = (error: unknown) => isLockTimeout(error) || isSerializationFailure(error) || sqlState(error) === QUERY_CANCELED;

async function take(session: MigrationSession, { title, tables, lock, statements, end }: Step): Promise<Record<string, number>> {
  const { client, locks } = session;
  let after: Record<string, number> = {};
  const work = async () => {
    if (lock !== undefined) await locks.whileLocking(lock.tables, () => lockOnNodes(client, lock.tables, lock.mode));
    const before = await countRows(client, tables);
    for (const statement of statements) await client.query(statement);
    if (end !== undefined) await locks.whileLocking(end.lock, () => lockAtLast(client, end.lock));
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
 * Locks tables on this node, which has their rows until now, and then on the others. By itself, Citus would ask the others first, for
 * longer than `lock_timeout` of this session, and wouldn't say that a lock was missing. A dump has locks on all nodes, too.
 */
async function lockOnNodes(client: pg.Client, tables: readonly string[], mode: string): Promise<void> {
  const lock = `LOCK TABLE ${tables.join(", ")} IN ${mode} MODE`;
  for (const propagation of ["off", "on"]) await client.query(`SET LOCAL citus.enable_ddl_propagation = ${propagation}; ${lock}`);
}

const LAST_ATTEMPT_MS = 300;
const LAST_ATTEMPTS = 100;

/** Locks tables for this transaction alone. In place of the transaction, which has copied all rows, the lock is tried again. */
async function lockAtLast(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query("SAVEPOINT before_lock");
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`SET LOCAL lock_timeout = ${LAST_ATTEMPT_MS}`);
      await lockOnNodes(client, tables, "ACCESS EXCLUSIVE");
      return;
    } catch (error) {
      if (!isBusy(error) || attempt === LAST_ATTEMPTS) throw error;
      await client.query("ROLLBACK TO before_lock");
    }
  }
}
