import pg from "pg";
import { StartupError } from "../../util/startup-error.ts";
import type { Place } from "../table.ts";
import { localFunctions, readTables, type TableState } from "./catalogue.ts";

/** Each table of the service with its place, in the order in which they are distributed. */
export type Places = readonly (readonly [table: string, place: Place])[];

/** What is done in one transaction. The rows of its tables are locked and counted. */
export type Step = { readonly title: string; readonly tables: readonly string[]; readonly statements: readonly string[] };

/** They serve processes of release 1.0.0, which never run on a distributed database. */
export const TRIGGERS_FOR_1_0_0: readonly string[] = [
  "name_actor_of_message",
  "list_member_in",
  "list_member_out",
  "leave_muted_alone",
  "count_click_day",
];
/** The settings of the coordinator. */
const SETTINGS: readonly (readonly [title: string, name: string, value: string])[] = [
  // Citus refuses triggers on distributed tables without it. Those of the service change only rows on the same node.
  ["the setting that allows triggers", "citus.enable_unsafe_triggers", "on"],
  // A worker that hangs accepts connections and doesn't answer. For 30 s, requests for its rows would hold what all others need.
  ["the limit of a connection to a worker", "citus.node_connection_timeout", "1500ms"],
];
/** That of the sessions of the service, which Citus doesn't pass on: a statement waits for a lock on the node of its rows. */
const LOCK_TIMEOUT = "5s";

type Target = TableState & { readonly column: string };

/** The steps that are missing, in order. Each says what it needs from the catalogue, so an interrupted run can go on. */
export async function pendingSteps(client: pg.Client, places: Places): Promise<Step[]> {
  const tables = await readTables(
    client,
    places.map(([name]) => name),
  );
  const missing = places.map(([name]) => name).filter((name) => !tables.has(name));
  if (missing.length > 0) throw new StartupError(`This database has no table ${missing.join(", ")}; run npm run migrate first.`);
  const at = (wanted: Place) => places.filter(([, place]) => place === wanted).map(([name]) => tables.get(name)!);
  const groups = Map.groupBy(places, ([, place]) => (typeof place === "object" ? place.group : ""));
  groups.delete("");
  const database = pg.escapeIdentifier(client.database!);
  const steps = [
    ...triggerSteps([...tables.values()]),
    ...(await settingSteps(client, database)),
    ...(await lockTimeoutSteps(client, database)),
    ...at("reference").flatMap((table) => referenceSteps(table, at("coordinator"))),
    ...[...groups].flatMap(([group, members]) => {
      const all = members.map(([name, place]) => ({ ...tables.get(name)!, column: (place as { shard: string }).shard }));
      return groupSteps(group, all);
    }),
  ];
  const functions = await localFunctions(client);
  if (functions.length > 0) {
    const statements = functions.map((it) => `SELECT create_distributed_function(${pg.escapeLiteral(it)})`);
    steps.push({ title: "functions on every node", tables: [], statements });
  }
  return steps;
}

function triggerSteps(tables: readonly TableState[]): Step[] {
  const statements = tables.flatMap(({ name: table, triggers }) =>
    triggers.filter(({ name }) => TRIGGERS_FOR_1_0_0.includes(name)).map(({ name }) => `DROP TRIGGER ${name} ON ${table}`),
  );
  return statements.length === 0 ? [] : [{ title: "triggers for release 1.0.0", tables: [], statements }];
}

async function settingSteps(client: pg.Client, database: string): Promise<Step[]> {
  const { rows } = await client.query<{ value: string }>("SELECT current_setting(unnest($1::text[])) AS value", [
    SETTINGS.map(([, name]) => name),
  ]);
  return SETTINGS.filter(([, , value], n) => rows[n]!.value !== value).map(([title, name, value]) => {
    const set = `${name} = ${pg.escapeLiteral(value)}`;
    return { title, tables: [], statements: [`ALTER DATABASE ${database} SET ${set}`, `SET ${set}`] };
  });
}

/**
 * Makes a request that waits for another one end as it does on one server. A step of its own, because the one before has changed the
 * same row of each worker until its end. A node that is added later lacks it.
 */
async function lockTimeoutSteps(client: pg.Client, database: string): Promise<Step[]> {
  const onWorkers = (statement: string) => `SELECT * FROM run_command_on_workers(${pg.escapeLiteral(statement)})`;
  const { rows } = await client.query<{ result: string }>(
    onWorkers(`SELECT EXISTS (SELECT FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
      WHERE datname = current_database() AND 'lock_timeout=${LOCK_TIMEOUT}' = ANY (setconfig))`),
  );
  if (rows.every((it) => it.result === "t")) return [];
  const alter = `ALTER DATABASE ${database} SET lock_timeout = '${LOCK_TIMEOUT}'`;
  const statement = onWorkers(`DO $$ BEGIN SET LOCAL citus.enable_ddl_propagation = off; ${alter}; END $$`);
  return [{ title: "the lock timeout of the workers", tables: [], statements: [statement] }];
}

/**
 * Citus would manage each table of the coordinator that refers to a reference table, and refuse some of its triggers and statements.
 * It doesn't if the foreign key leads to the copy of the reference table on the coordinator, which is as good.
 */
function referenceSteps(table: TableState, ofCoordinator: readonly TableState[]): Step[] {
  const { name: target, kind } = table;
  const keys = ofCoordinator.flatMap(({ name, foreignKeys }) =>
    foreignKeys.filter(({ to }) => to === target).map((key) => ({ table: name, ...key })),
  );
  if (kind === "reference" && keys.length === 0) return [];
  const statements = [
    ...keys.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    ...(kind === "reference" ? [] : [`SELECT create_reference_table(${pg.escapeLiteral(target)})`, withoutCopy(table)]),
    ...keys.map(({ table, name, definition }) => {
      const [before, after] = definition.split(`REFERENCES ${target}(`) as [string, string];
      const key = pg.escapeLiteral(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${before}REFERENCES %s(${after}`);
      const copy = `(SELECT shard_name(logicalrelid, shardid) FROM pg_dist_shard WHERE logicalrelid = '${target}'::regclass)`;
      return `DO $do$ BEGIN EXECUTE format(${key}, ${copy}); END $do$`;
    }),
  ];
  return [{ title: `${target} on every node`, tables: [target, ...new Set(keys.map((it) => it.table))], statements }];
}

/** A group is distributed in one transaction, so the foreign keys and triggers that it lacks meanwhile are never lost. */
function groupSteps(group: string, members: readonly Target[]): Step[] {
  const missing = members.filter(({ kind }) => kind !== "distributed");
  if (missing.length === 0) return [];
  const isMember = (name: string) => members.some((it) => it.name === name);
  const keys = missing.flatMap(({ name, column, foreignKeys }) =>
    foreignKeys.filter(({ to }) => isMember(to)).map((key) => ({ table: name, column, ...key })),
  );
  const triggers = missing
    .flatMap(({ name, triggers }) => triggers.map((it) => ({ table: name, ...it })))
    .filter(({ name }) => !TRIGGERS_FOR_1_0_0.includes(name));
  const first = members.find(({ kind }) => kind === "distributed") ?? missing[0]!;
  const statements = [
    ...keys.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
    // They would run for each row that moves.
    ...triggers.map(({ table, name }) => `DROP TRIGGER ${name} ON ${table}`),
    ...missing.flatMap(uniqueKeys),
    ...missing.map((it) => {
      const beside = it.name === first.name ? "none" : first.name;
      return `SELECT create_distributed_table(${[it.name, it.column].map(pg.escapeLiteral).join(", ")}, colocate_with => ${pg.escapeLiteral(beside)})`;
    }),
    ...missing.map(withoutCopy),
    // A row can't move to another node, so its key can't follow another one.
    ...keys.map(
      ({ table, name, definition }) =>
        `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition.replace(" ON UPDATE CASCADE", "")}`,
    ),
    ...triggers.map(({ definition }) => definition),
  ];
  return [{ title: `tables by ${group}`, tables: missing.map(({ name }) => name), statements }];
}

/** Replaces unique keys without the column of the shard, which no node could check alone, by keys that begin with it. */
const uniqueKeys = ({ name, column, keys }: Target): string[] =>
  keys
    .filter(({ columns }) => !columns.includes(column))
    .flatMap(({ name: old, columns }) => {
      const wanted = [column, ...columns];
      return [`CREATE UNIQUE INDEX ${[name, ...wanted, "key"].join("_")} ON ${name} (${wanted.join(", ")})`, `DROP INDEX ${old}`];
    });

/** Removes the rows that Citus leaves on the coordinator after it has copied them. */
const withoutCopy = ({ name }: TableState) => `SELECT truncate_local_data_after_distributing_table(${pg.escapeLiteral(name)})`;
