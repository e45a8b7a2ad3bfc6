import pg from "pg";
import { StartupError } from "../../util/startup-error.ts";
import type { Place } from "../table.ts";
import { functionOfCoordinator, localFunctions, readTables, type Index, type TableState } from "./catalogue.ts";
import { settingSteps } from "./settings.ts";
import { defaultShards } from "./sharding.ts";
import type { Step } from "./step.ts";

/** Each table of the service with its place, in the order in which they are distributed. */
export type Places = readonly (readonly [table: string, place: Place])[];

/** How many shards each table gets, by default two for each node that can have some, and the limit of the service on its statements. */
export type Distribution = { readonly shards?: number | undefined; readonly statementTimeoutSeconds?: number };

type Target = TableState & { readonly column: string; readonly beforeInsert?: string | undefined };

/**
 * The steps that are missing, in order. Each says what it needs from the catalogue, so an interrupted run can go on. A group of which no
 * table is distributed gets so many shards.
 */
export async function pendingSteps(
  client: pg.Client,
  places: Places,
  { shards, statementTimeoutSeconds }: Distribution = {},
): Promise<Step[]> {
  const tables = await readTables(
    client,
    places.map(([name]) => name),
  );
  const missing = places.map(([name]) => name).filter((name) => !tables.has(name));
  if (missing.length > 0) throw new StartupError(`This database has no table ${missing.join(", ")}; run npm run migrate first.`);
  const at = (wanted: Place) => places.filter(([, place]) => place === wanted).map(([name]) => tables.get(name)!);
  const groups = Map.groupBy(places, ([, place]) => (typeof place === "object" ? place.group : ""));
  groups.delete("");
  const shardCount = shards ?? (await defaultShards(client));
  const schema = (await client.query<{ name: string }>("SELECT quote_ident(current_schema()) AS name")).rows[0]!.name;
  return [
    ...(await settingSteps(client, statementTimeoutSeconds)),
    ...at("reference").flatMap((table) => referenceSteps(table, at("coordinator"), related([...tables.values()]))),
    // A statement of the service calls them on the node of its rows.
    ...functionSteps(await localFunctions(client)),
    ...[...groups].flatMap(([group, members]) => {
      const all = members.map(([name, place]) => {
        const { shard: column, beforeInsert } = place as Exclude<Place, string>;
        return { ...tables.get(name)!, column, beforeInsert };
      });
      return groupSteps(group, all, { schema, shards: shardCount, related: related([...tables.values()]) });
    }),
    ...(await placedFunctionSteps(client, places)),
  ];
}

/** Functions that run on the node of the rows that they change, in place of the coordinator. */
async function placedFunctionSteps(client: pg.Client, places: Places): Promise<Step[]> {
  const steps: Step[] = [];
  for (const [table, place] of places) {
    if (typeof place !== "object" || place.runs === undefined) continue;
    const [name, argument] = place.runs;
    const missing = await functionOfCoordinator(client, name);
    if (missing === undefined) continue;
    const given = [missing, argument].map(pg.escapeLiteral).join(", ");
    const statement = `SELECT create_distributed_function(${given}, colocate_with => ${pg.escapeLiteral(table)})`;
    steps.push({ title: `${name} on the node of its rows`, tables: [], statements: [statement] });
  }
  return steps;
}

function functionSteps(functions: readonly string[]): Step[] {
  const statements = functions.map((it) => `SELECT create_distributed_function(${pg.escapeLiteral(it)})`);
  return statements.length === 0 ? [] : [{ title: "functions on every node", tables: [], statements }];
}

/**
 * Citus would manage each table of the coordinator that refers to a reference table, and refuse some of its triggers and statements.
 * It doesn't if the foreign key leads to the copy of the reference table on the coordinator, which is as good.
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

/** Removes the rows that Citus leaves on the coordinator after it has copied them. */
const withoutCopy = ({ name }: TableState) => `SELECT truncate_local_data_after_distributing_table(${pg.escapeLiteral(name)})`;

/** The tables with a foreign key, and those that one leads to: Citus locks them for a reference table, but not copies of another one. */
function related(tables: readonly TableState[]): string[] {
  const names = new Set(tables.map((it) => it.name));
  const linked = tables.filter((it) => it.foreignKeys.length > 0);
  return [...new Set(linked.flatMap((it) => [it.name, ...it.foreignKeys.map(({ to }) => to)]).filter((it) => names.has(it)))];
}

/** The schema of the tables that take the places of those of a group. Only the step that fills them sees it. */
const NEW = "distributing";

/**
 * The rows of a group are copied to new tables, which are distributed, while all read the old ones, and writes wait. The new tables then
 * take the places and the names of the old ones, for which reads wait, too. All of it is one transaction.
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
      // A reader of a view has locked it before its tables. To drop a foreign key, PostgreSQL locks the table that it leads to, and Citus
      // others with a foreign key to that one. A writer that waits for this step can have any of them.
      end: { lock: [...new Set([...related, ...views.keys(), ...names])], statements: end },
    },
  ];
}

const besideTable = (name: string) => `colocate_with => ${pg.escapeLiteral(name)}`;

/** Makes a table that is distributed beside another one, or as the first of its group, and copies the rows. */
const newTable = (table: Target, beside: string): string[] => [
  `CREATE TABLE ${NEW}.${table.name} (LIKE ${table.name} INCLUDING ALL EXCLUDING INDEXES)`,
  `SELECT create_distributed_table(${[`${NEW}.${table.name}`, table.column].map(pg.escapeLiteral).join(", ")}, ${beside})`,
  `INSERT INTO ${NEW}.${table.name} SELECT * FROM ${table.name}`,
  // An index is built sooner at once than row by row.
  ...table.constraints.map(
    ({ name, definition }) => `ALTER TABLE ${NEW}.${table.name} ADD CONSTRAINT ${name} ${newConstraint(table, definition)}`,
  ),
  ...table.indexes.map((index) => newIndex(table, index)),
  ...(table.owner === null ? [] : [`ALTER TABLE ${NEW}.${table.name} OWNER TO ${table.owner}`]),
  ...table.grants.map(({ right, to }) => `GRANT ${right} ON ${NEW}.${table.name} TO ${to}`),
];

/** The foreign keys of a table, to the new tables with these names, or to others. */
const newForeignKeys = (
  { name: table, column, foreignKeys }: Target,
  names: readonly string[],
  isMember: (name: string) => boolean,
): string[] =>
  foreignKeys.map(({ name, to, definition }) => {
    const there = names.includes(to) ? definition.replace(`REFERENCES ${to}(`, `REFERENCES ${NEW}.${to}(`) : definition;
    // A row can't move to another node, so the key that places it can't follow another one.
    const isPlace = isMember(to) || definition.startsWith(`FOREIGN KEY (${column})`);
    return `ALTER TABLE ${NEW}.${table} ADD CONSTRAINT ${name} ${isPlace ? there.replace(" ON UPDATE CASCADE", "") : there}`;
  });

const newTriggers = ({ name: table, triggers, beforeInsert: it }: Target): string[] => [
  ...triggers.map(({ definition }) => definition),
  ...(it === undefined ? [] : [`CREATE TRIGGER ${it} BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${it}()`]),
];

/** A primary key without the column of the shard is replaced by one that begins with it. */
function newConstraint({ column }: Target, definition: string): string {
  const [, columns] = /^PRIMARY KEY \((.*)\)$/.exec(definition) ?? [];
  return columns === undefined || columns.split(", ").includes(column) ? definition : `PRIMARY KEY (${column}, ${columns})`;
}

/** A unique key without the column of the shard, which no node could check alone, is replaced by one that begins with it. */
function newIndex({ name: table, column }: Target, { columns, isKey, definition }: Index): string {
  if (!isKey || columns.includes(column)) return definition.replace(/ ON \S+ USING /, ` ON ${NEW}.${table} USING `);
  const wanted = [column, ...columns];
  return `CREATE UNIQUE INDEX ${[table, ...wanted, "key"].join("_")} ON ${NEW}.${table} (${wanted.join(", ")})`;
}
