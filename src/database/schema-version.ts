import pg from "pg";
import { sqlState } from "./database-failure.ts";

type Asker = Pick<pg.Client, "query">;
type Version = { readonly version: number; readonly since: number | null };
const TABLE_MISSING = "42P01";

/** Says in the comment of that table since which version its schema works with the code. */
export async function recordCompatibility(client: Asker, schema: string, words: string, since: number): Promise<void> {
  await client.query(`COMMENT ON TABLE ${schema}.version IS ${pg.escapeLiteral(`${words} ${since} and later`)}`);
}

/** The version in the table `version` of a schema, and the number after `words` in its comment. Null without such a table or row. */
export async function readSchemaVersion(client: Asker, schema: string, words: string): Promise<Version | null> {
  const since = `substring(obj_description('${schema}.version'::regclass) FROM $1 || ' (\\d+)')::int AS since`;
  try {
    return (await client.query<Version>(`SELECT version, ${since} FROM ${schema}.version`, [words])).rows[0] ?? null;
  } catch (error) {
    if (sqlState(error) === TABLE_MISSING) return null;
    throw error;
  }
}
