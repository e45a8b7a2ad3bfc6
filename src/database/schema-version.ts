import type pg from "pg";
import { sqlState } from "./database-failure.ts";

type Version = { readonly version: number; readonly since: number | null };
const TABLE_MISSING = "42P01";

/** The version in the table `version` of a schema, and the number after `words` in its comment. Null without such a table or row. */
export async function readSchemaVersion(
  client: Pick<pg.Client, "query">,
  schema: string,
  words: string,
): Promise<Version | null> {
  const since = `substring(obj_description('${schema}.version'::regclass) FROM $1 || ' (\\d+)')::int AS since`;
  try {
    return (await client.query<Version>(`SELECT version, ${since} FROM ${schema}.version`, [words])).rows[0] ?? null;
  } catch (error) {
    if (sqlState(error) === TABLE_MISSING) return null;
    throw error;
  }
}
