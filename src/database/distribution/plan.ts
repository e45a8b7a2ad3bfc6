import pg from "pg";
import { StartupError } from "../../util/startup-error.ts";
import type { Distribution } from "../table.ts";
import { functionOfCoordinator, localFunctions, readTables, type Index, type TableState } from "./catalogue.ts";
import { settingSteps } from "./settings.ts";
import { defaultShards } from "./sharding.ts";
import type { Step } from "./step.ts";

/** Each table of the service with its distribution, in the order of the steps. */
export type TableDistributions = readonly (readonly [table: string, distribution: Distribution])[];

/** `shards` is the number of shards of each table, by default two for each node. */
export type DistributionOptions = { readonly shards?: number | undefined; readonly statementTimeoutSeconds?: number };

type Target = TableState & { readonly column: string; readonly beforeInsert?: string | undefined };

/** The missing steps, in order. They are derived from the catalogue, so an interrupted run can continue. `shards` applies to new groups. */
export async function pendingSteps(
  client: pg.Client,
  distributions: TableDistributions,
  { shards, statementTimeoutSeconds }: DistributionOptions = {},
): Promise<Step[]> {
  const tables = await readTables(
    client,
    distributions.map(([name]) => name),
  );
  const missing = distributions.map(([name]) => name).filter((name) => !tables.has(name));
  if (missing.length > 0) throw new StartupError(`This database has no table ${missing.join(", ")}; run npm run migrate first.`);
  const withKind = (kind: Distribution) => distributions.filter(([, it]) => it === kind).map(([name]) => tables.get(name)!);
  const groups = Map.groupBy(distributions, ([, it]) => (typeof it === "object" ? it.group : ""));
  groups.delete("");
  const shardCount = shards ?? (await defaultShards(client));
  const schema = (await client.query<{ name: string }>("SELECT quote_ident(current_schema()) AS name")).rows[0]!.name;
  return [
    ...(await settingSteps(client, statementTimeoutSeconds)),
    ...withKind("reference").flatMap((table) => referenceSteps(table, withKind("coordinator"), related([...tables.values()]))),
    // Statements of the service call them on the node of their rows.
    ...functionSteps(await localFunctions(client)),
    ...[...groups].flatMap(([group, members]) => {
      const all = members.map(([name, distribution]) => {
        const { shard: column, beforeInsert } = distribution as Exclude<Distribution, string>;
        return { ...tables.get(name)!, column, beforeInsert };
      });
      return groupSteps(group, all, { schema, shards: shardCount, related: related([...tables.values()]) });
    }),
    ...(await distributedFunctionSteps(client, distributions)),
  ];
}

/** Functions that run on the node of the rows that they change, instead of on the coordinator. */
async function distributedFunctionSteps(client: pg.Client, distributions: TableDistributions): Promise<Step[]> {
  const steps: Step[] = [];
  for (const [table, distribution] of distributions) {
    if (typeof distribution !== "object" || distribution.distributedFunction === undefined) continue;
    const [name, argument] = distribution.distributedFunction;
    const missing = await functionOfCoordinator(client, name);
    if (missing === undefined) continue;
    const args = [missing, argument].map(pg.escapeLiteral).join(", ");
    const statement = `SELECT create_distributed_function(${args}, colocate_with => ${pg.escapeLiteral(table)})`;
    steps.push({ title: `${name} on the node of its rows`, tables: [], statements: [statement] });
  }
  return steps;
}

function functionSteps(functions: readonly string[]): Step[] {
  const statements = functions.map((it) => `SELECT create_distributed_function(${pg.escapeLiteral(it)})`);
  return statements.length === 0 ? [] : [{ title: "functions on every node", tables: [], statements }];
}

/**
 * Citus would manage each coordinator table with a foreign key to a reference table, and refuse some triggers and statements. So the
 * foreign key refers to the copy of the reference table on the coordinator.
 */
function referenceSteps(table: TableState, ofCoordinator: readonly TableState[], locked: readonly string[]): Step[] {
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
  const lock = { tables: locked, mode: "ACCESS EXCLUSIVE" } as const;
  return [{ title: `${target} on every node`, tables: [target, ...new Set(keys.map((it) => it.table))], lock, statements }];
}

/** Removes the rows that Citus leaves on the coordinator after the copy. */
const withoutCopy = ({ name }: TableState) => `SELECT truncate_local_data_after_distributing_table(${pg.escapeLiteral(name)})`;

/** The tables at both ends of foreign keys. Citus locks them when it makes a reference table. */
function related(tables: readonly TableState[]): string[] {
  const names = new Set(tables.map((it) => it.name));
  const linked = tables.filter((it) => it.foreignKeys.length > 0);
  return [...new Set(linked.flatMap((it) => [it.name, ...it.foreignKeys.map(({ to }) => to)]).filter((it) => names.has(it)))];
}

/** The schema of the new tables of a group. It exists only within the transaction of a step. */
const NEW = "distributing";

/**
 * Copies the rows of a group to new, distributed tables, and then replaces the old tables, in one transaction. Writes wait during the copy,
 * and reads only during the replacement.
 */
function groupSteps(
  group: string,
  members: readonly Target[],
  { schema, shards, related }: { schema: string; shards: number; related: readonly string[] },
): Step[] {
  const missing = members.filter(({ kind }) => kind !== "distributed");
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  const distributed = members.find(({ kind }) => kind === "distributed");
  const beside = ({ name }: Target) => {
    if (distributed !== undefined) return besideTable(distributed.name);
    return name === names[0] ? `colocate_with => 'none', shard_count => ${shards}` : besideTable(`${NEW}.${names[0]}`);
  };
  const isMember = (name: string) => members.some((it) => it.name === name);
  const views = new Map(missing.flatMap((table) => table.views.map(({ name, definition }) => [name, definition])));
  const statements = [
    `CREATE SCHEMA ${NEW}`,
    // A foreign key to a reference table needs it.
    "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
    ...missing.flatMap((table) => newTable(table, beside(table))),
    ...missing.flatMap((table) => newForeignKeys(table, names, isMember)),
  ];
  const end = [
    `SET LOCAL search_path = ${NEW}, ${schema}`,
    ...[...views].map(([name, definition]) => `CREATE OR REPLACE VIEW ${schema}.${name} AS ${definition.replace(/;$/, "")}`),
    `SET LOCAL search_path = ${schema}`,
    `DROP TABLE ${names.join(", ")}`,
    ...names.map((name) => `ALTER TABLE ${NEW}.${name} SET SCHEMA ${schema}`),
    ...missing.flatMap(newTriggers),
    `DROP SCHEMA ${NEW}`,
  ];
  return [
    {
      title: `tables by ${group}`,
      tables: names,
      lock: { tables: names, mode: "SHARE ROW EXCLUSIVE" },
      statements,
      // A reader locks a view before its tables. To drop a foreign key, PostgreSQL locks the referenced table, and Citus locks all tables
      // that refer to it. A writer that waits for this step can hold any of these locks.
      end: { lock: [...new Set([...related, ...views.keys(), ...names])], statements: end },
    },
  ];
}

const besideTable = (name: string) => `colocate_with => ${pg.escapeLiteral(name)}`;

/** Creates a distributed table, colocated with the other tables of its group, and copies the rows. */
const newTable = (table: Target, beside: string): string[] => [
  `CREATE TABLE ${NEW}.${table.name} (LIKE ${table.name} INCLUDING ALL EXCLUDING INDEXES)`,
  `SELECT create_distributed_table(${[`${NEW}.${table.name}`, table.column].map(pg.escapeLiteral).join(", ")}, ${beside})`,
  `INSERT INTO ${NEW}.${table.name} SELECT * FROM ${table.name}`,
  // Indexes are created after the copy, because that is faster than row by row.
  ...table.constraints.map(
    ({ name, definition }) => `ALTER TABLE ${NEW}.${table.name} ADD CONSTRAINT ${name} ${newConstraint(table, definition)}`,
  ),
  ...table.indexes.map((index) => newIndex(table, index)),
  ...(table.owner === null ? [] : [`ALTER TABLE ${NEW}.${table.name} OWNER TO ${table.owner}`]),
  ...table.grants.map(({ right, to }) => `GRANT ${right} ON ${NEW}.${table.name} TO ${to}`),
];

/** The foreign keys of a table, to the new tables in `names`, or to other tables. */
const newForeignKeys = (
  { name: table, column, foreignKeys }: Target,
  names: readonly string[],
  isMember: (name: string) => boolean,
): string[] =>
  foreignKeys.map(({ name, to, definition }) => {
    const there = names.includes(to) ? definition.replace(`REFERENCES ${to}(`, `REFERENCES ${NEW}.${to}(`) : definition;
    // A row can't move to another node, so its distribution column can't be updated.
    const isShardKey = isMember(to) || definition.startsWith(`FOREIGN KEY (${column})`);
    return `ALTER TABLE ${NEW}.${table} ADD CONSTRAINT ${name} ${isShardKey ? there.replace(" ON UPDATE CASCADE", "") : there}`;
  });

const newTriggers = ({ name: table, triggers, beforeInsert: it }: Target): string[] => [
  ...triggers.map(({ definition }) => definition),
  ...(it === undefined ? [] : [`CREATE TRIGGER ${it} BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${it}()`]),
];

/** Citus requires the distribution column in a primary key, so it is added as the first column. */
function newConstraint({ column }: Target, definition: string): string {
  const [, columns] = /^PRIMARY KEY \((.*)\)$/.exec(definition) ?? [];
  return columns === undefined || columns.split(", ").includes(column) ? definition : `PRIMARY KEY (${column}, ${columns})`;
}

/** The same for a unique index, which no node could check alone. */
function newIndex({ name: table, column }: Target, { columns, isKey, definition }: Index): string {
  if (!isKey || columns.includes(column)) return definition.replace(/ ON \S+ USING /, ` ON ${NEW}.${table} USING `);
  const wanted = [column, ...columns];
  return `CREATE UNIQUE INDEX ${[table, ...wanted, "key"].join("_")} ON ${NEW}.${table} (${wanted.join(", ")})`;
}
