import type pg from "pg";

type Asker = Pick<pg.Client, "query">;
type Version = { readonly version: number; readonly since: number | null };

/**
 * The version of a schema that keeps it in a table `version`, and the number after `words` in the comment on that table. Null
 * without such a table or row.
 */
export async function readSchemaVersion(client: Asker, schema: string, words: string): Promise<Version | null> {
  const { rows } = await client.query<{ is_there: boolean }>("SELECT to_regclass($1) IS NOT NULL AS is_there", [
    `${schema}.version`,
  ]);
  if (!rows[0]!.is_there) return null;
  const found = await client.query<Version>(
    `SELECT version, substring(obj_description('${schema}.version'::regclass) FROM $1 || ' (\\d+)')::int AS since FROM ${schema}.version`,
    [words],
  );
  return found.rows[0] ?? null;
}

/** Replaces the comment on the table `version` of a schema. */
export async function recordCompatibility(client: Asker, schema: string, comment: string): Promise<void> {
  await client.query(`COMMENT ON TABLE ${schema}.version IS '${comment}'`);
}
