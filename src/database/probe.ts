import pg from "pg";
import { keepAnswer } from "../util/kept-answer.ts";

/** Checks over a separate connection whether the database responds. */
export type DatabaseProbe = ReturnType<typeof createDatabaseProbe>;

/** A load balancer needs a response soon, even if the database hangs. */
const TIMEOUT_MS = 1_000;
/** How long a result is reused, whether success or failure. */
const KEPT_MS = 1_000;

/**
 * Creates a probe that queries the database at most once a second, because `/health` needs no token and has no rate
 * limit. It does not use the pool of the requests, because a pool can be exhausted while the database is available.
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
  // If the query fails, the pool discards its connection.
  const { answer, forget } = keepAnswer<unknown>(() => pool.query("SELECT 1"), KEPT_MS);
  // The connection was lost between two checks, so the next check must not reuse the result.
  pool.on("error", forget);
  return {
    /** Resolves if the database responds, or responded within the last second. Otherwise rejects with the error. */
    check: answer,
    close: () => pool.end(),
  };
}
