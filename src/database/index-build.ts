import type { MigrationSession } from "./migration-session.ts";

const CLEAN_UP_MS = 1_000;
const IDENTIFIER = String.raw`(?:"[^"]+"|\w+)`;
const STATEMENT = new RegExp(
  String.raw`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?(${IDENTIFIER}) ON (?:ONLY )?(?:(${IDENTIFIER})\.)?[^;]+;?$`,
  "i",
);

/** The index of a script that is a single CREATE INDEX CONCURRENTLY. Otherwise null. */
export function indexBuiltBy(sql: string): string | null {
  const code = sql.replace(/--.*$/gm, "").replace(/\s+/g, " ").trim();
  const [, index, schema] = STATEMENT.exec(code) ?? [];
  if (index === undefined) return null;
  return schema === undefined ? index : `${schema}.${index}`;
}

/**
 * Builds an index outside a transaction, so that reads and writes of its table continue. It waits for older transactions without a timeout.
 * An invalid index of an interrupted build is dropped, because IF NOT EXISTS would accept it.
 * A valid index stays, so an operator can build a large index in advance.
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

/** Drops the index of a failed build, because every write would update it. After a timeout, the next attempt drops it. */
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
