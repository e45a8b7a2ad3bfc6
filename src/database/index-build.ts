import type { MigrationSession } from "./migration-session.ts";

const CLEAN_UP_MS = 1_000;
const IDENTIFIER = String.raw`(?:"[^"]+"|\w+)`;
const STATEMENT = new RegExp(
  String.raw`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?(${IDENTIFIER}) ON (?:ONLY )?(?:(${IDENTIFIER})\.)?[^;]+;?$`,
  "i",
);

/** The index that a script builds, if that is all it does, as CREATE INDEX CONCURRENTLY must be. Otherwise null. */
export function indexBuiltBy(sql: string): string | null {
  const code = sql.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
  const [, index, schema] = STATEMENT.exec(code) ?? [];
  if (index === undefined) return null;
  return schema === undefined ? index : `${schema}.${index}`;
}

/**
 * Builds an index outside a transaction, so that its table can be read and written meanwhile. It waits for transactions that are
 * older than the build, however long they take, because nobody waits for it. A build that was interrupted leaves an invalid
 * index, which IF NOT EXISTS would take for a good one: it is dropped and built again. A valid one stays, so an operator can
 * build a large index in advance.
 */
export async function buildIndex(session: MigrationSession, index: string, sql: string): Promise<void> {
  const { client, report } = session;
  const state = await stateOf(session, index);
  if (state === "valid") return;
  if (state === "invalid") report(`The index ${index} is invalid, because its build was interrupted; it is built again.`);
  await dropInvalid(session, index);
  try {
    await client.query(sql);
  } catch (error) {
    await cleanUp(session, index).catch(() => undefined);
    throw error;
  }
}

/** Drops what a failed build has left, because every write maintains it. If that takes too long, the next attempt does it. */
async function cleanUp(session: MigrationSession, index: string): Promise<void> {
  await session.client.query(`SET lock_timeout = ${CLEAN_UP_MS}`);
  try {
    await dropInvalid(session, index);
  } finally {
    await session.client.query("SET lock_timeout = 0");
  }
}

async function dropInvalid(session: MigrationSession, index: string): Promise<void> {
  if ((await stateOf(session, index)) === "invalid") await session.client.query(`DROP INDEX CONCURRENTLY ${index}`);
}

async function stateOf({ client }: MigrationSession, index: string): Promise<"missing" | "invalid" | "valid"> {
  const { rows } = await client.query<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)",
    [index],
  );
  if (rows[0] === undefined) return "missing";
  return rows[0].valid ? "valid" : "invalid";
}
