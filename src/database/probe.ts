import pg from "pg";

/** Checks over a connection of its own whether the database answers. */
export type DatabaseProbe = {
  /** Resolves if the database has answered within the last second; rejects with the error if not. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** A load balancer does not wait for a database that hangs. */
const TIMEOUT_MS = 1_000;
/** How long a result is reused, good or bad. */
const KEPT_MS = 1_000;

/**
 * Makes a probe that queries the database at most once a second, because anybody can request `/health` as often as they
 * like. It does not use the pool: a pool without a free connection is not a database that is away.
 */
export function createDatabaseProbe(databaseUrl: string): DatabaseProbe {
  let client: pg.Client | undefined;
  let latest: Promise<void> | undefined;

  async function connected(): Promise<pg.Client> {
    if (client !== undefined) return client;
    const fresh = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      keepAlive: true,
      application_name: "plumbline health",
    });
    client = fresh;
    // The connection was lost between two checks: the next one must not reuse the result, and needs a new connection.
    fresh.on("error", () => {
      latest = undefined;
      drop(fresh);
    });
    await fresh.connect();
    return fresh;
  }

  function drop(it: pg.Client): void {
    if (client === it) client = undefined;
    // Not awaited: a database that does not answer does not close the connection either.
    it.end().catch(() => undefined);
  }

  async function ask(): Promise<void> {
    try {
      const it = await connected();
      await it.query("SELECT 1");
    } catch (error) {
      if (client !== undefined) drop(client);
      throw error;
    }
  }

  return {
    check() {
      if (latest !== undefined) return latest;
      const mine = (latest = ask());
      const forget = () => {
        setTimeout(() => {
          if (latest === mine) latest = undefined;
        }, KEPT_MS).unref();
      };
      mine.then(forget, forget);
      return mine;
    },
    async close() {
      await client?.end().catch(() => undefined);
      client = undefined;
    },
  };
}
