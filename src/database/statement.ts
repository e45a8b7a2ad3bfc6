import type pg from "pg";

/** A statement that PostgreSQL prepares once per session, under its name. */
export type Statement = { readonly name: string; readonly text: string };

/**
 * Runs one statement on the pool, without Prisma, and returns its rows. For the queries that run most often. The functions
 * of `database-failure.ts` understand its errors.
 */
export type RunStatement = <Row>(statement: Statement, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Runs statements on `pool`, which Prisma uses too. */
export function createRunStatement(pool: pg.Pool): RunStatement {
  return async <Row>({ name, text }: Statement, values: readonly unknown[]) => {
    const { rows } = await pool.query<Row & pg.QueryResultRow>({ name, text, values: [...values] });
    return rows;
  };
}
