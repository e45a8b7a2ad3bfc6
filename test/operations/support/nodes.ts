import { openSession } from "../../support/database.ts";
import type { PostgresNode } from "../../support/postgres-nodes.ts";

// Reads what is on this node alone. Citus hides shards, and a distributed table would be read on all nodes.
const OWN_TABLES = `SELECT c.oid::regclass::text AS name FROM pg_class c
  WHERE c.relkind = 'r' AND c.relnamespace IN ('public'::regnamespace, to_regnamespace('pgboss'))
    AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)`;

/** The rows of one node of a cluster that contain a text, each with the name of its table or shard. */
export async function rowsOnNode({ url }: PostgresNode, text: string): Promise<string[]> {
  await using session = await openSession(url, { options: "-c citus.override_table_visibility=off" });
  const { rows: tables } = await session.query<{ name: string }>(OWN_TABLES);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await session.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t WHERE strpos(t::text, $1) > 0`, [
      text,
    ]);
    found.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return found;
}
