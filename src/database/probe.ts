import pg from "pg";
import { cached } from "../util/cached.ts";

/** Checks on a separate connection whether the database responds. */
export type DatabaseProbe = ReturnType<typeof createDatabaseProbe>;

/** Short, because a load balancer needs a response even if the database hangs. */
const TIMEOUT_MS = 1_000;
/** How long a result is reused, whether success or failure. */
const CACHE_MS = 1_000;

/**
 * Queries the database at most once a second, because `/health` has no rate limit. It has its own connection, because the pool of requests
 * can be exhausted while the database is available.
 */
export function createDatabaseProbe(databaseUrl: string) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 1,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    idleTimeoutMillis: 0,
    keepAlive: true,
    application_name: "plumbline health",
  });
  // If the query fails, the pool discards the connection.
  const { get, clear } = cached<unknown>(() => pool.query("SELECT 1"), CACHE_MS);
  // A connection that is lost between two checks invalidates the cached result.
  pool.on("error", clear);
  return {
    /** Rejects if the database did not respond within the last second. */
    check: get,
    close: () => pool.end(),
  };
}
