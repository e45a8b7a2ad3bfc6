import pg from "pg";

/** Checks over a connection of its own whether the database answers. */
export type DatabaseProbe = ReturnType<typeof createDatabaseProbe>;

/** A load balancer does not wait for a database that hangs. */
const TIMEOUT_MS = 1_000;
/** How long a result is reused, good or bad. */
const KEPT_MS = 1_000;

/**
 * Makes a probe that queries the database at most once a second, because `/health` needs no token and has no rate
 * limit. It does not use the pool of the requests: a pool without a free connection is not a database that is away.
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
  let latest: Promise<unknown> = Promise.resolve();
  let keptUntilMs = 0;
  // The connection was lost between two checks: the next one must not reuse the result.
  pool.on("error", () => {
    keptUntilMs = 0;
  });

  return {
    /** Resolves if the database has answered within the last second; rejects with the error if not. */
    check(): Promise<unknown> {
      if (performance.now() < keptUntilMs) return latest;
      keptUntilMs = Infinity;
      const keep = () => {
        keptUntilMs = performance.now() + KEPT_MS;
      };
      // A connection on which it fails is not used again.
      latest = pool.query("SELECT 1");
      latest.then(keep, keep);
      return latest;
    },
    close: () => pool.end(),
  };
}
