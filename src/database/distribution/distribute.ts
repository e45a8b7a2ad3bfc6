import type pg from "pg";
import { StartupError } from "../../util/startup-error.ts";
import { isLockTimeout, isSerializationFailure, reasonOf, sqlState } from "../database-failure.ts";
import { compareMigrations } from "../migrate.ts";
import { inTransaction, type MigrationSession } from "../migration-session.ts";
import { countRows, hasCitus } from "./catalogue.ts";
import { pendingSteps, type Places, type Step } from "./plan.ts";

/** A node ends the transactions that it has begun on others, so each is asked. */
const RECOVER = "SELECT run_command_on_all_nodes('SELECT recover_prepared_transactions()')";

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
  if (await hasCitus(client)) await client.query(RECOVER);
  let last = "";
  for (;;) {
    const [step] = await planDistribution(session, places);
    if (step === undefined) return;
    if (step.title === last) throw new StartupError(`The step "${last}" has run and is still missing.`);
    last = step.title;
    try {
      report({ ...step, counts: await takeUntilDone(session, step) });
    } catch (error) {
      throw new StartupError(
        `The step "${step.title}" failed, and has changed nothing: ${reasonOf(error)}. Correct the cause, and run the command again.`,
        { cause: error },
      );
    }
  }
}

/** What Citus says when it has found that two sessions wait for each other. */
const QUERY_CANCELED = "57014";
const STEP_ATTEMPTS = 10;

/** Takes a step again if Citus has cancelled it, because a writer and the step waited for each other. */
async function takeUntilDone(session: MigrationSession, step: Step): Promise<Record<string, number>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await take(session, step);
    } catch (error) {
      if (sqlState(error) !== QUERY_CANCELED || attempt === STEP_ATTEMPTS) throw error;
    }
  }
}

async function take(session: MigrationSession, { title, tables, lock, statements, end }: Step): Promise<Record<string, number>> {
  const { client } = session;
  let after: Record<string, number> = {};
  await inTransaction(session, `The step "${title}"`, async () => {
    if (lock !== undefined) await client.query(`LOCK TABLE ${lock.tables.join(", ")} IN ${lock.mode} MODE`);
    const before = await countRows(client, tables);
    for (const statement of statements) await client.query(statement);
    if (end !== undefined) await lockAtLast(client, end.lock);
    for (const statement of end?.statements ?? []) await client.query(statement);
    after = await countRows(client, tables);
    const changed = tables.filter((it) => after[it] !== before[it]);
    if (changed.length > 0)
      throw new Error(changed.map((it) => `${it} had ${before[it]} rows and would have ${after[it]}`).join(", "));
  });
  return after;
}

const LAST_ATTEMPT_MS = 300;
const LAST_ATTEMPTS = 100;

/**
 * Locks tables for this transaction alone. A writer can wait for it while it has read another of the tables, and the two would wait for
 * each other. So the writers that wait are cancelled, as they would be after their time limit, and not
 * this transaction, which has copied all rows.
 */
async function lockAtLast(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query("SAVEPOINT before_lock");
  for (let attempt = 1; ; attempt++) {
    await client.query(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))",
    );
    try {
      await client.query(`SET LOCAL lock_timeout = ${LAST_ATTEMPT_MS}`);
      await client.query(`LOCK TABLE ${tables.join(", ")} IN ACCESS EXCLUSIVE MODE`);
      return;
    } catch (error) {
      const isBusy = isLockTimeout(error) || isSerializationFailure(error) || sqlState(error) === QUERY_CANCELED;
      if (!isBusy || attempt === LAST_ATTEMPTS) throw error;
      await client.query("ROLLBACK TO before_lock");
    }
  }
}
