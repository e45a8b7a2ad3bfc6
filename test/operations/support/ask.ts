import type pg from "pg";
import { openSession } from "../../support/database.ts";

/** Runs statements in a session of their own, and returns the rows of all of them. */
export async function ask<Row extends pg.QueryResultRow>(url: string, ...statements: readonly string[]): Promise<Row[]> {
  await using session = await openSession(url);
  const rows: Row[] = [];
  // A text with several statements has several results.
  for (const statement of statements)
    for (const it of [(await session.query<Row>(statement)) as pg.QueryResult<Row> | pg.QueryResult<Row>[]].flat())
      rows.push(...it.rows);
  return rows;
}
