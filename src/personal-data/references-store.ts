import type { Snapshot } from "../database/snapshot.ts";

/** A column that refers to users. */
export type Reference = { readonly table: string; readonly column: string };

/**
 * Columns without a foreign key, which would cost each request with a key a lookup, and each event a lookup and new entries in all
 * indexes, and what can outlive its user. A test finds a column that is missing here.
 */
const WITHOUT_FOREIGN_KEY: readonly Reference[] = [
  { table: "audit_entries", column: "user_id" },
  { table: "idempotency_keys", column: "user_id" },
  { table: "kept_objects", column: "owner_id" },
  { table: "notifications", column: "actor_id" },
];

/** Every column of the live schema that refers to users, so that a new table cannot be forgotten. */
export async function findReferences({ query }: Pick<Snapshot, "query">): Promise<readonly Reference[]> {
  const keyed = await query<Reference>(`
    SELECT c.relname AS table, a.attname AS column
    FROM pg_constraint k
    JOIN pg_class c ON c.oid = k.conrelid
    JOIN pg_attribute id ON id.attrelid = k.confrelid AND id.attname = 'id'
    JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[array_position(k.confkey, id.attnum)]
    WHERE k.contype = 'f' AND k.confrelid = 'users'::regclass AND k.conparentid = 0`);
  return [{ table: "users", column: "id" }, ...keyed, ...WITHOUT_FOREIGN_KEY].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

export const nameOf = ({ table, column }: Reference) => `${table}.${column}`;

/** What users write themselves. If another user's text contains the id of a user, that is not a row of the user. */
export const WRITTEN_BY_USERS: readonly string[] = [
  "public.conversations.title",
  "public.messages.body",
  "public.notifications.body",
  "public.notifications.title",
  "public.partial_uploads.name",
  "public.posts.body",
  "public.posts.title",
  "public.short_urls.target_url",
  "public.users.display_name",
  "public.video_uploads.name",
];

type Column = { readonly schema: string; readonly table: string; readonly column: string; readonly type: string };
/** How many rows of a column contain the id of a user. */
export type Mention = Reference & { readonly rows: number };

/**
 * Counts, for every column of every table that can contain an id, the rows with the id of a user: columns of UUIDs, and texts
 * and JSON that contain it. It reads all tables, and derives them from the live schema.
 */
export async function countMentions({ query }: Pick<Snapshot, "query">, userId: string): Promise<readonly Mention[]> {
  const columns = await query<Column>(`
    SELECT n.nspname AS schema, c.relname AS table, a.attname AS column, t.typname AS type
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_type t ON t.oid = a.atttypid
    WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%'
      AND t.typname IN ('uuid', '_uuid', 'text', '_text', 'varchar', '_varchar', 'bpchar', 'json', 'jsonb')
    ORDER BY 1, 2, a.attnum`);
  const checked = columns.filter((it) => !WRITTEN_BY_USERS.includes(`${it.schema}.${it.table}.${it.column}`));
  const mentions: Mention[] = [];
  for (const [table, of] of Map.groupBy(checked, (it) => `${quoted(it.schema)}.${quoted(it.table)}`)) {
    const counts = of.map(({ column, type }, index) => {
      const contains = type === "uuid" ? `${quoted(column)} = $1::uuid` : `strpos(${quoted(column)}::text, $1::uuid::text) > 0`;
      return `count(*) FILTER (WHERE ${contains})::int AS "${index}"`;
    });
    const [row] = await query<Record<string, number>>(`SELECT ${counts.join(", ")} FROM ${table}`, [userId]);
    for (const [index, { schema, table: name, column }] of of.entries())
      mentions.push({ table: schema === "public" ? name : `${schema}.${name}`, column, rows: row![index]! });
  }
  return mentions;
}

/** Columns that no copy of a user's data contains, with the reasons. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "notifications.actor_id": "in notifications of other users, about what this user did; the messages themselves are copied",
  "audit_entries.host": "about an operator",
  "audit_entries.operator": "about an operator",
  "api_keys.secret_hash": "a secret of the service: the hash of an API key",
  "idempotency_keys.fingerprint": "a hash of a request, which tells nothing about the user",
};

/** The rows that refer to a user by one column, as JSON. */
export function rowsOf({ rows }: Pick<Snapshot, "rows">, { table, column }: Reference, userId: string) {
  const omitted = Object.keys(LEFT_OUT).filter((it) => it.startsWith(`${table}.`));
  const names = omitted.map((it) => `'${it.slice(table.length + 1)}'`);
  return rows<{ row: string }>(
    `SELECT (to_jsonb(t) - ARRAY[${names.join(", ")}]::text[])::text AS row FROM ${quoted(table)} t WHERE ${quoted(column)} = $1::uuid`,
    [userId],
  );
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
