import type pg from "pg";

/** A statement that PostgreSQL prepares once for each session, under its name. */
export type Statement = { readonly name: string; readonly text: string };

/**
 * Runs one statement by itself and returns its rows. It is for what is asked most: nothing stands between it and the pool.
 * Errors are those of the driver, which the functions of `database-failure.ts` understand.
 */
export type RunStatement = <Row>(statement: Statement, values: readonly unknown[]) => Promise<readonly Row[]>;

/** Runs statements on the connections of `pool`, the same ones that Prisma uses. */
export function createRunStatement(pool: pg.Pool): RunStatement {
  return async <Row>({ name, text }: Statement, values: readonly unknown[]) => {
    const { rows } = await pool.query<Row & pg.QueryResultRow>({ name, text, values: [...values] });
    return rows;
  };
}
