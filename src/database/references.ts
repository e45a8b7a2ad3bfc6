import { transaction, type Db, type Tx } from "./client.ts";
import type { Snapshot } from "./snapshot.ts";

/** A column that refers to a table. */
export type Reference = { readonly table: string; readonly column: string };
type Column = Reference & { readonly schema: string; readonly type: string };
/** The number of rows of a column that contain an id. */
export type Mention = Reference & { readonly rows: number };
type Query = Snapshot["query"];

/** The columns of the live schema with a foreign key to the `id` of a table; on Citus, of its copy such as `users_102008`. */
export const findForeignKeysTo = (query: Query, table: string) =>
  query<Reference>(
    `SELECT c.relname AS table, a.attname AS column
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_class target ON target.oid = k.confrelid AND regexp_replace(target.relname, '_\\d+$', '') = $1
    JOIN pg_attribute id ON id.attrelid = k.confrelid AND id.attname = 'id'
    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[array_position(k.confkey, id.attnum)]
    WHERE k.contype = 'f' AND k.conparentid = 0`,
    [table],
  );

/** Every column of the live schema that can contain an id. */
export const findColumnsForIds = (query: Query) =>
  query<Column>(`
    SELECT n.nspname AS schema, c.relname AS table, a.attname AS column, t.typname AS type
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%'
      AND t.typname IN ('uuid', '_uuid', 'text', '_text', 'varchar', '_varchar', 'bpchar', 'json', 'jsonb')
    ORDER BY 1, 2, a.attnum`);

/** Counts the rows of each column with an id, as a UUID or within a text or JSON. Reads each table once. */
export async function countRowsWithId(query: Query, columns: readonly Column[], id: string): Promise<readonly Mention[]> {
  const mentions: Mention[] = [];
  for (const [table, of] of Map.groupBy(columns, (it) => `${quoted(it.schema)}.${quoted(it.table)}`)) {
    const counts = of.map(({ column, type }, index) => {
      const contains = type === "uuid" ? `${quoted(column)} = $1::uuid` : `strpos(${quoted(column)}::text, $1::uuid::text) > 0`;
      return `count(*) FILTER (WHERE ${contains})::int AS "${index}"`;
    });
    const [row] = await query<Record<string, number>>(`SELECT ${counts.join(", ")} FROM ${table}`, [id]);
    for (const [index, { schema, table: name, column }] of of.entries())
      mentions.push({ table: schema === "public" ? name : `${schema}.${name}`, column, rows: row![index]! });
  }
  return mentions;
}

/** A query for rows as JSON: those of a table whose `column` is $1, without `omitted` columns. */
export const rowsAsJson = (table: string, column: string, omitted: readonly string[]) =>
  `SELECT (to_jsonb(t) - ARRAY[${omitted.map((it) => `'${it}'`).join(", ")}]::text[])::text AS row
  FROM ${quoted(table)} t WHERE ${quoted(column)} = $1::uuid`;

/**
 * Deletes a batch of rows whose `column` is `id`, and calls `after` for each in the same transaction. Uses an index of the column, if there
 * is one, because the planner can underestimate a scan of the table.
 */
export const deleteRows = (
  db: Db,
  { table, column }: Reference,
  id: string,
  batch: number,
  after: ((tx: Tx, rowId: string) => Promise<void>) | null,
): Promise<number> =>
  transaction(db, async (tx) => {
    await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
    const key = `(${(await primaryKeyOf(tx, table)).map(quoted).join(", ")})`;
    const text = `DELETE FROM ${quoted(table)} WHERE ${key} IN (
      SELECT ${key.slice(1, -1)} FROM ${quoted(table)} WHERE ${quoted(column)} = $1::uuid LIMIT $2)`;
    if (after === null) return tx.$executeRawUnsafe(text, id, batch);
    const deleted = await tx.$queryRawUnsafe<{ id: string }[]>(`${text} RETURNING id::text`, id, batch);
    for (const row of deleted) await after(tx, row.id);
    return deleted.length;
  });

async function primaryKeyOf(tx: Tx, table: string): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ name: string }[]>`
    SELECT attname::text AS name FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
    WHERE indrelid = ${table}::regclass AND indisprimary`;
  return rows.map(({ name }) => name);
}

/** Whether one of these columns contains an id. */
export async function hasRows(tx: Tx, references: readonly Reference[], id: string): Promise<boolean> {
  const each = references.map(
    ({ table, column }) => `EXISTS (SELECT 1 FROM ${quoted(table)} WHERE ${quoted(column)} = $1::uuid)`,
  );
  const [row] = await tx.$queryRawUnsafe<{ any: boolean }[]>(`SELECT ${each.join(" OR ")} AS any`, id);
  return row!.any;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
