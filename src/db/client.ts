import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import type { Prisma } from "#generated/prisma/client.ts";
import { PrismaClient } from "#generated/prisma/client.ts";
import { StartupError } from "../startup-error.ts";
import { isSerializationFailure } from "./database-failure.ts";

/** May open a transaction. Services hold it; stores never do. */
export type Db = PrismaClient;
/** Runs queries, in a transaction or not. Every store function takes one first. */
export type Tx = Prisma.TransactionClient;

export type Database = { readonly db: Db; readonly pool: pg.Pool; close(): Promise<void> };

// client 30 s > request > transaction > statement > lock: each outer limit outlives the inner one, so that the inner one speaks.
const CONNECT_TIMEOUT_MS = 3_000;
const QUERY_TIMEOUT_MS = 12_000;
const TRANSACTION_TIMEOUT_MS = 10_000;
const SESSION = {
  // The driver adapter reads instants wrongly in any other time zone.
  timezone: "UTC",
  statement_timeout: "10s",
  lock_timeout: "5s",
  // A host that vanishes in the middle of a transaction must not keep its locks until TCP notices.
  idle_in_transaction_session_timeout: "10s",
};

/** Connects to PostgreSQL and proves that the sessions are as we need them; a StartupError says in a sentence why not. */
export async function connect(databaseUrl: string, poolSize: number, log: (error: Error) => void): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "plumbline",
    options: Object.entries(SESSION)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(" "),
  });
  pool.on("error", log);
  const db = new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: CONNECT_TIMEOUT_MS, timeout: TRANSACTION_TIMEOUT_MS },
  });
  const close = async () => {
    await db.$disconnect();
    if (!pool.ended) await pool.end();
  };
  try {
    const { rows } = await pool.query<{ TimeZone: string }>("SHOW timezone");
    if (rows[0]?.TimeZone !== "UTC")
      throw new StartupError(
        `The database session runs in time zone ${rows[0]?.TimeZone}; it must be UTC (does a pooler drop the start-up options?).`,
      );
  } catch (error) {
    await close();
    if (error instanceof StartupError) throw error;
    throw new StartupError(
      `The database at ${URL.parse(databaseUrl)?.host ?? "DATABASE_URL, which is not a valid URL,"} cannot be used: ${(error as Error).message || (error as { code?: string }).code || "no answer"}.`,
      { cause: error },
    );
  }
  return { db, pool, close };
}

const ATTEMPTS = 4;

/** Runs `work` in one transaction, again when PostgreSQL says that it lost a race it may win the next time. */
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
