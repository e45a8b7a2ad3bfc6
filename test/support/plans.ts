import type pg from "pg";
import { readFunctions } from "../../src/database/functions.ts";
import { administer, createTestDatabase, openSession } from "./database.ts";
import type { LoadService } from "../jest/environment.ts";
import { startTestService, type TestService } from "./service.ts";

/** Settings of `auto_explain` for the plans of all statements, those of triggers included. */
const EXPLAIN_ALL = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_format": "json",
};

/** A node of a plan, as `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)` writes it. */
type Node = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Function Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly Node[];
};

/** A statement that was run, and its cost. Statements of triggers and cascades are included. */
export type Statement = {
  readonly sql: string;
  readonly plan: Node;
  /** The most rows that one node of the plan read, including those that it discarded. */
  readonly rows: number;
  /** Pages of tables and indexes that the statement read. */
  readonly buffers: number;
  readonly ms: number;
};

/** The cost of one request for the database. */
export type Cost = { readonly statements: number; readonly rows: number; readonly buffers: number; readonly ms: number };

export type Bounds = {
  /** Rows that one node of a plan can read: a few times the page size. */
  readonly rowsMax: number;
  /** Pages that all statements of the request can read. */
  readonly buffersMax: number;
};

export type PlannedService = TestService & {
  /** Runs `work`, and returns the statements that the service has sent for it. */
  statementsOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly statements: readonly Statement[] }>;
  /**
   * Throws an error with the statement and its plan if one reads a whole big table, sorts more than `rowsMax` rows or
   * exceeds the bounds. Returns the total cost.
   */
  expectBounded(statements: readonly Statement[], bounds?: Bounds): Cost;
};

/** For a page of 20: a few rows for each item, and a few pages to find each. */
const OF_A_PAGE: Bounds = { rowsMax: 250, buffersMax: 1_000 };
const BIG_TABLE_ROWS = 10_000;
/** Plans go to the client instead of the log, so the test need not find a file and wait for it. */
const TELL_CLIENT = { "auto_explain.log_level": "notice" };

/**
 * Starts the real service on a database that `fill` fills, and records the plan of each statement. `fill` runs without
 * checks of foreign keys, so that a million rows take seconds. `VACUUM ANALYZE` runs after it, and autovacuum doesn't.
 */
export async function startPlannedService(
  fill: (run: (sql: string, values?: readonly unknown[]) => Promise<void>) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<PlannedService> {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await using client = await openSession(database.url);
  await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '256MB'");
  const makeIndexes = await dropIndexes(client);
  await fill(async (sql, values = []) => void (await client.query(sql, [...values])));
  await makeIndexes();
  await client.query("VACUUM ANALYZE");
  await stopAutovacuum(client);
  const { rows: big } = await client.query<{ relname: string }>(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > $1",
    [BIG_TABLE_ROWS],
  );
  await administer(
    database.url,
    ...Object.entries({ ...EXPLAIN_ALL, ...TELL_CLIENT }).map(
      ([setting, value]) => `ALTER DATABASE ${name} SET ${setting} = '${value}'`,
    ),
  );
  const heard = await listenToNotices();
  const service = await startTestService(settings, database);
  const bigTables = new Set(big.map((it) => it.relname));
  return {
    ...service,
    async statementsOf(work) {
      heard.length = 0;
      const result = await work();
      const plans = heard.splice(0).filter(({ message }) => message.startsWith("duration:"));
      return { result, statements: plans.map(({ message }) => statementOf(message)) };
    },
    expectBounded: (statements, bounds = OF_A_PAGE) => expectBounded(statements, bounds, bigTables),
  };
}

/**
 * Autovacuum would decide how many pages a request reads: where new versions of rows have space, and whether it holds dead ones.
 */
async function stopAutovacuum(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  for (const { name } of rows) await client.query(`ALTER TABLE ${name} SET (autovacuum_enabled = off)`);
}

/** Drops every index that no constraint needs. Returns a function that creates them again, which is faster than row by row. */
async function dropIndexes(client: pg.Client): Promise<() => Promise<void>> {
  const { rows } = await client.query<{ name: string; definition: string }>(`
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
    WHERE relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`);
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  return async () => {
    for (const { definition } of rows) await client.query(definition);
  };
}

/** Collects the notices of all new connections of the service, except those of the queue and of the tests. */
export async function listenToNotices(): Promise<pg.DatabaseError[]> {
  const heard: pg.DatabaseError[] = [];
  // The service has loaded another copy of the driver than this file.
  const { Client } = (await (globalThis as unknown as { loadService: LoadService }).loadService()).pg;
  const { connect } = Client.prototype;
  Client.prototype.connect = function (this: pg.Client, ...parameters: unknown[]) {
    const { application_name: application } = (this as unknown as { connectionParameters: { application_name?: string } })
      .connectionParameters;
    if (application === "plumbline") this.on("notice", (notice) => void heard.push(notice as pg.DatabaseError));
    return (connect as (...args: unknown[]) => unknown).apply(this, parameters);
  } as typeof connect;
  return heard;
}

function statementOf(notice: string): Statement {
  const [, duration = "0"] = /^duration: ([\d.]+) ms/.exec(notice) ?? [];
  const { "Query Text": sql, Plan: plan } = JSON.parse(notice.slice(notice.indexOf("{"))) as { "Query Text": string; Plan: Node };
  return {
    sql,
    plan,
    rows: Math.max(...nodesOf(plan).map(rowsOf)),
    // The statements of a function are counted themselves.
    buffers: isCall(plan) ? 0 : (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
    ms: Number(duration),
  };
}

const FUNCTIONS = readFunctions().map(({ name }) => name);
/** Whether a statement only calls a function of the service. */
const isCall = (plan: Node) => plan["Node Type"] === "Function Scan" && FUNCTIONS.includes(plan["Function Name"] ?? "");

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

function rowsOf(node: Node): number {
  const removed =
    (node["Rows Removed by Filter"] ?? 0) +
    (node["Rows Removed by Join Filter"] ?? 0) +
    (node["Rows Removed by Index Recheck"] ?? 0);
  return Math.round((node["Actual Rows"] + removed) * node["Actual Loops"]);
}

function expectBounded(statements: readonly Statement[], { rowsMax, buffersMax }: Bounds, bigTables: ReadonlySet<string>): Cost {
  const refuse = (why: string, { sql, plan }: Statement): never => {
    throw new Error(`${why}\n${sql}\n${JSON.stringify(plan, null, 1)}`);
  };
  if (statements.length === 0) throw new Error("The database reported no plan. Does the service use this database?");
  for (const statement of statements) {
    for (const node of nodesOf(statement.plan)) {
      const relation = node["Relation Name"];
      if (node["Node Type"] === "Seq Scan" && relation !== undefined && bigTables.has(relation) && node["Actual Loops"] > 0)
        refuse(`It reads all of ${relation}.`, statement);
      // A sort that ends early has still read all of its input.
      const sorted = Math.max(0, ...(node.Plans ?? []).map(rowsOf));
      if (/Sort/.test(node["Node Type"]) && sorted > rowsMax) refuse(`It sorts ${sorted} rows.`, statement);
    }
    if (statement.rows > rowsMax) refuse(`A step of the plan reads ${statement.rows} rows; ${rowsMax} are allowed.`, statement);
  }
  const sum = (of: (it: Statement) => number) => statements.reduce((total, it) => total + of(it), 0);
  const dearest = statements.toSorted((a, b) => b.buffers - a.buffers)[0]!;
  const buffers = sum((it) => it.buffers);
  if (buffers > buffersMax)
    refuse(`The request reads ${buffers} pages; ${buffersMax} are allowed. The most expensive statement:`, dearest);
  return { statements: statements.length, rows: Math.max(...statements.map((it) => it.rows)), buffers, ms: sum((it) => it.ms) };
}
