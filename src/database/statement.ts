import { types } from "node:util";
import type pg from "pg";
import type { Tx } from "./client.ts";
import { parserOfColumn, type ColumnType } from "./column-types.ts";
import { StatementQuery, type Prepared } from "./statement-query.ts";

/** Runs a statement: on any connection of the pool, or, more slowly, in a transaction of Prisma. */
export type Runner = pg.Pool | Tx;

/** Runs a named prepared statement, so that each session plans it only once. Without parameters, `P` is void. */
export type Statement<P, Result> = (runner: Runner, parameters: P) => Promise<Result>;

/** The output of `npm run generate` for a statement of a `.sql` file. An instant is an RFC 3339 string in UTC. */
export type Generated<P, Row, Text = string> = {
  readonly name: string;
  readonly text: Text;
  values(parameters: P): unknown[];
  readonly columns: readonly ColumnType[];
  row(columns: unknown[]): Row;
};

/** All rows. */
export function many<P, Row>({ name, text, values, columns, row }: Generated<P, Row>): Statement<P, Row[]> {
  const prepared = { name, text, parsers: columns.map(parserOfColumn), row };
  return async (runner, parameters) => {
    const args = values(parameters);
    if (!("$queryRawUnsafe" in runner)) return (await run(runner, prepared, args)).rows;
    const rows = await runner.$queryRawUnsafe<object[]>(text, ...args);
    return rows.map((it) => row(Object.values(it).map(fromPrisma)));
  };
}

/** The first row; null if there is none. */
export function one<P, Row>(statement: Generated<P, Row>): Statement<P, Row | null> {
  const run = many(statement);
  return async (runner, parameters) => (await run(runner, parameters))[0] ?? null;
}

/** The only row of a statement. */
export const exactlyOne = one as <P, Row>(statement: Generated<P, Row>) => Statement<P, Row>;

/** The number of rows that were written. */
export function affectedRows<P>({ name, text, values }: Omit<Generated<P, never>, "row" | "columns">): Statement<P, number> {
  const prepared = { name, text, parsers: [], row: () => undefined };
  return async (runner, parameters) => {
    const args = values(parameters);
    if ("$executeRawUnsafe" in runner) return runner.$executeRawUnsafe(text, ...args);
    return (await run(runner, prepared, args)).rowCount;
  };
}

/** The types of pg lack that a query which it did not make itself settles the promise with itself. */
const run = <Row>(pool: pg.Pool, prepared: Prepared<Row>, args: unknown[]) =>
  pool.query(new StatementQuery(prepared, args) as never) as unknown as Promise<StatementQuery<Row>>;

export function fromPrisma(value: unknown): unknown {
  if (types.isDate(value)) return value.toISOString();
  return typeof value === "bigint" ? Number(value) : value;
}
