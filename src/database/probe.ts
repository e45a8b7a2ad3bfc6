import pg from "pg";

/** Whether the database answers, from a connection that nobody else uses. */
export type DatabaseProbe = {
  /** Resolves when it answered within the last second; rejects with what went wrong. */
  check(): Promise<void>;
  close(): Promise<void>;
};

/** A database that hangs is as bad as one that is away, and a load balancer does not wait for either. */
const TIMEOUT_MS = 1_000;
/** How long an answer is good for, whichever it was. */
const KEPT_MS = 1_000;

/**
 * However many ask, the database is asked once at a time and once a second: anybody may ask for health, as often as they
 * like. The connection is not of the pool, so that a pool that others have emptied does not look like a database that is away.
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
    // Lost while nobody asks: what was found before is no longer so, and the next one who asks needs a new connection.
    fresh.on("error", () => {
      latest = undefined;
      drop(fresh);
    });
    await fresh.connect();
    return fresh;
  }

  function drop(it: pg.Client): void {
    if (client === it) client = undefined;
    // What does not answer does not say goodbye either; nobody waits for it.
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
