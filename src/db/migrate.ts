import { readFileSync } from "node:fs";
import pg from "pg";
export async function applyMigrations(url: string): Promise<string[]> {
  const c = new pg.Client({ connectionString: url }); await c.connect();
  try { const { rows } = await c.query("select to_regclass('public.users') t"); if (rows[0].t === null) await c.query(readFileSync(new URL("../../prisma/migrations/20261121000000_init/migration.sql", import.meta.url), "utf8")); } finally { await c.end(); }
  return [];
}
