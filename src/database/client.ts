import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient, type Prisma } from "#generated/prisma/client.ts";
import type { Config } from "../config.ts";
import { StartupError } from "../util/startup-error.ts";
import { isSerializationFailure, reasonOf } from "./database-failure.ts";
import { prepareSession, SessionClient, STATEMENT_TIMEOUT_MAX_SECONDS, withClient } from "./session.ts";

/** Can open a transaction. Only services use it; stores take a `Tx`. */
export type Db = PrismaClient;
/** Runs queries, inside or outside a transaction. It is the first parameter of every store function. */
export type Tx = Prisma.TransactionClient;

/** Prisma, and its pool for statements in SQL. */
export type Connections = { readonly db: Db; readonly pool: pg.Pool };
export type Database = Connections & { close(): Promise<void> };

// No timeout is shorter than an inner one (client 30 s, query, transaction, statement, lock), so an error names its cause.
const CONNECT_TIMEOUT_MS = 3_000;
/** Added to the statement timeout of PostgreSQL, for a connection that is lost. */
const RESPONSE_TIMEOUT_MS = 2_000;
const TRANSACTION_TIMEOUT_MS = 10_000;

type PoolSettings = Pick<Config, "DATABASE_POOL_SIZE"> &
  Partial<Pick<Config, "DATABASE_POOL_TIMEOUT_SECONDS" | "DATABASE_STATEMENT_TIMEOUT_SECONDS" | "PREPARED_STATEMENTS">> & {
    /** How long the server can send nothing during a query. */
    readonly readTimeoutMs?: number;
  };

/** Connects to PostgreSQL and prepares its sessions. Throws a StartupError if the database cannot be used. */
export async function connect(databaseUrl: string, config: PoolSettings, log: (error: Error) => void): Promise<Database> {
  const database = openDatabase(databaseUrl, config, log);
  try {
    await database.pool.query("SELECT 1");
  } catch (error) {
    await database.close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `The database at ${URL.parse(databaseUrl)?.host ?? "DATABASE_URL, which is not a valid URL,"} cannot be used: ${reasonOf(error)}.`,
      { cause: error },
    );
  }
  return database;
}

/** Opens a database. It connects at the first use. */
export function openDatabase(databaseUrl: string, config: PoolSettings, log: (error: Error) => void): Database {
  const { DATABASE_POOL_SIZE: max, DATABASE_POOL_TIMEOUT_SECONDS: seconds = 3, PREPARED_STATEMENTS: named = "auto" } = config;
  const { DATABASE_STATEMENT_TIMEOUT_SECONDS: statementTimeoutSeconds = STATEMENT_TIMEOUT_MAX_SECONDS } = config;
  const waitMs = seconds * 1_000;
  const readTimeoutMs = config.readTimeoutMs ?? statementTimeoutSeconds * 1_000 + RESPONSE_TIMEOUT_MS;
  // The pool awaits this result, although its type declares void.
  const onConnect: (client: pg.ClientBase) => unknown = async (client) => {
    await prepareSession(client, { named, timeoutMs: waitMs, statementTimeoutSeconds });
    if (client instanceof SessionClient) client.limitReads(readTimeoutMs);
  };
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "plumbline",
    Client: SessionClient,
    onConnect,
  });
  pool.on("error", log);
  const db = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: createStatementNames() }),
    transactionOptions: { maxWait: waitMs, timeout: TRANSACTION_TIMEOUT_MS },
  });
  const close = async () => {
    await db.$disconnect();
    if (!pool.ended) await pool.end();
  };
  return { db, pool, close };
}

/** A limit, because each session stores the plan of every named statement, and lists of values have many texts. */
const STATEMENT_NAMES_MAX = 100;

/** Names the statements of Prisma, so that each session plans them once. The first texts get the names. */
function createStatementNames(): (query: { readonly sql: string; readonly args: readonly unknown[] }) => string {
  const names = new Map<string, string>();
  return ({ sql, args }) => {
    // A statement without parameters, such as COMMIT, needs no plan.
    if (args.length > 0 && !names.has(sql) && names.size < STATEMENT_NAMES_MAX) names.set(sql, `prisma_${names.size}`);
    // The adapter accepts a statement without a name, although its type does not say so.
    return names.get(sql) as string;
  };
}

// No two databases have this table with the same oid and the same time of the first migration.
const IDENTIFY = `SELECT current_database() AS name, '_prisma_migrations'::regclass::oid AS table_id,
  (SELECT min(started_at)::text FROM _prisma_migrations) AS first`;

/** The identity of a database, which its replicas share. */
export async function databaseIdentity(runner: pg.Pool | pg.Client): Promise<string> {
  return JSON.stringify((await runner.query(IDENTIFY)).rows);
}

/** Throws a StartupError unless `otherUrl`, for migrations, and `pool`, for queries, lead to the same database. */
export async function refuseOtherDatabase(pool: pg.Pool, otherUrl: string): Promise<void> {
  await withClient({ connectionString: otherUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }, async (other) => {
    const [here, there] = [await databaseIdentity(pool).catch(() => null), await databaseIdentity(other)];
    if (here !== there) throw new StartupError("DATABASE_URL and DIRECT_DATABASE_URL lead to different databases.");
  });
}

const ATTEMPTS = 4;

/** Runs `work` in one transaction. Retries it after a serialization failure or a deadlock. */
export async function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.$transaction(work);
    } catch (error) {
      if (attempt === ATTEMPTS || !isSerializationFailure(error)) throw error;
      await new Promise((done) => setTimeout(done, Math.random() * 20 * 2 ** attempt));
    }
  }
}
