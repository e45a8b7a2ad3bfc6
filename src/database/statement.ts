import { types } from "node:util";
import pg from "pg";
import type { Tx } from "./client.ts";

/** Runs a statement: on any connection of the pool, or, more slowly, in a transaction of Prisma. */
export type Runner = pg.Pool | Tx;

/** Runs a named prepared statement, so that each session plans it only once. Without parameters, `P` is void. */
export type Statement<P, Result> = (runner: Runner, parameters: P) => Promise<Result>;

/** The output of `npm run generate` for a statement of a `.sql` file. An instant is an RFC 3339 string in UTC. */
export type Generated<P, Row, Text = string> = {
  readonly name: string;
  readonly text: Text;
  values(parameters: P): unknown[];
  row(columns: unknown[]): Row;
};

/** All rows. */
export function many<P, Row>({ name, text, values, row }: Generated<P, Row>): Statement<P, Row[]> {
  // pg copies the own properties of a query each time, but not inherited ones.
  const query = Object.create({ name, text, rowMode: "array", types: PARSERS }) as pg.QueryArrayConfig;
  return async (runner, parameters) => {
    const args = values(parameters);
    if (!("$queryRawUnsafe" in runner)) return (await runner.query<unknown[]>(query, args)).rows.map(row);
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
export function affectedRows<P>({ name, text, values }: Omit<Generated<P, never>, "row">): Statement<P, number> {
  const query = Object.create({ name, text }) as pg.QueryConfig;
  return async (runner, parameters) => {
    const args = values(parameters);
    if ("$executeRawUnsafe" in runner) return runner.$executeRawUnsafe(text, ...args);
    return (await runner.query(query, args)).rowCount ?? 0;
  };
}

const INT8: number = pg.types.builtins.INT8;
const TIMESTAMPTZ: number = pg.types.builtins.TIMESTAMPTZ;
const parserOf = pg.types.getTypeParser as (oid: number, format?: string) => (text: string) => unknown;
export const PARSERS: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: string) =>
    oid === TIMESTAMPTZ ? toInstant : oid === INT8 ? Number : parserOf(oid, format),
};

/** Converts `2026-11-22 05:00:00.1+00`, the form of a session in UTC, to `2026-11-22T05:00:00.100Z`. */
export function toInstant(text: string): string {
  const time = text.slice(11, -3);
  return `${text.slice(0, 10)}T${(time.length === 8 ? `${time}.` : time).padEnd(12, "0")}Z`;
}

export function fromPrisma(value: unknown): unknown {
  if (types.isDate(value)) return value.toISOString();
  return typeof value === "bigint" ? Number(value) : value;
}
