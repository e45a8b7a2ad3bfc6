import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import ts from "typescript";
import { StartupError } from "../../../src/util/startup-error.ts";

const SRC = join(import.meta.dirname, "../../../src");

/** The groups of the tables that a relation stands for: its own, or those that a view reads. None for a table that each node has. */
export type GroupsOf = (relation: string) => ReadonlyMap<string, string>;

/** Reads the groups from the `tables.ts` of the areas, and the views from the database. */
export async function readGroups(client: pg.Client): Promise<GroupsOf> {
  const distributions = new Map(
    globSync("*/tables.ts", { cwd: SRC }).flatMap((it) => distributionsIn(readFileSync(join(SRC, it), "utf8"))),
  );
  const { rows } = await client.query<{ view: string; tables: string[] }>(
    `SELECT view_name AS view, array_agg(table_name::text) AS tables FROM information_schema.view_table_usage
     WHERE view_schema = 'public' GROUP BY view_name`,
  );
  const views = new Map(rows.map(({ view, tables }) => [view, tables]));
  const groupsOf: GroupsOf = (relation) => {
    const tables = views.get(relation);
    if (tables !== undefined) return new Map(tables.flatMap((it) => [...groupsOf(it)]));
    const distribution = relation.startsWith("pgboss.") ? "coordinator" : distributions.get(relation);
    return new Map(distribution === undefined || distribution === "reference" ? [] : [[relation, distribution]]);
  };
  return groupsOf;
}

/** the group or the distribution of each table in the text of a `tables.ts`, which can't be imported: it imports what is being generated. */
function distributionsIn(text: string): (readonly [table: string, distribution: string])[] {
  const constants = new Map<string, ts.Expression>();
  for (const statement of ts.createSourceFile("tables.ts", text, ts.ScriptTarget.Latest).statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name) && initializer !== undefined) constants.set(name.text, initializer);
  }
  const valueOf = (it: ts.Expression): ts.Expression => {
    if (ts.isSatisfiesExpression(it)) return valueOf(it.expression);
    return ts.isIdentifier(it) ? valueOf(constants.get(it.text)!) : it;
  };
  const entriesOf = (it: ts.Expression) =>
    (valueOf(it) as ts.ObjectLiteralExpression).properties.filter(ts.isPropertyAssignment).map((entry) => {
      return [(entry.name as ts.Identifier).text, entry.initializer] as const;
    });
  return entriesOf(constants.get("tables")!).map(([table, declared]) => {
    const distribution = entriesOf(declared).find(([name]) => name === "distribution");
    if (distribution === undefined) return [table, "coordinator"];
    const value = valueOf(distribution[1]);
    const group = ts.isStringLiteral(value) ? value : valueOf(entriesOf(value).find(([name]) => name === "group")![1]);
    return [table, (group as ts.StringLiteral).text];
  });
}

/** Throws if a part of a statement that Citus plans as one names tables of two groups, which are on different nodes. */
export function requireOneGroup(where: string, text: string, groupsOf: GroupsOf): void {
  for (const part of partsOf(text)) {
    const [first, ...others] = part.flatMap((it) => [...groupsOf(it)]);
    const other = others.find(([, group]) => group !== first![1]);
    if (other === undefined) continue;
    throw new StartupError(
      `${where} names ${other[0]} (${described(other[1])}) beside ${first![0]} (${described(first![1])}). On a cluster, their rows are on different nodes, and Citus doesn't join them, nor read one of them in a subquery for the other. Read one of them in a second statement by ids, such as "WHERE id = ANY (:ids)". src/STATEMENTS.md, "Tables of two groups", says what else works.`,
    );
  }
}

const described = (group: string) => (group === "coordinator" ? "on the coordinator" : `group ${group}`);

const TOKEN = /'(?:[^']|'')*'|"[^"]*"|[A-Za-z_][\w.]*|\S/g;
const OF_FROM = ["FROM", "JOIN", "USING"];
const BEFORE_TABLE = [...OF_FROM, "INTO", "UPDATE", "ONLY"];
const OTHER_CLAUSES = ["SELECT", "ON", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "OFFSET", "SET", "VALUES", "RETURNING"];
const QUERIES = ["SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "("];
const SET_OPERATIONS = ["UNION", "INTERSECT", "EXCEPT"];

/**
 * The relations that each part of a statement names. Citus plans apart, and one after the other: each WITH, each subquery in FROM unless
 * it is LATERAL, each side of a UNION, and what an INSERT selects. Other subqueries belong to the part in which they stand.
 */
function partsOf(text: string): string[][] {
  const tokens = text.match(TOKEN)!;
  const upper = tokens.map((it) => it.toUpperCase());
  const parts: string[][] = [];
  const begin = () => parts[parts.push([]) - 1]!;
  let at = 0;
  /** Reads to the end of the bracket. At the start of a query, its first bracket can be one side of a UNION. */
  const read = (given: string[], start: "query" | "expression"): void => {
    let [part, clause] = [given, upper[at] === "WITH" ? "WITH" : start];
    for (const first = at; at < tokens.length && tokens[at] !== ")"; at++) {
      const [token, before] = [upper[at]!, at === first ? "" : upper[at - 1]!];
      if (token === "(") {
        const isQuery = QUERIES.includes(upper[++at]!);
        const isApart =
          (clause === "WITH" && ["AS", "MATERIALIZED"].includes(before)) ||
          (OF_FROM.includes(clause) && [...OF_FROM, ","].includes(before)) ||
          (["query", ...SET_OPERATIONS].includes(clause) && ["", "ALL", ...SET_OPERATIONS].includes(before));
        read(isQuery && isApart ? begin() : part, isQuery && isApart ? "query" : "expression");
      } else if (SET_OPERATIONS.includes(token) || (token === "SELECT" && clause === "INTO")) {
        [part, clause] = [begin(), token];
      } else if ([...BEFORE_TABLE, ...OTHER_CLAUSES].includes(token) && before !== "DISTINCT") clause = token;
      else if (BEFORE_TABLE.includes(before) || (before === "," && OF_FROM.includes(clause)))
        if (upper[at + 1] !== "(" || clause === "INTO") part.push(tokens[at]!);
    }
  };
  read(begin(), "query");
  return parts;
}
