import type pg from "pg";

/** The catalogue entries of a table to distribute. Definitions are statements that create the object again. */
export type TableState = {
  /** The name as in statements, quoted if necessary. */
  readonly name: string;
  readonly kind: "ordinary" | "local" | "reference" | "distributed";
  readonly indexes: readonly Index[];
  /** Constraints with an index, such as the primary key. */
  readonly constraints: readonly { readonly name: string; readonly definition: string }[];
  /** Foreign keys from this table to others. */
  readonly foreignKeys: readonly { readonly name: string; readonly to: string; readonly definition: string }[];
  readonly triggers: readonly { readonly name: string; readonly definition: string }[];
  /** Views on this table. */
  readonly views: readonly { readonly name: string; readonly definition: string }[];
  /** The owner, if it is not the current user. */
  readonly owner: string | null;
  readonly grants: readonly { readonly right: string; readonly to: string }[];
};

/** An index without a constraint. `isKey` is true if it is unique, and has neither a condition nor expressions. */
export type Index = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isKey: boolean;
  readonly definition: string;
};

/** The catalogue of Citus exists only after CREATE EXTENSION. */
export async function hasCitus(client: pg.Client): Promise<boolean> {
  return (await client.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'")).rows.length > 0;
}

const READ_TABLES = `SELECT c.relname AS plain, c.oid::regclass::text AS name,
    CASE WHEN p.logicalrelid IS NULL THEN 'ordinary' WHEN p.partmethod = 'h' THEN 'distributed'
      WHEN p.repmodel = 't' THEN 'reference' ELSE 'local' END AS kind,
    coalesce((SELECT json_agg(json_build_object('name', i.indexrelid::regclass::text, 'columns',
        ARRAY(SELECT quote_ident(attname) FROM unnest(i.indkey) WITH ORDINALITY AS k (n, ordinal)
          JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = n ORDER BY ordinal),
        'isKey', i.indisunique AND i.indexprs IS NULL AND i.indpred IS NULL, 'definition', pg_get_indexdef(i.indexrelid)) ORDER BY 1)
      FROM pg_index i WHERE i.indrelid = c.oid
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype IN ('p', 'u', 'x'))), '[]') AS indexes,
    coalesce((SELECT json_agg(json_build_object('name', quote_ident(conname), 'definition', pg_get_constraintdef(oid)) ORDER BY conname)
      FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('p', 'u', 'x')), '[]') AS constraints,
    coalesce((SELECT json_agg(json_build_object('name', quote_ident(conname), 'to', confrelid::regclass::text,
        'definition', pg_get_constraintdef(oid)) ORDER BY conname)
      FROM pg_constraint WHERE conrelid = c.oid AND contype = 'f'), '[]') AS "foreignKeys",
    coalesce((SELECT json_agg(json_build_object('name', quote_ident(tgname), 'definition', pg_get_triggerdef(oid)) ORDER BY tgname)
      FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal AND tgname !~ '^truncate_trigger_\\d+$'), '[]') AS triggers,
    coalesce((SELECT json_agg(DISTINCT jsonb_build_object('name', v.oid::regclass::text, 'definition', pg_get_viewdef(v.oid)))
      FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class AND v.relkind = 'v'
      WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid), '[]') AS views,
    (SELECT quote_ident(rolname) FROM pg_roles WHERE oid = c.relowner AND rolname <> current_user) AS owner,
    coalesce((SELECT json_agg(json_build_object('right', privilege_type,
        'to', coalesce((SELECT quote_ident(rolname) FROM pg_roles WHERE oid = grantee), 'PUBLIC') ||
          CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) ORDER BY 1)
      FROM aclexplode(c.relacl) WHERE grantee <> c.relowner), '[]') AS grants
  FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname = ANY ($1)`;

/** The state of the tables that exist, by name. */
export async function readTables(client: pg.Client, names: readonly string[]): Promise<ReadonlyMap<string, TableState>> {
  const { rows } = await client.query<TableState & { plain: string }>(READ_TABLES, [names]);
  return new Map(rows.map(({ plain, ...state }) => [plain, state]));
}

/** The condition for functions that each node has. `jobs_of` reads the job queue, which is on the coordinator alone. */
export const IS_ON_EVERY_NODE = "proname <> 'jobs_of'";

/** The functions of the service that the other nodes lack, with their arguments. */
export async function localFunctions(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
      AND ${IS_ON_EVERY_NODE}
      AND NOT EXISTS (SELECT FROM pg_dist_object o WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid)
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
      ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** A function that runs on the coordinator, with its arguments; undefined if it runs on the node of its rows. */
export async function functionOfCoordinator(client: pg.Client, name: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace AND proname = $1
      AND NOT EXISTS (SELECT FROM pg_dist_object o
        WHERE o.classid = 'pg_proc'::regclass AND o.objid = p.oid AND o.distribution_argument_index IS NOT NULL)`,
    [name],
  );
  return rows[0]?.name;
}

export async function countRows(client: pg.Client, tables: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of tables)
    counts[table] = Number((await client.query<{ count: string }>(`SELECT count(*) FROM ${table}`)).rows[0]!.count);
  return counts;
}
