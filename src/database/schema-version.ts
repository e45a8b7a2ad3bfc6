import pg from "pg";
import { sqlState } from "./database-failure.ts";

type Queryable = Pick<pg.Client, "query">;
type Version = { readonly version: number; readonly since: number | null };
const TABLE_MISSING = "42P01";

/** Records the oldest compatible code version in the comment of the table `version`. */
export async function recordCompatibility(client: Queryable, schema: string, label: string, since: number): Promise<void> {
  await client.query(`COMMENT ON TABLE ${schema}.version IS ${pg.escapeLiteral(`${label} ${since} and later`)}`);
}

/** The version in the table `version` of a schema, and the oldest compatible code version. Null without such a table or row. */
export async function readSchemaVersion(client: Queryable, schema: string, label: string): Promise<Version | null> {
  const since = `substring(obj_description('${schema}.version'::regclass) FROM $1 || ' (\\d+)')::int AS since`;
  try {
    return (await client.query<Version>(`SELECT version, ${since} FROM ${schema}.version`, [label])).rows[0] ?? null;
  } catch (error) {
    if (sqlState(error) === TABLE_MISSING) return null;
    throw error;
  }
}
