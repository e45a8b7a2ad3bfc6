import pg from "pg";
import { lockTimeoutOf } from "../session.ts";
import type { Step } from "./step.ts";

/** The settings of the coordinator. */
const SETTINGS: readonly (readonly [title: string, name: string, value: string])[] = [
  // Citus otherwise refuses triggers on distributed tables. The triggers of the service change only rows on the same node.
  ["the setting that allows triggers", "citus.enable_unsafe_triggers", "on"],
  // A worker that hangs accepts connections and doesn't respond. With the default of 30 s, requests for its rows would exhaust the pool.
  ["the limit of a connection to a worker", "citus.node_connection_timeout", "1500ms"],
];

/** The steps that add missing settings to the coordinator and the workers. */
export async function settingSteps(client: pg.Client, statementTimeoutSeconds: number | undefined): Promise<Step[]> {
  const database = pg.escapeIdentifier(client.database!);
  return [
    ...(await coordinatorSteps(client, database)),
    ...(await lockTimeoutSteps(client, database, lockTimeoutOf(statementTimeoutSeconds))),
  ];
}

async function coordinatorSteps(client: pg.Client, database: string): Promise<Step[]> {
  const { rows } = await client.query<{ value: string }>("SELECT current_setting(unnest($1::text[])) AS value", [
    SETTINGS.map(([, name]) => name),
  ]);
  return SETTINGS.filter(([, , value], n) => rows[n]!.value !== value).map(([title, name, value]) => {
    const set = `${name} = ${pg.escapeLiteral(value)}`;
    return { title, tables: [], statements: [`ALTER DATABASE ${database} SET ${set}`, `SET ${set}`] };
  });
}

/**
 * Sets the lock timeout of the workers, because Citus doesn't pass the setting of the session to them. A separate step, because the
 * previous step has locked the same row of each worker. A node that is added later lacks it.
 */
async function lockTimeoutSteps(client: pg.Client, database: string, timeout: string): Promise<Step[]> {
  const onWorkers = (statement: string) => `SELECT * FROM run_command_on_workers(${pg.escapeLiteral(statement)})`;
  const { rows } = await client.query<{ result: string }>(
    onWorkers(`SELECT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE datname = current_database() AND 'lock_timeout=${timeout}' = ANY (setconfig))`),
  );
  if (rows.every((it) => it.result === "t")) return [];
  const alter = `ALTER DATABASE ${database} SET lock_timeout = '${timeout}'`;
  const statement = onWorkers(`DO $$ BEGIN SET LOCAL citus.enable_ddl_propagation = off; ${alter}; END $$`);
  return [{ title: "the lock timeout of the workers", tables: [], statements: [statement] }];
}
