import pg from "pg";
import { administer, createTestDatabase } from "./database.ts";
import type { LoadService } from "./environment.ts";
import { startTestService, type TestService } from "./service.ts";

/** A node of a plan as `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)` writes it. */
type Node = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly Node[];
};

/** A statement that was run, those of triggers and cascades among them, and what it cost. */
export type Statement = {
  readonly sql: string;
  readonly plan: Node;
  /** The most rows that one node of the plan took up, those that it threw away included. */
  readonly rows: number;
  /** Pages of tables and indexes that the statement touched. */
  readonly buffers: number;
  readonly ms: number;
};

/** What one request cost the database. */
export type Cost = { readonly statements: number; readonly rows: number; readonly buffers: number; readonly ms: number };

export type Bounds = {
  /** Rows that one step of one statement may take up: a few times the page. */
  readonly rowsMax: number;
  /** Pages that all statements of the request together may touch. */
  readonly buffersMax: number;
};

export type PlannedService = TestService & {
  /** The statements that the service sends while `work` runs. */
  statementsOf<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly statements: readonly Statement[] }>;
  /**
   * Throws, with the statement and its plan, when one reads a big table as a whole, sorts more than `rowsMax` or goes
   * beyond the bounds; returns what they cost together.
   */
  expectBounded(statements: readonly Statement[], bounds?: Bounds): Cost;
};

/** For a page of 20: a few rows for each entry, and the few pages that lead to each. */
const OF_A_PAGE: Bounds = { rowsMax: 250, buffersMax: 1_000 };
const BIG_TABLE_ROWS = 10_000;
/** In Postgres's own words of `auto_explain`, sent to the client instead of the log: no file to find and to wait for. */
const EXPLAIN_ALL = {
  session_preload_libraries: "auto_explain",
  "auto_explain.log_min_duration": "0",
  "auto_explain.log_analyze": "on",
  "auto_explain.log_buffers": "on",
  "auto_explain.log_timing": "off",
  "auto_explain.log_nested_statements": "on",
  "auto_explain.log_format": "json",
  "auto_explain.log_level": "notice",
};

/**
 * The real service on a database that `fill` has filled by SQL, and that tells the plan of each statement as it was run.
 * `fill` runs without foreign keys being checked, so that a million rows take seconds; `VACUUM ANALYZE` follows it.
 */
export async function startPlannedService(
  fill: (run: (sql: string, values?: readonly unknown[]) => Promise<void>) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<PlannedService> {
  const database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("SET session_replication_role = replica; SET maintenance_work_mem = '256MB'");
  const makeIndexes = await dropIndexes(client);
  await fill(async (sql, values = []) => void (await client.query(sql, [...values])));
  await makeIndexes();
  await client.query("VACUUM ANALYZE");
  const { rows: big } = await client.query<{ relname: string }>(
    "SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples > $1",
    [BIG_TABLE_ROWS],
  );
  await client.end();
  await administer(
    database.url,
    ...Object.entries(EXPLAIN_ALL).map(([setting, value]) => `ALTER DATABASE ${name} SET ${setting} = '${value}'`),
  );
  const heard = await listenToPlans();
  const service = await startTestService(settings, database);
  const bigTables = new Set(big.map((it) => it.relname));
  return {
    ...service,
    async statementsOf(work) {
      heard.length = 0;
      const result = await work();
      return { result, statements: heard.splice(0).map(statementOf) };
    },
    expectBounded: (statements, bounds = OF_A_PAGE) => expectBounded(statements, bounds, bigTables),
  };
}

/** Drops every index that no constraint needs; what it returns makes them again, faster than rows one by one would. */
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

/** Collects the notices of every connection that the service makes from now on; the queue's and our own are left out. */
async function listenToPlans(): Promise<string[]> {
  const heard: string[] = [];
  // The driver that the service has loaded is not the one of this file.
  const { Client } = (await (globalThis as unknown as { loadService: LoadService }).loadService()).pg;
  const { connect } = Client.prototype;
  Client.prototype.connect = function (this: pg.Client, ...given: unknown[]) {
    const { application_name: application } = (this as unknown as { connectionParameters: { application_name?: string } })
      .connectionParameters;
    if (application === "plumbline") this.on("notice", ({ message }) => message?.startsWith("duration:") && heard.push(message));
    return (connect as (...args: unknown[]) => unknown).apply(this, given);
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
    buffers: (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0),
    ms: Number(duration),
  };
}

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
  if (statements.length === 0) throw new Error("No plan was heard of; does the service speak to this database at all?");
  for (const statement of statements) {
    for (const node of nodesOf(statement.plan)) {
      const relation = node["Relation Name"];
      if (node["Node Type"] === "Seq Scan" && relation !== undefined && bigTables.has(relation) && node["Actual Loops"] > 0)
        refuse(`It reads all of ${relation}.`, statement);
      // A sort that ends early has still taken up all of its input.
      const sorted = Math.max(0, ...(node.Plans ?? []).map(rowsOf));
      if (/Sort/.test(node["Node Type"]) && sorted > rowsMax) refuse(`It sorts ${sorted} rows.`, statement);
    }
    if (statement.rows > rowsMax) refuse(`A step of it takes up ${statement.rows} rows; ${rowsMax} are allowed.`, statement);
  }
  const sum = (of: (it: Statement) => number) => statements.reduce((total, it) => total + of(it), 0);
  const dearest = statements.toSorted((a, b) => b.buffers - a.buffers)[0]!;
  const buffers = sum((it) => it.buffers);
  if (buffers > buffersMax) refuse(`The request touches ${buffers} pages; ${buffersMax} are allowed. The dearest:`, dearest);
  return { statements: statements.length, rows: Math.max(...statements.map((it) => it.rows)), buffers, ms: sum((it) => it.ms) };
}
