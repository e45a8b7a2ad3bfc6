import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { administer } from "../../support/database.ts";
import { EXPLAIN_ALL } from "../../support/explain-all.ts";
import { connect } from "../fixture.ts";
import type { startGenerator } from "../load-generator.ts";
import { median } from "../stats.ts";
import { OURS, startSubject, SUBJECTS } from "../subjects.ts";
import { writeFiles, type Data } from "./data.ts";
import { askForSeen, operationsOf, type Area, type Operation } from "./operations.ts";

// What each request makes PostgreSQL read, from the plans that `auto_explain` writes into the log of the server.

/** PostgreSQL takes a named statement's generic plan from the sixth execution on, if it takes it at all. */
const REPEATS = 10;
const COUNTED = 3;
const ATTEMPTS = 4;
const MARKER_TIMEOUT_MS = 30_000;

/** Settings of a server whose log this file can read: one JSON object per line, in a file of its own. */
export const LOG_SETTINGS = {
  logging_collector: "on",
  log_destination: "jsonlog",
  log_rotation_age: "0",
  log_rotation_size: "0",
} as const;

type Node = Readonly<Record<string, unknown>> & { readonly Plans?: readonly Node[] };
export type Statement = { readonly sql: string; readonly plan: Node };

/** What PostgreSQL does for one request. */
export type PlanCost = {
  readonly statements: number;
  /** Pages of tables and indexes. */
  readonly pages: number;
  /** Rows that the steps of the plans read, including those that they discard. */
  readonly rows: number;
  readonly removed: number;
  /** Searches in indexes. A larger index can have one more level, which is one more page for each search. */
  readonly searches: number;
  readonly plans: readonly Statement[];
};

/** The cost of each operation in one database, in the order of the operations. */
export async function explain(
  data: Data,
  areas: readonly Area[],
  generator: ReturnType<typeof startGenerator>,
): Promise<readonly PlanCost[]> {
  const name = new URL(data.databaseUrl).pathname.slice(1);
  const change = (setting: string) => administer(data.databaseUrl, `ALTER DATABASE ${name} ${setting}`);
  for (const [setting, value] of Object.entries(EXPLAIN_ALL)) await change(`SET ${setting} = '${value}'`);
  await using client = await connect(data.databaseUrl);
  await client.run("LOAD 'auto_explain'");
  await client.run("SET auto_explain.log_min_duration = -1");
  const indexes = await indexesOf(client);
  const log = await openLog(client);
  const service = await startSubject(
    SUBJECTS.find((it) => it.name === OURS)!,
    data.databaseUrl,
    {
      // So that each session soon has its generic plans.
      settings: { DATABASE_POOL_SIZE: "2", DATABASE_POOL_TIMEOUT_SECONDS: "30" },
      prepare: (dataDir) => writeFiles(data, dataDir),
    },
  );
  try {
    const costs: PlanCost[] = [];
    for (const operation of operationsOf(data, areas, await askForSeen(service.origin))) {
      const seen: PlanCost[] = [];
      for (let i = 0; i < REPEATS; i++) {
        const order = { origin: service.origin, requests: [operation.request(i)], connections: 1 };
        for (let attempt = 1; ; attempt++) {
          await log.statementsSince(name);
          const { failure } = await generator.send(order);
          if (failure === null) break;
          // A time-out of a busy machine; the plans of the next attempt are the same.
          if (attempt === ATTEMPTS) throw new Error(`${titleOf(operation)}, ${data.rows} rows: ${failure}`);
        }
        if (operation.settleMs !== undefined) await delay(operation.settleMs);
        seen.push(costOf(await log.statementsSince(name), indexes));
        for (const statement of operation.restore ?? []) await client.run(statement);
      }
      costs.push(middleOf(seen.slice(-COUNTED)));
    }
    return costs;
  } finally {
    await service.stop();
    await log.close();
    for (const setting of Object.keys(EXPLAIN_ALL)) await change(`RESET ${setting}`);
  }
}

export const titleOf = ({ area, name }: Pick<Operation, "area" | "name">) => `${area}: ${name}`;

const middleOf = (costs: readonly PlanCost[]) => costs.find((it) => it.pages === median(costs.map(({ pages }) => pages)))!;

type Client = Awaited<ReturnType<typeof connect>>;

async function indexesOf(client: Client): Promise<ReadonlyMap<string, number>> {
  const rows = await client.run(
    "SELECT relname::text AS name, count(*)::int AS n FROM pg_index JOIN pg_class ON pg_class.oid = indrelid GROUP BY 1",
  );
  return new Map(rows.map((it) => [it["name"] as string, it["n"] as number]));
}

/** Reads the log. A marker that is written after the request comes after its statements, because all sessions share one pipe. */
async function openLog(client: Client) {
  const [where] = await client.run("SELECT current_setting('data_directory') || '/' || pg_current_logfile('jsonlog') AS file");
  const file = await open(where!["file"] as string, "r");
  let position = (await file.stat()).size;
  let markers = 0;
  const read = async (): Promise<string> => {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - position), 0, size - position, position);
    return buffer.toString("utf8", 0, bytesRead);
  };
  return {
    close: () => file.close(),
    /** The statements that requests have caused since the last call. */
    async statementsSince(database: string): Promise<readonly Statement[]> {
      const marker = `the end of request ${process.pid}-${++markers}`;
      await client.run(`DO $$ BEGIN RAISE LOG '${marker}'; END $$`);
      const beganMs = performance.now();
      let text = await read();
      for (; !text.includes(marker) || !text.endsWith("\n"); text = await read()) {
        if (performance.now() - beganMs > MARKER_TIMEOUT_MS) throw new Error("The log of PostgreSQL does not grow.");
        await delay(2);
      }
      position += Buffer.byteLength(text);
      return text.split("\n").flatMap((line) => statementIn(line, database));
    },
  };
}

function statementIn(line: string, database: string): readonly Statement[] {
  if (!line.includes("duration: ")) return [];
  const entry = JSON.parse(line) as { dbname?: string; application_name?: string; message?: string };
  // The connections of the job queue and of the health check work in the background.
  if (entry.dbname !== database || entry.application_name !== "plumbline" || !entry.message?.startsWith("duration: ")) return [];
  const { message } = entry;
  const { "Query Text": sql, Plan: plan } = JSON.parse(message.slice(message.indexOf("{"))) as {
    "Query Text": string;
    Plan: Node;
  };
  return [{ sql, plan }];
}

const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
const sum = <T>(items: readonly T[], of: (it: T) => number) => items.reduce((total, it) => total + of(it), 0);
const numberIn = (node: Node, name: string) => Number(node[name] ?? 0);

const pagesOf = ({ plan }: Statement) => numberIn(plan, "Shared Hit Blocks") + numberIn(plan, "Shared Read Blocks");

function removedIn(node: Node): number {
  const perLoop = ["Filter", "Join Filter", "Index Recheck"].map((it) => numberIn(node, `Rows Removed by ${it}`));
  return Math.round(sum(perLoop, (it) => it) * numberIn(node, "Actual Loops"));
}

const rowsIn = (node: Node) => Math.round(numberIn(node, "Actual Rows") * numberIn(node, "Actual Loops"));

/** The searches of scans, and one in each index of a table for each row that is written. */
function searchesIn(node: Node, indexes: ReadonlyMap<string, number>): number {
  if (node["Node Type"] !== "ModifyTable")
    return Math.max(
      numberIn(node, "Index Searches"),
      /Index/.test(String(node["Node Type"])) ? numberIn(node, "Actual Loops") : 0,
    );
  const written = sum(node.Plans ?? [], (it) => rowsIn(it));
  return written * (indexes.get(String(node["Relation Name"])) ?? 1);
}

function costOf(plans: readonly Statement[], indexes: ReadonlyMap<string, number>): PlanCost {
  const nodes = plans.flatMap(({ plan }) => nodesOf(plan));
  return {
    statements: plans.length,
    pages: sum(plans, pagesOf),
    rows: sum(nodes, (it) => (it.Plans === undefined ? rowsIn(it) + removedIn(it) : 0)),
    removed: sum(nodes, removedIn),
    searches: sum(nodes, (it) => searchesIn(it, indexes)),
    plans,
  };
}
